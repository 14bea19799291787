"""The statements of a checked module that are run to build its decoder."""

import ast

from ..bindings.render_module import EXPORTED
from .allowed_syntax import PYTHON
from .syntax import defined_name


def without_protocol(tree: ast.Module) -> ast.Module:
    """A checked module that a built-in template printed, without what decoding does not need: the Protocol,
    and the annotation of the binding. Both take longer to run than all the rest, and cannot fail.
    """
    *body, protocol, binding = tree.body
    assert isinstance(protocol, ast.ClassDef)
    assert isinstance(binding, ast.AnnAssign)
    assert binding.value is not None
    assigned = ast.copy_location(ast.Assign([binding.target], binding.value), binding)
    return ast.Module([*body, assigned], [])


def checked_statements(tree: ast.Module, defined: frozenset[str], binding: str = "") -> ast.Module:
    """What `check_module` has checked in a module that a template of the project printed: definitions, the
    binding, and the imports that they need. Whatever else the template added is not run."""
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
    """The part of an import that built-in templates have, too, without other names."""
    if isinstance(node, ast.Import):
        known = [each for each in node.names if each.name in {"msgspec", *PYTHON}]
    elif node.level > 0:
        known = node.names  # `isolate` knows the modules of the package, and no other
    else:
        known = [each for each in node.names if each.name in EXPORTED.get(node.module or "", ())]
    plain = [each for each in known if each.asname is None]
    if not plain:
        return []
    if isinstance(node, ast.Import):
        return [ast.copy_location(ast.Import(plain), node)]
    return [ast.copy_location(ast.ImportFrom(node.module, plain, node.level), node)]
