"""The few kinds of syntax that a generated module is made of: anything else in one is refused."""

import ast
from collections.abc import Callable
from typing import Any

PACKAGES = frozenset({"typing", "msgspec", "toolcast.runtime"})
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


class UnsoundError(Exception):
    """A module that is not what was meant; the message says where."""


def require_vocabulary(expression: ast.expr, names: frozenset[str]) -> None:
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


def _operands(node: ast.BinOp) -> list[ast.expr]:
    _require(node, node.op, ast.BitOr)
    return [node.left, node.right]


def _operand(node: ast.UnaryOp) -> list[ast.expr]:
    _require(node, node.op, ast.USub)
    return [node.operand]


def _compared(node: ast.Compare) -> list[ast.expr]:
    for operator in node.ops:
        _require(node, operator, ast.IsNot)
    return [node.left, *node.comparators]


def _require(node: ast.expr, operator: ast.AST, allowed: type[ast.AST]) -> None:
    if type(operator) is not allowed:
        raise UnsoundError(f"line {node.lineno}: unexpected {type(operator).__name__}")


def _owner(node: ast.Attribute) -> list[ast.expr]:
    if not isinstance(node.value, ast.Name) or node.value.id not in _OWNERS:
        raise UnsoundError(f"line {node.lineno}: unexpected attribute {node.attr}")
    return [node.value]


def _called(node: ast.Call) -> list[ast.expr]:
    name = dotted(node.func)
    if name not in _CALLS:
        raise UnsoundError(f"line {node.lineno}: unexpected call of {name or 'an expression'}")
    return [node.func, *node.args, *[option.value for option in node.keywords]]


def _returned(node: ast.Lambda) -> list[ast.expr]:
    given = node.args
    if given.posonlyargs or given.args or given.vararg or given.kwonlyargs or given.kwarg:
        raise UnsoundError(f"line {node.lineno}: unexpected parameters of a lambda")
    return [node.body]


_PARTS: dict[type[ast.expr], Callable[[Any], list[ast.expr]]] = {
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Tuple: lambda node: node.elts,
    ast.List: lambda node: node.elts,
    ast.Dict: lambda node: [*[key for key in node.keys if key is not None], *node.values],
    ast.BinOp: _operands,
    ast.UnaryOp: _operand,
    ast.Compare: _compared,
    ast.Attribute: _owner,
    ast.Call: _called,
    ast.Lambda: _returned,
}
"""What stands under an expression of each kind that may occur, beside names and literals."""


def dotted(node: ast.expr) -> str:
    """`name` or `name.attribute`; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a string: a docstring, or a field's description."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def text_of(node: ast.stmt) -> str:
    """The string of a statement that `is_text`."""
    assert isinstance(node, ast.Expr)
    assert isinstance(node.value, ast.Constant)
    return str(node.value.value)


def value_of(node: ast.expr) -> object:
    """The value of a literal. Raises UnsoundError where there is none."""
    if isinstance(node, ast.Constant):  # nearly always; the way below takes ten times as long
        return node.value
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise UnsoundError(f"line {node.lineno}: a literal was expected") from None
