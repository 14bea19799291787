"""The few kinds of syntax that a generated module is made of: anything else in one is refused."""

import ast

PACKAGES = frozenset({"typing", "msgspec", "toolwright.runtime"})
"""What a generated module may import, beside other modules of its package."""
PYTHON = frozenset({"datetime", "decimal", "uuid"})
"""Modules of the standard library whose types a Struct may hold, imported whole."""

_NODES = (
    ast.expr_context, ast.keyword, ast.arguments, ast.arg, ast.operator, ast.unaryop, ast.cmpop,
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.BinOp,
    ast.UnaryOp, ast.Call, ast.Lambda, ast.Compare,
)  # fmt: skip
_OPERATORS = (ast.BitOr, ast.USub, ast.IsNot, ast.expr_context)
_CALLS = frozenset(
    {
        "Meta", "ToolBinding", "check_bounds", "check_format", "check_member", "check_multiple_of",
        "check_pattern", "check_properties", "check_unique", "checked", "one_of", "open_object",
        "msgspec.field", "msgspec.convert",
    }
)  # fmt: skip
_KNOWN = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple", "__name__", "self"})


class UnsoundError(Exception):
    """A module that is not what was meant; the message says where."""


def require_vocabulary(expression: ast.expr, names: frozenset[str]) -> None:
    """Raise UnsoundError unless `expression` is made of literals, types and our own calls over `names`."""
    for node in ast.walk(expression):
        if not isinstance(node, _NODES):
            raise UnsoundError(f"line {expression.lineno}: unexpected {type(node).__name__}")
        if isinstance(node, ast.operator | ast.unaryop | ast.cmpop) and not isinstance(node, _OPERATORS):
            raise UnsoundError(f"line {expression.lineno}: unexpected {type(node).__name__}")
        if isinstance(node, ast.Name) and node.id not in names and node.id not in _KNOWN:
            raise UnsoundError(f"line {node.lineno}: unknown name {node.id}")
        if isinstance(node, ast.Attribute) and dotted(node).split(".")[0] not in {"msgspec", "self", *PYTHON}:
            raise UnsoundError(f"line {node.lineno}: unexpected attribute {node.attr}")
        if isinstance(node, ast.Call) and dotted(node.func) not in _CALLS:
            raise UnsoundError(
                f"line {node.lineno}: unexpected call of {dotted(node.func) or 'an expression'}"
            )
        if isinstance(node, ast.Lambda) and (node.args.args or node.args.vararg or node.args.kwarg):
            raise UnsoundError(f"line {node.lineno}: unexpected parameters of a lambda")


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
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise UnsoundError(f"line {node.lineno}: a literal was expected") from None
