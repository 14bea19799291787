"""The end of a tool's module: the handler's Protocol and the binding."""

import ast

from .allowed_syntax import require_allowed_syntax
from .syntax import dotted, is_text
from .unsound_error import UnsoundError


def check_tail(node: ast.stmt, names: frozenset[str]) -> None:
    """Raise UnsoundError unless `node` has the syntax of the Protocol or the binding. `isolate` compares the
    binding's values, once it exists."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        require_allowed_syntax(node.annotation, names)
        require_allowed_syntax(node.value, names)
    elif isinstance(node, ast.ClassDef):
        _check_protocol(node, names)
    else:
        raise UnsoundError(f"line {node.lineno}: unexpected {type(node).__name__}")


def _check_protocol(node: ast.ClassDef, names: frozenset[str]) -> None:
    call = node.body[-1]
    shape = [type(item) for item in node.body] == [ast.Expr, ast.FunctionDef] and is_text(node.body[0])
    plain = [dotted(base) for base in node.bases] == ["Protocol"] and not node.keywords
    if not shape or not plain or node.decorator_list or not isinstance(call, ast.FunctionDef):
        raise UnsoundError(f"line {node.lineno}: unexpected statements in {node.name}")
    arguments = call.args
    other = (
        arguments.args,
        arguments.vararg,
        arguments.kwonlyargs,
        arguments.kwarg,
        arguments.defaults,
        call.decorator_list,
    )
    if call.name != "__call__" or any(other) or len(call.body) != 1 or not _is_ellipsis(call.body[0]):
        raise UnsoundError(f"line {call.lineno}: unexpected function {call.name}")
    for annotation in (call.returns, *[argument.annotation for argument in arguments.posonlyargs[1:]]):
        if annotation is None:
            raise UnsoundError(f"line {call.lineno}: an annotation is missing")
        require_allowed_syntax(annotation, names)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
