"""The tools of a registry at one moment: bindings, imported at first use, and what is ready to be called."""

from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from ..jsonschema.json_values import JsonMapping
from ..output_layout import REQUESTS, SCHEMAS
from .binding import AnyBinding
from .call_steps import ReadyTool
from .context import ToolContext
from .definitions import providers_without_strict
from .errors import MissingDataError, UnknownProviderError, UnknownToolError
from .executor import Executor
from .handlers import Handler, Precheck, is_async
from .request_rules import Cache, RequestRules
from .resources import read_definition, read_request_rules
from .result import ToolResult

if TYPE_CHECKING:
    from .binding import Level


_Register: TypeAlias = Callable[[Mapping[str, AnyBinding], str, Handler | None], bool]


class _Files(msgspec.Struct, frozen=True):
    """The place of a tool's files, counted from the package."""

    module: str
    name: str
    schemas: str = SCHEMAS


def require_engine(binding: AnyBinding) -> None:
    """Raise ImportError if the tool has a grammar, and llguidance is not installed."""
    if binding.input is not None and not isinstance(binding.input, str):
        from . import grammars

        grammars.require_engine(binding.name)


class LazyBindings(Mapping[str, AnyBinding]):
    """Bindings by tool name, in the table's order, each imported at first use. `table` locates each as entry
    points do: `{"edit": ".files.edit:EDIT"}`, relative to `package`. `external` names those without a
    handler, `keywords` the Python name of each that is not its own: `{"get-user": "get_user"}`."""

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

    def __getitem__(self, name: str) -> AnyBinding:
        module, _, constant = self._table[name].partition(":")
        binding: AnyBinding = getattr(import_module(module, self._package), constant)
        return binding

    def module(self, name: str) -> str:
        """Return the name of the module that holds a binding, without importing it. Raises KeyError."""
        return self._package + self._table[name].partition(":")[0]

    def register_all(self, register: _Register, handlers: JsonMapping) -> None:
        """Register every tool by `register_later` of a registry, external ones too; a handler that is None
        leaves its tool out. `handlers` are by the Python names of tools. Raises TypeError for a tool
        without a handler, or a handler without a tool.
        """
        missing = [
            keyword
            for name, keyword in self._keywords.items()
            if name not in self.external and keyword not in handlers
        ]
        if missing:
            raise TypeError(f"register_all has neither a handler nor None for {', '.join(missing)}")
        known = self._keywords.values()
        if unknown := sorted(handlers.keys() - known):
            raise TypeError(f"no tool is called {', '.join(unknown)}; the tools are {', '.join(known)}")
        for name, keyword in self._keywords.items():
            handler = handlers.get(keyword)
            if handler is not None or name in self.external:
                register(self, name, handler)

    def definition(self, name: str, provider: str) -> bytes:
        """Return the binding's `definition` without importing its module. Raises UnknownProviderError, and
        MissingDataError if the package itself is not imported from files."""
        return msgspec.json.format(read_definition(_Files(self._package, name), provider), indent=-1)

    def request_rules(self, provider: str) -> RequestRules:
        """Return a binding's `request_rules` without importing its module. Raises MissingDataError."""
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
        self._made: AnyBinding | None = None
        self.name = name
        self.handler = handler

    @property
    def binding(self) -> "AnyBinding":
        """The tool's binding. Raises what importing its module raises, and ImportError if its grammar cannot
        be checked."""
        made = self._made
        if made is None:
            made = self._bindings[self.name]
            require_engine(made)
            self._made = made
        return made

    @property
    def module(self) -> str:
        return self._bindings.module(self.name)

    def request_rules(self, provider: str) -> RequestRules:
        """Return `binding.request_rules`."""
        return self._bindings.request_rules(provider)

    def definition(self, provider: str, level: "Level", *, strict: bool | None = None) -> bytes:
        """Return `binding.definition`."""
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


class Entry(NamedTuple):
    """A registered tool."""

    binding: AnyBinding
    handler: Handler


class Snapshot:
    """All tools between two registrations, sorted by name, with prechecks and what was made of them."""

    __slots__ = ("__weakref__", "definitions", "entries", "prechecks", "ready")

    def __init__(self, entries: "dict[str, Entry | LazyTool]", prechecks: Mapping[str, Precheck]) -> None:
        self.entries = {name: entries[name] for name in sorted(entries)}
        self.prechecks = prechecks
        self.ready: dict[str, ReadyTool] = {}
        self.definitions: dict[tuple[str, str, bool, Cache | None], bytes] = {}

    def resolve(self, name: object) -> str | None:
        """Return the tool that a model means by a name; None for none, or for several."""
        if not isinstance(name, str):
            return None
        if name in self.entries:
            return name
        from .tool_names import named_tools

        found = named_tools(name, self.entries)
        return found[0] if len(found) == 1 else None

    def make_ready(self, name: object, shown: str = "") -> ReadyTool | None:
        """Return what a call of a tool needs, kept under the tool's own name; None for an unknown one.
        `shown` is `name` without values of secrets. Raises what importing it raises."""
        known = self.resolve(name)
        if known is None:
            return None
        ready = self.ready.get(known)
        if ready is None:
            entry = self.entries[known]
            ready = self.ready[known] = ReadyTool(
                entry.binding, entry.handler, is_async(entry.handler), self.prechecks.get(known)
            )
        return ready if known == name else ready._replace(written=shown)


def find_entry(snapshot: Snapshot, name: object) -> Entry:
    """Return a registered tool. Raises UnknownToolError."""
    entry = snapshot.entries.get(name) if isinstance(name, str) else None
    if entry is None:
        raise UnknownToolError(unknown_tool(name, tuple(snapshot.entries)))
    return Entry(entry.binding, entry.handler) if isinstance(entry, LazyTool) else entry


def make_ready_or_fail(
    executor: Executor, snapshot: Snapshot, name: Any, shown: Any, context: ToolContext | None
) -> ReadyTool | ToolResult:
    """Return what the first call of a tool needs; a failure if the tool is unknown, or cannot be loaded."""
    try:
        ready = snapshot.make_ready(name, shown)
    except Exception as problem:  # whatever a module raises when it is imported
        call_id = "" if context is None else context.call_id
        known = snapshot.resolve(name) or ""
        return executor.guard.report_fault(known, call_id, "loading its module", problem)[0]
    return ToolResult.failed(unknown_tool(shown, tuple(snapshot.entries))) if ready is None else ready


def unknown_tool(name: object, names: tuple[str, ...]) -> str:
    """Return the text for a model about a name that no tool has, with the nearest names."""
    from .tool_names import named_tools, near_names

    # A model may send anything for a name; only a short one is worth comparing.
    searched = name[:64] if isinstance(name, str) else type(name).__name__
    near = named_tools(searched, names) or near_names(searched, names)
    if near:
        return f"There is no tool {searched!r}. Did you mean {', '.join(near)}?"
    listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"There is no tool {searched!r}. " + (f"Tools: {listed}." if names else "No tool is registered.")
