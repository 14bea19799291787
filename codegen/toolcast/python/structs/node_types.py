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
from . import containers
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
            return containers.list_type(builder, node, file, name_parts)
        case Tuple():
            return containers.tuple_type(builder, node, file, name_parts)
        case Map():
            return containers.dict_type(builder, node, file, name_parts)
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
        case _:  # Anything; Nothing too, whose marker refuses every value
            return structs.replace(ANY, exact=exact and isinstance(node, Anything))
