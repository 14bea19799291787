"""Compares the statements of a generated module with the expected ones, whatever their layout.

Literals are compared with the contract elsewhere. This finds what has no literal: a type, a check, a
condition, a branch or a marker that rendering or formatting lost or changed.
"""

import ast
from collections.abc import Sequence
from typing import Any

from .unsound_error import UnsoundError


class ModuleText:
    """The text of a module. Most statements are equal as text; the others are compared as syntax trees."""

    def __init__(self, python: bytes) -> None:
        self._rows = python.split(b"\n")

    def require(self, node: ast.stmt, expected: str, name: str) -> None:
        """Raise UnsoundError unless `node`, in the definition of `name`, is the statement `expected`."""
        if node.lineno == node.end_lineno:
            row = self._rows[node.lineno - 1]
            if row[node.col_offset : node.end_col_offset] == expected.encode():
                return
        _require_equal([node], expected, name)

    def require_body(self, nodes: Sequence[ast.stmt], expected: Sequence[str], name: str) -> None:
        """Raise UnsoundError unless `nodes` are the lines `expected`, whatever their indent."""
        first, last = nodes[0], nodes[-1]
        rows = self._rows[first.lineno - 1 : last.end_lineno]
        if rows != [b" " * first.col_offset + line.encode() for line in expected]:
            _require_equal(nodes, "\n".join(expected), name)


def _require_equal(nodes: Sequence[ast.stmt], expected: str, name: str) -> None:
    others = ast.parse(expected).body
    for node, other in zip(nodes, others, strict=False):
        if not same_syntax(node, other):
            raise UnsoundError(f"line {node.lineno}: {name} should be {ast.unparse(other)}")
    if len(nodes) != len(others):
        raise UnsoundError(f"line {nodes[0].lineno}: {name} has {len(nodes)} statements, not {len(others)}")


def same_syntax(one: Any, other: Any) -> bool:
    """Whether two trees, lists of trees or literals are equal, wherever they stand. Two dumps take five
    times as long."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        return all(same_syntax(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_syntax, one, other))
    return bool(one == other)
