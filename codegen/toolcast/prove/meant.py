"""Does a module hold the very statements that were meant, whatever their layout?

Literals are compared with the contract elsewhere. This finds what has none: a type, a check, a condition, a
branch or a marker that printing or breaking lines lost or took for another.
"""

import ast
from collections.abc import Sequence
from typing import Any

from .vocabulary import UnsoundError


class Printed:
    """The text of a module, looked at before its syntax: most statements stand there just as meant."""

    def __init__(self, python: bytes) -> None:
        self._rows = python.split(b"\n")

    def require(self, node: ast.stmt, meant: str, name: str) -> None:
        """Raise UnsoundError unless `node` is the statement `meant`."""
        if node.lineno == node.end_lineno:
            row = self._rows[node.lineno - 1]
            if row[node.col_offset : node.end_col_offset] == meant.encode():
                return
        _require_same([node], meant, name)

    def require_body(self, nodes: Sequence[ast.stmt], meant: Sequence[str], name: str) -> None:
        """Raise UnsoundError unless `nodes` are the lines `meant`, with an indent of their own."""
        first, last = nodes[0], nodes[-1]
        rows = self._rows[first.lineno - 1 : last.end_lineno]
        if rows != [b" " * first.col_offset + line.encode() for line in meant]:
            _require_same(nodes, "\n".join(meant), name)


def _require_same(nodes: Sequence[ast.stmt], meant: str, name: str) -> None:
    wanted = ast.parse(meant).body
    for node, other in zip(nodes, wanted, strict=False):
        if not same(node, other):
            raise UnsoundError(f"line {node.lineno}: {name} should say {ast.unparse(other)}")
    if len(nodes) != len(wanted):
        raise UnsoundError(f"line {nodes[0].lineno}: {name} has {len(nodes)} statements, not {len(wanted)}")


def same(one: Any, other: Any) -> bool:
    """Whether two trees, lists of trees or literals are equal, wherever they stand. Two dumps take five
    times as long."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        return all(same(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
