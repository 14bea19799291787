"""Reading the syntax of a rendered module: what a statement defines, and with which values."""

import ast

from ..structs.module_model import AliasDefinition
from .unsound_error import UnsoundError


def defined_name(node: ast.stmt) -> str:
    """The name that a statement defines; "" for none."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.If) and dotted(node.test) == "TYPE_CHECKING" and len(node.body) == 1:
        return defined_name(node.body[0])
    return ""


def alias_values(node: ast.stmt, definition: AliasDefinition) -> list[tuple[ast.stmt, ast.expr]]:
    """What an alias stands for: one assignment, or one for type checkers and one for run time, with what
    each assigns. Raises UnsoundError for a statement of another form."""
    if isinstance(node, ast.AnnAssign) and node.value is not None and not definition.marker:
        return [(node, node.value)]
    if isinstance(node, ast.If) and definition.marker and len(node.orelse) == 1:
        seen, real = node.body[0], node.orelse[0]
        assigned = [dotted(target) for target in real.targets] if isinstance(real, ast.Assign) else []
        if isinstance(seen, ast.AnnAssign) and seen.value is not None and assigned == [definition.name]:
            assert isinstance(real, ast.Assign)
            return [(seen, seen.value), (real, real.value)]
    raise UnsoundError(f"line {node.lineno}: unexpected form of {definition.name}")


def marker_types(node: ast.Call) -> list[ast.expr]:
    """The types that a marker's arguments name."""
    found: list[ast.expr] = []
    for argument in node.args[2:]:
        parts = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        types = [part for part in parts if not holds_text(part)]
        found += [part.body if isinstance(part, ast.Lambda) else part for part in types]
    return found


def holds_text(node: ast.expr) -> bool:
    """Whether an expression is a literal string."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def unquoted(node: ast.Constant) -> ast.expr:
    """The annotation that a string holds. Raises UnsoundError when it is none."""
    try:
        return ast.parse(str(node.value), mode="eval").body
    except SyntaxError:
        raise UnsoundError(f"line {node.lineno}: {node.value!r} is no annotation") from None


def options_of(row: ast.AnnAssign) -> dict[str, ast.expr]:
    """The arguments of `msgspec.field(…)`; empty for any other value."""
    if isinstance(row.value, ast.Call) and dotted(row.value.func) == "msgspec.field":
        return {option.arg: option.value for option in row.value.keywords if option.arg}
    return {}


def wire_of(row: ast.AnnAssign, renamed: dict[str, str]) -> str:
    """The name on the wire of a field's row."""
    assert isinstance(row.target, ast.Name)
    name = options_of(row).get("name")
    if name is not None:
        return str(value_of(name))
    return renamed.get(row.target.id, row.target.id)


def default_of(row: ast.AnnAssign) -> ast.expr | None:
    """The default in a field's row, or its factory; None for a required one."""
    options = options_of(row)
    if isinstance(row.value, ast.Call) and dotted(row.value.func) == "msgspec.field":
        return options.get("default", options.get("default_factory"))
    return row.value


def factory_value(node: ast.expr) -> object:
    """The JSON value of a default: a literal, `list`, `dict`, or a lambda of a literal, converted or not."""
    if dotted(node) in ("list", "dict"):
        return [] if dotted(node) == "list" else {}
    if isinstance(node, ast.Lambda):
        node = node.body
        if isinstance(node, ast.Call) and dotted(node.func) == "msgspec.convert":
            node = node.args[0]
    return value_of(node)


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
