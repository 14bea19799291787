"""Comparison of a project's own templates with the built-in ones, by what they print.

A template may add statements to a module. Texts of a spec may not: with other texts the module must have the
same statements (law L8). Definitions and the binding must be those of the built-in template, which is the one
that is run to build decoders: nothing that a template adds is run.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..bindings.templates import Templates
from .isolate import UnsoundError

_TEXT = re.compile(r"""(?s)(\"{3}|"|')((?:[^\\]|\\.)*?)\1""")
_WORD = re.compile(r"[\w.-]*")
_PLACEHOLDER = "a text"
_HANDLER = frozenset({"Final", "Protocol", "Returns", "ToolContext"})
"""Imported names that only the handler's Protocol and the annotation of the binding need."""


class WithoutTexts(Templates):
    """Templates that get one placeholder for every text of a spec. A text of one word stays: it is no
    statement, and a template may choose by it, as by a permission.
    """

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def render(self, name: str, **values: object) -> str:
        return self._templates.render(name, **_without_texts(values))


def _without_texts(value: object) -> Any:
    if isinstance(value, str):
        return _TEXT.sub(_placeholder, value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_without_texts, value))
    if isinstance(value, Struct):
        return replace(value, **_without_texts(asdict(value)))
    if isinstance(value, Mapping):
        return {key: _without_texts(each) for key, each in value.items()}
    return value


def _placeholder(found: re.Match[str]) -> str:
    quote, text = found.groups()
    return found[0] if _WORD.fullmatch(text) else f"{quote}{_PLACEHOLDER}{quote}"


def require_own_statements(source: str, neutral: str) -> None:
    """Raise UnsoundError unless a module has the statements of `neutral`, its form without a spec's texts."""
    try:
        equal = _same(ast.parse(source), ast.parse(neutral), texts=False)
    except SyntaxError:
        equal = False
    if not equal:
        raise UnsoundError("its statements depend on a text of the spec, which may be a literal only")


def require_definitions(source: str, built_in: str) -> None:
    """Raise UnsoundError unless the module `source` has the imports, definitions and binding of `built_in`.
    The handler's Protocol and the annotation of the binding may differ.
    """
    ours, theirs = ast.parse(built_in), ast.parse(source)
    imported = _imports(theirs)
    if missing := {each for each in _imports(ours) - imported if each[2] not in _HANDLER}:
        raise UnsoundError(f"it does not import {', '.join(sorted(name for _, _, name, _ in missing))}")
    found = {name: node for node in theirs.body if (name := _defined(node))}
    for node in ours.body:
        name = _defined(node)
        if not name:
            continue
        if name not in found:
            raise UnsoundError(f"it does not define {name}")
        if not _same(_essence(found[name], node), _essence(node, node)):
            raise UnsoundError(f"line {found[name].lineno}: {name} is not that of the built-in template")


def _essence(node: ast.stmt, built_in: ast.stmt) -> ast.AST | None:
    """The parts of a statement that may not differ from the built-in template's."""
    if isinstance(built_in, ast.ClassDef) and ast.unparse(built_in.bases[0]) == "Protocol":
        return None
    binding = isinstance(built_in, ast.AnnAssign) and ast.unparse(built_in.annotation).startswith("Final[")
    return node.value if binding and isinstance(node, ast.AnnAssign) else node


def _imports(tree: ast.Module) -> set[tuple[str | None, int, str, str | None]]:
    """Module, level, name and local name of all imports at the top."""
    return {
        (getattr(node, "module", None), getattr(node, "level", 0), each.name, each.asname)
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for each in node.names
    }


def _defined(node: ast.stmt) -> str:
    """The name that a statement defines; "" for none."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return _defined(node.body[0])
    return ""


def _same(one: Any, other: Any, *, texts: bool = True) -> bool:
    """Tell whether two trees are equal, apart from positions; `texts`: also in their strings."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.Constant) and not texts and isinstance(one.value, str):
        return isinstance(other.value, str)
    if isinstance(one, ast.AST):
        return all(
            _same(getattr(one, name, None), getattr(other, name, None), texts=texts) for name in one._fields
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(
            _same(*pair, texts=texts) for pair in zip(one, other, strict=True)
        )
    return bool(one == other)
