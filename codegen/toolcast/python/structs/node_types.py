"""Contract nodes as Python types: one rule for each kind of node."""

from msgspec import structs

from ...contract.tree import (
    Anything,
    Array,
    Boolean,
    Enum,
    Map,
    Node,
    Null,
    Number,
    Object,
    Reference,
    String,
    Tuple,
    Union,
)
from . import scalar_types as scalars
from .builder import ANY, Builder, NameParts
from .classes import object_type
from .module_model import Expression
from .union_types import union_type


def node_type(builder: Builder, node: Node, file: str, name_parts: NameParts) -> Expression:
    """The type of `node`; `Builder.type_of` adds the marker where it is not exact."""
    exact = not node.residue
    match node:
        case Reference():
            return builder.reference_type(node)
        case Object():
            return object_type(builder, node, file, name_parts)
        case Union():
            return union_type(builder, node, file, name_parts)
        case Array():
            return list_type(builder, node, file, name_parts)
        case Tuple():
            return tuple_type(builder, node, file, name_parts)
        case Map():
            return dict_type(builder, node, file, name_parts)
        case String():
            return scalars.string_type(node)
        case Number():
            return scalars.number_type(node)
        case Enum():
            return scalars.enum_type(node)
        case Boolean():
            return Expression(text="bool", kinds=frozenset({"bool"}), exact=exact)
        case Null():
            return Expression(text="None", kinds=frozenset({"none"}), exact=exact)
        case _:  # Anything; and Nothing, whose marker refuses every value
            return structs.replace(ANY, exact=exact and isinstance(node, Anything))


def list_type(builder: Builder, node: Array, file: str, name_parts: NameParts) -> Expression:
    """`list[T]`."""
    items = builder.checked_type_of(node.items, file, *name_parts, "Item")
    checks: tuple[str, ...] = ()
    exact = not node.residue
    if node.unique:
        if items.kinds <= {"str", "int", "float", "bool", "none"}:
            checks = ("check_unique({label}, {value})",)
        else:
            exact = False
    bare, meta = f"list[{items.text}]", scalars.sequence_meta(node)
    return Expression(
        text=scalars.annotated(bare, meta),
        kinds=frozenset({"list"}),
        exact=exact,
        checks=checks,
        uses=items.uses,
        bare=bare,
        details=scalars.details(meta),
    )


def tuple_type(builder: Builder, node: Tuple, file: str, name_parts: NameParts) -> Expression:
    """`tuple[A, B]`."""
    items = [
        builder.checked_type_of(item, file, *name_parts, f"Item{i + 1}") for i, item in enumerate(node.items)
    ]
    return Expression(
        text=f"tuple[{', '.join(item.text for item in items) or '()'}]",
        kinds=frozenset({"list"}),
        exact=not node.residue,
        uses=frozenset[str]().union(*(item.uses for item in items)),
        details=frozenset({"positions"}),
    )


def dict_type(builder: Builder, node: Map, file: str, name_parts: NameParts) -> Expression:
    """`dict[str, T]`."""
    values = builder.checked_type_of(node.values, file, *name_parts, "Value")
    keys = "str" if node.keys is None else scalars.string_type(node.keys).text
    bare, meta = f"dict[{keys}, {values.text}]", scalars.dictionary_meta(node)
    return Expression(
        text=scalars.annotated(bare, meta),
        kinds=frozenset({"dict"}),
        exact=not node.residue,
        uses=values.uses,
        bare=bare,
        details=scalars.details(meta),
    )
