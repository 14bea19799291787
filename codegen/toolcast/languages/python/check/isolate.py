"""Run a generated module before it is published, and build its decoder (law L10).

Modules run under private names and see nothing but msgspec, typing, `toolcast.runtime`, its `support`, each
other, and the names of Python that definitions use: neither the output folder nor any code of the user's is
imported, and no module can open a file or run a command by a name of Python.
"""

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType, ModuleType, TracebackType
from typing import Final

import msgspec
from msgspec.structs import fields

from ....output_layout import SCHEMAS, contract_path
from ....runtime.support import decode_hook
from ....runtime.tool import Tool
from ....spec.deprecation import shown_description, shown_summary
from ....spec.keys import KEYS
from ....spec.tool_spec import ToolSpec
from ..structs.module import Roots

_DEFAULTS: Final = {field.name: field.default for field in fields(Tool)}
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
    private prefix, because msgspec looks there for the names in quoted annotations.
    """

    def __init__(self, sources: Mapping[str, str | ast.Module]) -> None:
        self._sources = sources
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
            raise
        except Exception as problem:  # a generated module
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


def check_binding(
    module: ModuleType, constant: str, tool: ToolSpec, roots: Roots, provider_files: Mapping[str, object]
) -> None:
    """Raise UnsoundError unless the binding has the tool's exact texts and types, and its decoders can be
    built. `provider_files` are the attributes of `ProviderFiles`.
    """
    binding = getattr(module, constant)
    up = "../" * (module.__name__.count(".") - 1)
    annotations = {name: v for name in _ANNOTATIONS if (v := getattr(tool.annotations, name)) is not None}
    for name, expected in (
        ("name", tool.name),
        ("group", tool.group),
        ("permission", tool.permission),
        ("secrets", tuple(tool.secrets)),
        ("summary", shown_summary(tool)),
        ("description", shown_description(tool)),
        ("annotations", annotations),
        ("runtime_enums", dict(tool.runtime_enums)),
        ("empty_is_absent", tool.empty_is_absent),
        ("described_by", tool.described_by),
        ("inject", dict(tool.inject)),
        ("http", tool.http),
        ("deprecated", None if tool.deprecated is None else tool.deprecated.as_written()),
        ("source", None if tool.source is None else tool.source.as_written()),
        ("input", None if tool.input is None else tool.input.as_written()),
        *_bound(tool),
        ("strict", tool.overrides("strict")),
        ("contract", up + contract_path(tool.name)),
        ("schemas", up + SCHEMAS),
        ("exact", roots.exact),
        ("params", _type(module, roots.params)),
        ("result", _type(module, roots.result)),
        ("wire", _type(module, roots.wire or "None")),
        *provider_files.items(),
    ):
        if getattr(binding, name) != expected:
            raise UnsoundError(f"the {name} of its binding is not the spec's")
    for type_ in (binding.params, binding.wire, binding.result):
        if type_ is not None:
            try:
                msgspec.json.Decoder(type_, dec_hook=decode_hook)
            except Exception as problem:  # msgspec's, of any kind
                kind = type(problem).__name__
                raise UnsoundError(f"its decoder cannot be built: {kind}: {problem}") from problem


def _bound(tool: ToolSpec) -> Iterator[tuple[str, object]]:
    """The keys of a spec that are fields of the binding, stated or by default."""
    for key in KEYS.values():
        if key.bound:
            value = key.value_in(tool)
            yield key.name, _DEFAULTS[key.name] if value is None else value


def _type(module: ModuleType, name: str) -> object:
    return None if name == "None" else getattr(module, name)


_ANNOTATIONS = ("title", "destructive", "idempotent", "open_world")
