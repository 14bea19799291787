"""What follows a tool's definitions: the handler's Protocol and the binding."""

import ast

from .vocabulary import UnsoundError, dotted, is_text, require_vocabulary


def prove_ending(node: ast.stmt, names: frozenset[str]) -> None:
    """The Protocol or the binding: shapes here, values in `isolate`, where the binding exists. Raises
    UnsoundError."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        require_vocabulary(node.annotation, names)
        require_vocabulary(node.value, names)
    elif isinstance(node, ast.ClassDef):
        _protocol(node, names)
    else:
        raise UnsoundError(f"line {node.lineno}: unexpected {type(node).__name__}")


def without_tail(tree: ast.Module) -> ast.Module:
    """A proven module of ours, less what has no part in decoding: the Protocol, and the binding's type.

    Both take longer to run than all the rest, and `prove_module` leaves no room in them for anything to fail.
    """
    *body, protocol, binding = tree.body
    assert isinstance(protocol, ast.ClassDef)
    assert isinstance(binding, ast.AnnAssign)
    assert binding.value is not None
    assigned = ast.copy_location(ast.Assign([binding.target], binding.value), binding)
    return ast.Module([*body, assigned], [])


def _protocol(node: ast.ClassDef, names: frozenset[str]) -> None:
    call = node.body[-1]
    shape = [type(item) for item in node.body] == [ast.Expr, ast.FunctionDef] and is_text(node.body[0])
    plain = [dotted(base) for base in node.bases] == ["Protocol"] and not node.keywords
    if not shape or not plain or node.decorator_list or not isinstance(call, ast.FunctionDef):
        raise UnsoundError(f"line {node.lineno}: unexpected statements in {node.name}")
    given = call.args
    other = (given.args, given.vararg, given.kwonlyargs, given.kwarg, given.defaults, call.decorator_list)
    if call.name != "__call__" or any(other) or len(call.body) != 1 or not _is_ellipsis(call.body[0]):
        raise UnsoundError(f"line {call.lineno}: unexpected function {call.name}")
    for annotation in (call.returns, *[argument.annotation for argument in given.posonlyargs[1:]]):
        if annotation is None:
            raise UnsoundError(f"line {call.lineno}: an annotation is missing")
        require_vocabulary(annotation, names)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
