"""Walking the typed tree."""

from collections.abc import Iterator

from .tree import Dictionary, Fixed, Node, Object, Sequence, Union


def below(node: Node) -> tuple[Node, ...]:
    """The nodes directly under one; references are not followed."""
    if isinstance(node, Object):
        return tuple(field.node for field in node.fields) + ((node.extra,) if node.extra else ())
    if isinstance(node, Union):
        return node.branches
    if isinstance(node, Sequence):
        return (node.items,)
    if isinstance(node, Fixed):
        return node.items
    if isinstance(node, Dictionary):
        return (node.values,)
    return ()


def nodes(node: Node) -> Iterator[Node]:
    """A node and everything under it."""
    yield node
    for inner in below(node):
        yield from nodes(inner)
