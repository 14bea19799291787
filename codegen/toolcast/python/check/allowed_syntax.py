"""The kinds of syntax that a generated module consists of: any other is refused."""

import ast
from collections.abc import Callable
from typing import Any

from .syntax import dotted
from .unsound_error import UnsoundError

PACKAGES = frozenset({"typing", "msgspec", "toolcast.runtime", "toolcast.runtime.support"})
"""What a generated module may import, beside other modules of its package."""
PYTHON = frozenset({"datetime", "decimal", "uuid"})
"""Modules of the standard library whose types a Struct may hold, imported whole."""

_CALLS = frozenset(
    {
        "Meta", "ToolBinding", "check_bounds", "check_format", "check_member", "check_multiple_of",
        "check_pattern", "check_properties", "check_unique", "checked", "one_of", "open_object",
        "msgspec.field", "msgspec.convert",
    }
)  # fmt: skip
_OWNERS = frozenset({"msgspec", "self", *PYTHON})
_KNOWN = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple", "__name__", "self"})


def require_allowed_syntax(expression: ast.expr, names: frozenset[str]) -> None:
    """Raise UnsoundError unless `expression` is made of literals, types and our own calls over `names`."""
    queue: list[ast.expr] = [expression]
    while queue:
        node = queue.pop()
        parts = _PARTS.get(type(node))
        if parts is not None:
            queue += parts(node)
        elif isinstance(node, ast.Name):
            if node.id not in names and node.id not in _KNOWN:
                raise UnsoundError(f"line {node.lineno}: unknown name {node.id}")
        elif not isinstance(node, ast.Constant):
            raise UnsoundError(f"line {expression.lineno}: unexpected {type(node).__name__}")


def _union_operands(node: ast.BinOp) -> list[ast.expr]:
    _require(node, node.op, ast.BitOr)
    return [node.left, node.right]


def _negated(node: ast.UnaryOp) -> list[ast.expr]:
    _require(node, node.op, ast.USub)
    return [node.operand]


def _compared(node: ast.Compare) -> list[ast.expr]:
    for operator in node.ops:
        _require(node, operator, ast.IsNot)
    return [node.left, *node.comparators]


def _require(node: ast.expr, operator: ast.AST, allowed: type[ast.AST]) -> None:
    if type(operator) is not allowed:
        raise UnsoundError(f"line {node.lineno}: unexpected {type(operator).__name__}")


def _attribute_owner(node: ast.Attribute) -> list[ast.expr]:
    if not isinstance(node.value, ast.Name) or node.value.id not in _OWNERS:
        raise UnsoundError(f"line {node.lineno}: unexpected attribute {node.attr}")
    return [node.value]


def _call_parts(node: ast.Call) -> list[ast.expr]:
    name = dotted(node.func)
    if name not in _CALLS:
        raise UnsoundError(f"line {node.lineno}: unexpected call of {name or 'an expression'}")
    return [node.func, *node.args, *[option.value for option in node.keywords]]


def _lambda_body(node: ast.Lambda) -> list[ast.expr]:
    found = node.args
    if found.posonlyargs or found.args or found.vararg or found.kwonlyargs or found.kwarg:
        raise UnsoundError(f"line {node.lineno}: unexpected parameters of a lambda")
    return [node.body]


_PARTS: dict[type[ast.expr], Callable[[Any], list[ast.expr]]] = {
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Tuple: lambda node: node.elts,
    ast.List: lambda node: node.elts,
    ast.Dict: lambda node: [*[key for key in node.keys if key is not None], *node.values],
    ast.BinOp: _union_operands,
    ast.UnaryOp: _negated,
    ast.Compare: _compared,
    ast.Attribute: _attribute_owner,
    ast.Call: _call_parts,
    ast.Lambda: _lambda_body,
}
"""The operands of an expression of each allowed kind, beside names and literals."""
