"""A registry's tools as a client sees them, by protocol revision; results of their calls; news of changes."""

import asyncio
import logging
from bisect import bisect_right
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Literal
from weakref import ref

import msgspec
from msgspec import Struct

from ...agents.dispatch.call import Call
from ...agents.dispatch.render_results import render
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.pointers import unescape
from ...jsonschema.validator import Validator
from ...jsonschema.validator_errors import UnsupportedSchema
from ...runtime.binding import AnyBinding
from ...runtime.errors import UnknownProviderError
from ...runtime.handlers import fault_of_result
from ...runtime.mcp_headers import annotated, without_headers
from ...runtime.result import ToolResult, structured
from ...runtime.view import ToolView
from ..live.server_tool import result_validator
from ..sdk import load

_MODERN = "2026-07-28"
"""The first revision in which results and their schemas may be of any type, and requests stand alone."""
_LOG = logging.getLogger("toolcast.mcp")


def is_modern(version: str) -> bool:
    """Return whether `version` is that revision or a later one; revisions are dates."""
    return version >= _MODERN


def _dialect_of(version: str) -> str:
    """Return the profile, and the format of results, of a protocol revision."""
    if is_modern(version):
        return "mcp"
    return "mcp-2025-11-25" if version >= "2025-11-25" else "mcp-2025-06-18"


class ListedTool(Struct, frozen=True):
    """One tool as a client sees it. `provider` is the dialect of its arguments; `output` holds its results to
    `outputSchema`.
    """

    binding: AnyBinding
    definition: bytes
    provider: str
    output: Validator | None


class Listed:
    """The tools of a registry by revision, rebuilt when the registry changes.

    Raises UnknownProviderError where nothing was generated for `provider`, ValueError for a page without
    room.
    """

    def __init__(self, registry: ToolView, provider: str, page_size: int | None) -> None:
        if page_size is not None and page_size < 1:
            raise ValueError(f"page_size must be at least 1, not {page_size}.")
        registry.definitions(provider)
        self._registry = registry
        self._provider = provider
        self._page_size = page_size
        self._snapshot = registry.snapshot()
        self._made: dict[str, dict[str, ListedTool]] = {}

    def changed(self) -> bool:
        """Return whether the tools changed since the last check."""
        now, before = self._registry.snapshot(), self._snapshot
        if now is before:
            return False
        self._snapshot, self._made = now, {}
        return now.entries != before.entries

    def tools(self, version: str) -> dict[str, ListedTool]:
        """Return every tool by name, as that revision may see it, in the registry's order. External tools are
        left out: a client gets the result of a call at once.
        """
        snapshot = self._registry.snapshot()
        dialect = _dialect_of(version)
        made = self._made.get(dialect)
        if made is None or snapshot is not self._snapshot:
            made = {}
            for name, entry in snapshot.entries.items():
                if entry.binding.external:
                    _LOG.warning(
                        "Tool %r is not offered to MCP clients: it is external, and no client waits.",
                        name,
                    )
                    continue
                try:
                    made[name] = self._tool(entry.binding, dialect)
                except UnknownProviderError as problem:  # it came later; the others are offered all the same
                    _LOG.warning("Tool %r is not offered to MCP clients: %s", name, problem)
            if snapshot is self._snapshot:
                self._made[dialect] = made
        return made

    def page(self, version: str, cursor: str | None) -> tuple[list[bytes], str | None]:
        """Return definitions from `cursor` on, and the next cursor. A cursor is the name before a page, so
        that a page holds what it should also after tools were added.
        """
        tools = self.tools(version)
        names, following = page_of(sorted(tools), cursor, self._page_size)
        return [tools[name].definition for name in names], following

    def _tool(self, binding: AnyBinding, dialect: str) -> ListedTool:
        provider = self._provider
        definition = binding.definition(provider)
        if dialect not in ("mcp", provider):
            try:
                definition = binding.definition(dialect)
                provider = dialect
            except UnknownProviderError:
                # An older revision lacks schemas of results that are no objects, and the oldest one icons.
                definition = _older(definition, dialect)
        definition = _without_tasks(definition)
        schema = msgspec.json.decode(definition).get("outputSchema")
        validator: Validator | None = None
        if schema is not None:
            with suppress(UnsupportedSchema):  # then only the client validates
                # Formats are annotations (2020-12), and a naive time of Python's is of none.
                validator = result_validator(schema, formats=False)
        return ListedTool(binding, definition, provider, validator)


def _without_tasks(definition: bytes) -> bytes:
    """A definition without `execution`, which is of 2025-11-25: its tasks are not served."""
    tool: JsonObject = msgspec.json.decode(definition)
    if "execution" not in tool:
        return definition
    del tool["execution"]
    return msgspec.json.encode(tool)


def page_of(names: Sequence[str], cursor: str | None, size: int | None) -> tuple[Sequence[str], str | None]:
    """Return the names, which are sorted, of the page that begins after `cursor`, and the next cursor."""
    start = 0 if cursor is None else bisect_right(names, cursor)
    end = len(names) if size is None else min(len(names), start + size)
    return names[start:end], names[end - 1] if 0 < end < len(names) else None


def _older(definition: bytes, dialect: str) -> bytes:
    """A definition of the newest revision as an older one has it, without names of headers, and before
    2025-11-25 without icons.

    Older output schemas say `type: object` at the root. One that refers to such a schema says so beside the
    reference; any other is left out.
    """
    tool: JsonObject = msgspec.json.decode(definition)
    older = {key: value for key, value in tool.items() if key != "icons" or dialect != "mcp-2025-06-18"}
    headers = [path for path, _ in annotated(tool["inputSchema"])]
    if headers:
        older["inputSchema"] = without_headers(tool["inputSchema"], headers)
    schema = tool.get("outputSchema")
    if isinstance(schema, Mapping) and _refers_to_object(schema):
        older["outputSchema"] = {"type": "object", **schema}
    elif schema is not None and not (isinstance(schema, Mapping) and schema.get("type") == "object"):
        del older["outputSchema"]
    return definition if older == tool else msgspec.json.encode(older)


def _refers_to_object(schema: JsonMapping) -> bool:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return False
    definitions = schema.get("$defs")
    name = unescape(reference.removeprefix("#/$defs/"))
    target = definitions.get(name) if isinstance(definitions, Mapping) else None
    return isinstance(target, Mapping) and target.get("type") == "object"


def answer(name: str, tool: ListedTool, result: ToolResult, version: str) -> JsonObject:
    """Return a `CallToolResult` as plain data. A failure is `isError`, never a protocol error.

    A tool with an output schema must answer with what fits it (server/tools, "Output Schema"); a client would
    throw away anything else. So such a result becomes a failure, with its text.
    """
    binding = tool.binding
    if result.own_text:
        # Structured content and its checks are those of the whole result; a failure holds it, too.
        whole = binding.encode_result(result.data, tool.provider).decode()
        made = answer(name, tool, msgspec.structs.replace(result, output=whole, own_text=False), version)
        if not made["isError"]:
            made["content"][:1] = [{"type": "text", "text": result.output}] if result.output else []
        return made
    if tool.output is None and binding.result is not None and structured(result) is not msgspec.UNSET:
        # This client sees no schema of results, whatever the definition of the newest revision has.
        result = msgspec.structs.replace(result, output=binding.encode_result(result.data).decode())
    (made,) = render([Call(id="", name=name, arguments={}, index=0)], [result], _dialect_of(version))
    if not result.success or tool.output is None:
        return made
    if result.data is None and tool.output.accepts(None):
        made = {**made, "structuredContent": None}
    if "structuredContent" not in made:
        return _broken(name, made, "has none of the data that its output schema promises")
    value = made["structuredContent"]
    if binding.defaults is not None and structured(result) is msgspec.UNSET:  # the text is another
        value = msgspec.json.decode(binding.encode_result(result.data, tool.provider))
    value = tool.output.settle(value)
    violations = tool.output.violations(value, limit=3)
    if violations:
        wrong = "; ".join(f"{violation.path}: {violation.message}" for violation in violations)
        return _broken(name, made, f"is not what its output schema says ({wrong})")
    return {**made, "structuredContent": value}


def _broken(name: str, made: JsonObject, how: str) -> JsonObject:
    _LOG.warning("A result of tool %r %s.", name, how)
    text = fault_of_result(name, how)
    rest = {key: value for key, value in made.items() if key != "structuredContent"}
    return {**rest, "content": [{"type": "text", "text": text}, *made["content"]], "isError": True}


_Listener = Callable[[str | None], None]
"""Called, from any thread, with the URI of a resource that changed; with None where a list did."""


class Changes:
    """Listeners to changes: the servers that run."""

    def __init__(self) -> None:
        self._listeners: dict[object, _Listener] = {}

    def listen(self, listener: _Listener) -> Callable[[], None]:
        """Call `listener` from now on; returns the function that ends it."""
        token = object()
        self._listeners[token] = listener

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def tell(self, uri: str | None = None) -> None:
        for listener in [*self._listeners.values()]:
            listener(uri)


_PERIOD = 1.0
"""Seconds between two checks of the registry; a check compares two references."""
_SESSIONS = 1024
"""Sessions of older revisions that are remembered; past it, the oldest is not notified."""
_PATIENCE = 5.0
"""Seconds that notifying one client may take."""
SUBSCRIPTIONS = "toolcast.subscriptions"
"""Key of a connection's state: the URIs to which a client of an older revision subscribed."""

Kind = Literal["resources", "prompts"]
_Notify = Callable[[Any], Awaitable[None]]


class Announcer:
    """Notifies clients: newer ones that subscribed, and older ones that listed anything."""

    def __init__(self, listed: Listed, changes: dict[Kind, Changes]) -> None:
        subscriptions = load("mcp.server.subscriptions")
        self._listed = listed
        self._changes = changes
        self._bus = subscriptions.InMemorySubscriptionBus()
        self._events = load("mcp.shared.subscriptions")
        # By their connections, which belong to the server: a session that ended is not kept alive here.
        self._older: dict[str, ref[Any]] = {}
        self.listen = subscriptions.ListenHandler(self._bus)
        """Serves `subscriptions/listen`."""

    def remember(self, context: Any) -> None:
        """Remember the session of a client that listed anything."""
        if is_modern(context.protocol_version):
            return
        # A session object is one request's; the SDK has no other way to its connection.
        connection = context.session._connection
        headers = getattr(context.request, "headers", None) or {}
        key = headers.get("mcp-session-id", f"connection {id(connection)}")
        self._older.pop(key, None)
        self._older[key] = ref(connection)
        while len(self._older) > _SESSIONS:
            del self._older[next(iter(self._older))]

    async def announce(self) -> None:
        """Notify every client, if the tools changed since the last check."""
        if self._listed.changed():
            await self._tell(self._events.ToolsListChanged(), lambda each: each.send_tool_list_changed())

    async def _announce_change(self, kind: Kind, uri: str | None) -> None:
        events = self._events
        if uri is not None:
            await self._tell(events.ResourceUpdated(uri=uri), lambda each: _updated(each, uri))
        elif kind == "resources":
            await self._tell(events.ResourcesListChanged(), lambda each: each.send_resource_list_changed())
        else:
            await self._tell(events.PromptsListChanged(), lambda each: each.send_prompt_list_changed())

    async def _tell(self, event: Any, notify: _Notify) -> None:
        await self._bus.publish(event)
        await asyncio.gather(*[self._notify(key, kept(), notify) for key, kept in self._older.items()])

    async def _notify(self, key: str, connection: object, notify: _Notify) -> None:
        if connection is None:
            self._older.pop(key, None)
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                await notify(connection)
        except Exception:  # whatever a connection that is gone raises
            self._older.pop(key, None)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Check the registry periodically, and hear of other changes, while the server runs."""
        async with AsyncExitStack() as stack:
            waiting = _WaitingChanges()
            for kind, changes in self._changes.items():
                stack.callback(changes.listen(waiting.listener(kind)))
            for work in (self._watch(), self._hear(waiting)):
                stack.push_async_callback(_end, asyncio.create_task(work))
            yield

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            await self.announce()

    async def _hear(self, waiting: "_WaitingChanges") -> None:
        while True:
            await self._announce_change(*await waiting.next())


class _WaitingChanges:
    """Changes that clients are to be told of, each once, in order; from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[tuple[Kind, str | None], None] = {}
        self._changed = asyncio.Event()

    def listener(self, kind: Kind) -> Callable[[str | None], None]:
        def hear(uri: str | None) -> None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._take, kind, uri)

        return hear

    def _take(self, kind: Kind, uri: str | None) -> None:
        self._waiting[kind, uri] = None
        self._changed.set()

    async def next(self) -> tuple[Kind, str | None]:
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        change = next(iter(self._waiting))
        del self._waiting[change]
        return change


async def _updated(connection: Any, uri: str) -> None:
    if uri in connection.state.get(SUBSCRIPTIONS, ()):
        await connection.send_resource_updated(uri)


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
