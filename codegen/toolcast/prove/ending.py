"""What follows a tool's definitions, the handler's Protocol and the binding; and which rows of it all run."""

import ast

from ..bindings.render import MSGSPEC, RUNTIME, TYPING
from .syntax import defined_name
from .vocabulary import PYTHON, UnsoundError, dotted, is_text, require_vocabulary

_NAMES = {"typing": TYPING, "msgspec": MSGSPEC, "toolcast.runtime": RUNTIME}


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


def proven_rows(tree: ast.Module, defined: frozenset[str], binding: str = "") -> ast.Module:
    """Of a module that a template of the project printed, what `prove_module` has looked at: definitions, the
    binding, and imports of what those are made of. Whatever else the template added is not run."""
    last = {name: node for node in tree.body if (name := defined_name(node))}
    rows: list[ast.stmt] = []
    for node in tree.body:
        name = defined_name(node)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            rows += _known_import(node)
        elif node is not last.get(name):
            continue
        elif name in defined:
            rows.append(node)
        elif name == binding and isinstance(node, ast.AnnAssign) and node.value is not None:
            rows.append(ast.copy_location(ast.Assign([node.target], node.value), node))
    return ast.Module(rows, [])


def _known_import(node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
    """The part of an import that brings names which our own templates bring, under no other name."""
    if isinstance(node, ast.Import):
        known = [each for each in node.names if each.name in {"msgspec", *PYTHON}]
    elif node.level > 0:
        known = node.names  # `isolate` knows the modules of the package, and no other
    else:
        known = [each for each in node.names if each.name in _NAMES.get(node.module or "", ())]
    plain = [each for each in known if each.asname is None]
    if not plain:
        return []
    if isinstance(node, ast.Import):
        return [ast.copy_location(ast.Import(plain), node)]
    return [ast.copy_location(ast.ImportFrom(node.module, plain, node.level), node)]


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
