"""Contract nodes as Python types: one rule for each kind of node."""

from msgspec import structs

from ..contract.tree import (
    Anything,
    Boolean,
    Choice,
    Dictionary,
    Fixed,
    Node,
    Null,
    Numeric,
    Object,
    Reference,
    Sequence,
    String,
    Union,
)
from . import containers, scalars
from .builder import ANY, Builder, Hint
from .classes import express_object
from .model import Expression
from .unions import express_union


def express_node(builder: Builder, node: Node, file: str, hint: Hint) -> Expression:
    """The type of `node`; `Builder.express` adds the marker where it is not exact."""
    exact = not node.residue
    match node:
        case Reference():
            return builder.referred(node)
        case Object():
            return express_object(builder, node, file, hint)
        case Union():
            return express_union(builder, node, file, hint)
        case Sequence():
            return containers.sequence(builder, node, file, hint)
        case Fixed():
            return containers.fixed(builder, node, file, hint)
        case Dictionary():
            return containers.dictionary(builder, node, file, hint)
        case String():
            return scalars.string(node)
        case Numeric():
            return scalars.numeric(node)
        case Choice():
            return scalars.choice(node)
        case Boolean():
            return Expression(text="bool", kinds=frozenset({"bool"}), exact=exact)
        case Null():
            return Expression(text="None", kinds=frozenset({"none"}), exact=exact)
        case _:  # Anything; Nothing too, whose marker refuses every value
            return structs.replace(ANY, exact=exact and isinstance(node, Anything))
