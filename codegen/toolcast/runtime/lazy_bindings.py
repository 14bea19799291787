"""The bindings of a generated package, each imported at first use."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ..output_layout import REQUESTS, SCHEMAS
from .binding import ToolBinding
from .definitions import providers_without_strict
from .errors import MissingDataError, UnknownProviderError
from .handlers import Handler
from .request_rules import RequestRules
from .resources import read_definition, read_request_rules

if TYPE_CHECKING:
    from .binding import Level


Register: TypeAlias = Callable[[Mapping[str, ToolBinding[Any, Any]], str, Handler | None], bool]


class _Files(msgspec.Struct, frozen=True):
    """Where a tool's files lie, counted from the package."""

    module: str
    name: str
    schemas: str = SCHEMAS


class LazyBindings(Mapping[str, ToolBinding[Any, Any]]):
    """Tool name → binding. `table` locates each, as entry points do: `{"edit": ".files.edit:EDIT"}`, the
    module relative to `package`. `external` names those that have no handler, `keywords` the Python name of
    each that is not its own: `{"get-user": "get_user"}`. Iterates in the table's order without importing
    anything."""

    __slots__ = ("_keywords", "_package", "_table", "external")

    def __init__(
        self,
        package: str,
        table: Mapping[str, str],
        external: Collection[str] = (),
        keywords: Mapping[str, str] = {},
    ) -> None:
        self._package = package
        self._table = dict(table)
        self._keywords = {name: keywords.get(name, name) for name in table}
        self.external = frozenset(external)

    def __getitem__(self, name: str) -> ToolBinding[Any, Any]:
        module, _, constant = self._table[name].partition(":")
        from importlib import import_module

        binding: ToolBinding[Any, Any] = getattr(import_module(module, self._package), constant)
        return binding

    def module(self, name: str) -> str:
        """The name of the module that holds a tool's binding, which is not imported. Raises KeyError."""
        return self._package + self._table[name].partition(":")[0]

    def register_all(self, register: Register, handlers: Mapping[str, Any]) -> None:
        """Register every tool, external ones too; a handler that is None leaves its tool out.

        Args:
            register: `register_later` of the registry.
            handlers: by the tools' Python names.

        Raises:
            TypeError: a tool has no handler, or a handler no tool.
        """
        missing = [
            keyword
            for name, keyword in self._keywords.items()
            if name not in self.external and keyword not in handlers
        ]
        if missing:
            raise TypeError(f"register_all has neither a handler nor None for {', '.join(missing)}")
        self._register(register, handlers, self.external)

    def register_some(self, register: Register, handlers: Mapping[str, Any]) -> None:
        """Register the tools that `handlers` has a handler for, by their Python names.

        Raises:
            TypeError: a handler has no tool.
        """
        self._register(register, handlers, ())

    def _register(self, register: Register, handlers: Mapping[str, Any], external: Collection[str]) -> None:
        known = self._keywords.values()
        if unknown := sorted(handlers.keys() - known):
            raise TypeError(f"no tool is called {', '.join(unknown)}; the tools are {', '.join(known)}")
        for name, keyword in self._keywords.items():
            handler = handlers.get(keyword)
            if handler is not None or name in external:
                register(self, name, handler)

    def definition(self, name: str, provider: str) -> bytes:
        """What the binding's `definition` gives, without its module. Raises UnknownProviderError, and
        MissingDataError where the package itself is not imported from files."""
        return msgspec.json.format(read_definition(_Files(self._package, name), provider), indent=-1)

    def request_rules(self, provider: str) -> RequestRules:
        """What a binding's `request_rules` gives, without its module. Raises MissingDataError."""
        return read_request_rules(self._package, REQUESTS, provider)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"LazyBindings({self._package!r}, {len(self._table)} tools)"


class LazyTool:
    """Name and handler of a tool. `binding` imports the tool's module; the full definition does not."""

    __slots__ = ("_bindings", "_made", "handler", "name")

    def __init__(self, bindings: "LazyBindings", name: str, handler: Handler) -> None:
        self._bindings = bindings
        self._made: ToolBinding[Any, Any] | None = None
        self.name = name
        self.handler = handler

    @property
    def binding(self) -> "ToolBinding[Any, Any]":
        """The tool's binding. Raises what importing its module raises, and ImportError where its grammar
        cannot be checked."""
        made = self._made
        if made is None:
            made = self._bindings[self.name]
            made._require_engine()
            self._made = made
        return made

    @property
    def module(self) -> str:
        """Where the binding comes from."""
        return self._bindings.module(self.name)

    def request_rules(self, provider: str) -> RequestRules:
        """What `binding.request_rules` gives."""
        return self._bindings.request_rules(provider)

    def definition(self, provider: str, level: "Level", *, strict: bool | None = None) -> bytes:
        """What `binding.definition` gives."""
        if (
            self._made is None
            and level == "full"
            and (strict or (strict is None and not providers_without_strict()))
        ):
            try:
                return self._bindings.definition(self.name, provider)
            except (MissingDataError, UnknownProviderError):
                pass  # the binding raises the same with its module
        return self.binding.definition(provider, level, strict=strict)
