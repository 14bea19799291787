"""Before anything is published: does a rendered module say what its contract says?

It is parsed, and the shape of its syntax tree is compared with the one that was meant: the classes and
aliases in order, their fields, and nothing else beside them. So no text from a spec can have become code.
"""

import ast

from ..structs.model import ClassDefinition, Module


class Problem(Exception):
    """A module that is not what was meant; the message says where."""


def prove_module(source: bytes, module: Module, params: str | None) -> None:
    """Raise Problem unless the top level of `source` holds just what `module` defines (law L8)."""
    tree = ast.parse(source)
    found = [name for node in tree.body for name in _defined(node)]
    meant = [d.name for d in (*module.definitions, *module.late_definitions)]
    if found[: len(meant)] != meant or len(found) - len(meant) > (2 if params else 0):
        raise Problem(f"it defines {found}, not {meant}")
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for definition in module.definitions:
        if isinstance(definition, ClassDefinition):
            _prove_class(classes[definition.name], definition)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.If):
        return _defined(node.body[0])
    if isinstance(node, ast.Import | ast.ImportFrom):
        return []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    raise Problem(f"line {node.lineno}: unexpected {type(node).__name__}")


def _prove_class(node: ast.ClassDef, definition: ClassDefinition) -> None:
    names: list[str] = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if not ast.unparse(item.annotation).startswith("ClassVar["):
                names.append(item.target.id)
        elif isinstance(item, ast.FunctionDef):
            if item.name != "__post_init__" or not definition.checks:
                raise Problem(f"line {item.lineno}: unexpected function {item.name}")
        elif not (
            isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) or isinstance(item, ast.Pass)
        ):
            raise Problem(f"line {item.lineno}: unexpected {type(item).__name__}")
    meant = [line.name for line in definition.fields]
    if names != meant:
        raise Problem(f"class {definition.name} has the fields {names}, not {meant}")
