"""Checks of a generated module before it is published: it is run, its decoder is built (law L10), and its
statements are compared.

Modules run under private names and see nothing but msgspec, typing, `toolcast.runtime`, its `support`, each
other, and the names of Python that definitions use: neither the output folder nor any code of the user's is
imported, and no module can open a file or run a command by a name of Python.

A project's template may add statements to a module. Texts of a spec may not: with other texts the module
must have the same statements (law L8). Definitions and the binding must be those of the built-in template,
which is the one that is run to build decoders: nothing that a template adds is run.
"""

import ast
import builtins
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, ModuleType, TracebackType
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from ...runtime.support import decode_hook
from .bindings.templates import Templates

_IMPORTABLE: Final = frozenset(
    {"typing", "msgspec", "toolcast.runtime", "toolcast.runtime.support", "datetime", "decimal", "uuid"}
)
_BUILTINS: Final = {
    name: getattr(builtins, name)
    for name in ("__build_class__", "bool", "dict", "float", "int", "list", "str", "tuple")
}
_LONGEST = 100_000
"""Characters of a module whose code is remembered; what is longer is rare, and specs may be hostile."""


class UnsoundError(Exception):
    """A generated module cannot be published, for the reason in the message."""


class Isolated:
    """Modules by dotted name, run on first use. While the context is open they stand in `sys.modules` under a
    private prefix, because msgspec looks there for the names in quoted annotations. Modules that are not
    among the sources are those of `shared`, which stays open.
    """

    def __init__(self, sources: Mapping[str, str | ast.Module], shared: "Isolated | None" = None) -> None:
        self._sources = sources
        self._shared = shared
        self._prefix = f"_toolcast_proof_{id(self):x}"
        self._modules: dict[str, ModuleType] = {}

    def __enter__(self) -> "Isolated":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for module in self._modules.values():
            sys.modules.pop(module.__name__, None)
        # A module's `__import__` leads back here: without this, trees and modules wait for the next search
        # for garbage.
        self._modules = {}
        self._sources = {}

    def load(self, name: str) -> ModuleType:
        """Run a module, if it has not run. Raises UnsoundError where it does not."""
        if name in self._modules:
            return self._modules[name]
        if name not in self._sources and self._shared is not None:
            return self._shared.load(name)
        if name not in self._sources:
            raise UnsoundError(f"it imports {name}, which nothing generates")
        module = ModuleType(f"{self._prefix}.{name}")
        module.__package__ = module.__name__.rpartition(".")[0]
        module.__dict__["__builtins__"] = {**_BUILTINS, "__import__": self._import}
        self._modules[name] = sys.modules[module.__name__] = module
        try:
            source = self._sources[name]
            shared = isinstance(source, str) and len(source) <= _LONGEST
            exec(_compiled(source) if shared else _code(source), module.__dict__)
        except UnsoundError:
            del sys.modules[self._modules.pop(name).__name__]
            raise
        except Exception as problem:  # a generated module
            del sys.modules[self._modules.pop(name).__name__]
            raise UnsoundError(f"it does not run: {type(problem).__name__}: {problem}") from problem
        return module

    def _import(
        self,
        name: str,
        scope: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        wanted: tuple[str, ...] = (),
        level: int = 0,
    ) -> ModuleType:
        if not level:
            if name not in _IMPORTABLE:
                raise UnsoundError(f"it imports {name}")
            known = sys.modules.get(name) if wanted else None  # else Python looks for modules called `wanted`
            return known or builtins.__import__(name, scope, local, wanted)
        assert scope is not None
        package = str(scope["__package__"]).split(".")[1:]
        return self.load(".".join([*package[: len(package) - level + 1], name]))


def without_protocol(tree: ast.Module) -> ast.Module:
    """Remove from a tool's module of a built-in template what decoding does not need: the Protocol and the
    annotation of the binding. Both take longer to run than all the rest, and cannot fail.
    """
    *body, protocol, binding = tree.body
    assert isinstance(protocol, ast.ClassDef)
    assert isinstance(binding, ast.AnnAssign)
    assert binding.value is not None
    assigned = ast.copy_location(ast.Assign([binding.target], binding.value), binding)
    return ast.Module([*body, assigned], [])


@lru_cache(maxsize=64)
def _compiled(source: str) -> CodeType:
    """The code of a text, kept: each tool that uses a shared type runs it."""
    return _code(source)


def _code(source: str | ast.Module) -> CodeType:
    return compile(source, "<generated>", "exec", dont_inherit=True)


def build_decoders(module: ModuleType, names: tuple[str, ...]) -> None:
    """Build the decoder of each named type. Raises UnsoundError where msgspec cannot."""
    for name in names:
        try:
            msgspec.json.Decoder(getattr(module, name), dec_hook=decode_hook)
        except Exception as problem:  # msgspec's, of any kind
            raise UnsoundError(f"{name} cannot be decoded: {type(problem).__name__}: {problem}") from problem


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
