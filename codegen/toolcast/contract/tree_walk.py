"""Walking the typed tree."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from .tree import Dictionary, Fixed, Node, Object, Sequence, Union

_BELOW: Final[Mapping[type[Node], Callable[[Any], tuple[Node, ...]]]] = {
    Object: lambda node: (*[field.node for field in node.fields], *((node.extra,) if node.extra else ())),
    Union: lambda node: node.branches,
    Sequence: lambda node: (node.items,),
    Fixed: lambda node: node.items,
    Dictionary: lambda node: (node.values,),
}


def below(node: Node) -> tuple[Node, ...]:
    """The nodes directly under one; references are not followed."""
    found = _BELOW.get(type(node))
    return found(node) if found is not None else ()


def nodes(node: Node) -> Iterator[Node]:
    """A node and everything under it, outer ones first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += below(node)[::-1]
