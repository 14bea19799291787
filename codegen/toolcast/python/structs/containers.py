"""Arrays and maps whose items are alike, and tuples."""

from ...contract.tree import Array, Map, Tuple
from . import scalar_types as scalars
from .builder import Builder, NameParts
from .module_model import Expression


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
