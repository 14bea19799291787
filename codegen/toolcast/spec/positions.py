"""Where each value of a document stands: built once, on the first question."""

from msgspec import Struct

from .model import Path


class Node(Struct):
    """One value's place. `members` for a mapping, `items` for a list, neither for a scalar."""

    line: int
    column: int
    members: "dict[str, Member] | None" = None
    items: "list[Node] | None" = None


class Member(Struct):
    """One entry of a mapping: the place of its key, and its value."""

    line: int
    column: int
    value: Node


def locate(root: Node, path: Path, *, key: bool) -> tuple[int, int]:
    """Line and column of the value at `path` (or of its key); of the nearest parent where it is absent.

    A list item has no key: its value's place is given.
    """
    node, line, column = root, root.line, root.column
    for step in path:
        if isinstance(step, str):
            member = (node.members or {}).get(step)
            if member is None:
                break
            node = member.value
            line, column = (member.line, member.column) if key else (node.line, node.column)
        else:
            items = node.items or []
            if not 0 <= step < len(items):
                break
            node = items[step]
            line, column = node.line, node.column
    return line, column
