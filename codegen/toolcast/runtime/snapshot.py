"""The tools of a registry at one moment, and what of them is ready to be called."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .binding import ToolBinding
from .call_steps import ReadyTool
from .context import ToolContext
from .errors import UnknownToolError
from .executor import Executor
from .failure_results import report_fault
from .handlers import Handler, Precheck, is_async
from .lazy_bindings import LazyTool
from .request_rules import Cache
from .result import ToolResult


class Entry(NamedTuple):
    """A registered tool."""

    binding: ToolBinding[Any, Any]
    handler: Handler


class Snapshot:
    """All tools between two registrations, sorted by name, their prechecks, and what was made of them."""

    __slots__ = ("definitions", "entries", "prechecks", "ready")

    def __init__(self, entries: "dict[str, Entry | LazyTool]", prechecks: Mapping[str, Precheck]) -> None:
        self.entries = {name: entries[name] for name in sorted(entries)}
        self.prechecks = prechecks
        self.ready: dict[str, ReadyTool] = {}
        self.definitions: dict[tuple[str, str, bool, Cache | None], bytes] = {}

    def resolve(self, name: object) -> str | None:
        """The tool that a model means by a name; None for none, or for several."""
        if not isinstance(name, str):
            return None
        if name in self.entries:
            return name
        from .tool_names import named_tools

        found = named_tools(name, self.entries)
        return found[0] if len(found) == 1 else None

    def make_ready(self, name: object, shown: str = "") -> ReadyTool | None:
        """What a call of a tool needs, kept under the tool's own name; None for an unknown one. `shown` is
        `name` without values of secrets. Raises what importing it raises."""
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


def find_entry(snapshot: Snapshot, name: Any) -> Entry:
    """A registered tool. Raises UnknownToolError."""
    entry = snapshot.entries.get(name) if isinstance(name, str) else None
    if entry is None:
        raise UnknownToolError(unknown_tool(name, tuple(snapshot.entries)))
    return Entry(entry.binding, entry.handler) if isinstance(entry, LazyTool) else entry


def make_ready_or_fail(
    executor: Executor, snapshot: Snapshot, name: Any, shown: Any, context: ToolContext | None
) -> ReadyTool | ToolResult:
    """What the first call of a tool needs; a failure where there is no such tool, or it cannot be loaded."""
    try:
        ready = snapshot.make_ready(name, shown)
    except Exception as problem:  # whatever a module raises when it is imported
        call_id = "" if context is None else context.call_id
        known = snapshot.resolve(name) or ""
        return report_fault(executor.guard, known, call_id, "loading its module", problem)[0]
    return ToolResult.failed(unknown_tool(shown, tuple(snapshot.entries))) if ready is None else ready


def unknown_tool(name: Any, names: tuple[str, ...]) -> str:
    """What a model reads of a name that no tool has, with the nearest names."""
    from .tool_names import named_tools, near_names

    # A model may send anything for a name; only a short one is worth comparing.
    searched = name[:64] if isinstance(name, str) else type(name).__name__
    near = named_tools(searched, names) or near_names(searched, names)
    if near:
        return f"There is no tool {searched!r}. Did you mean {', '.join(near)}?"
    listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"There is no tool {searched!r}. " + (f"Tools: {listed}." if names else "No tool is registered.")
