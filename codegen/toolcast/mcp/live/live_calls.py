"""Listings and calls of a live server, and handlers that forward calls to one.

Whatever the server or the connection does in a call is a result.
"""

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import msgspec

from ...hidden_characters import without_hidden
from ...jsonschema.json_values import JsonObject, type_of
from ...jsonschema.validator import Validator
from ...runtime.binding import AnyBinding
from ...runtime.context import ToolContext
from ...runtime.errors import EncodeError, RefusalError
from ...runtime.functions.framework_values import content_of
from ...runtime.handlers import result_validator
from ...runtime.registry import ToolRegistry
from ...runtime.result import Content, ToolResult
from ..sdk import INTERNAL_ERROR, TASKS, load, protocol_error
from .server_tool import Limits, ListingError, LiveTool, UnfitError, read_name, read_tool

CLOSED = -32000
"""The SDK's code for a connection that is closed, or an answer that broke off."""
_CLOSED = "Connection closed"
_BROKEN = "SSE stream"
"""How the SDK's messages for that begin."""
_LATE = -32001
"""The SDK's code for an answer that did not come in time."""
_WORDS = 500


def client_session(session: object) -> object:
    """Return the SDK's `ClientSession` behind a `Client`, or itself. Raises RefusalError for a client that is
    not connected.
    """
    try:
        return getattr(session, "session", session)
    except RuntimeError:
        raise RefusalError("not connected") from None


class LiveServer(NamedTuple):
    """A server with its session, the limits of results, and the seconds of a call (None for any)."""

    session: Any
    name: str
    limits: Limits
    seconds: float | None


async def call_live(
    live: LiveServer, tool: str, arguments: JsonObject, context: ToolContext, output: Validator | None
) -> ToolResult:
    """Return the tool's answer. Cancelling cancels the request at the server, too."""
    session, server, limits, seconds = live

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        context.progress(done, total, without_hidden(message or "")[:_WORDS])

    options: JsonObject = {} if context.report is None else {"progress_callback": on_progress}
    try:
        below = client_session(session)
        if below is session:  # a bare session hands questions of the server back; a Client answers them
            options["allow_input_required"] = True
        # The SDK judges results, too, and lists all tools for it, by a model that one of them can break.
        getattr(below, "_tool_output_schemas", {})[tool] = None
        async with asyncio.timeout(seconds):
            answer = await session.call_tool(tool, arguments, **options)
    except TimeoutError:
        return ToolResult.failed(_late(server, seconds))
    except RefusalError:
        return ToolResult.failed(closed(server))
    except Exception as problem:  # the SDK's, of any kind
        return _failed(problem, server, seconds)
    if not hasattr(answer, "content"):
        return ToolResult.failed(
            f"MCP server {server!r} asks for input that this program cannot give, so the tool did not run."
        )
    return to_result(server, answer, output, limits)


_QUESTIONS = 100
"""Questions of one task that are answered."""
_CANCEL_SECONDS = 5.0


def task_extension() -> Any:
    """Make the part of a client by which servers may answer calls with tasks (SEP-2663; since 2026-07-28).

    The client asks for a task until it ends, and answers its questions. A call that is cancelled, or whose
    time is over, cancels its task.

    Returns:
        An extension for the SDK's client: `mcp.Client(server, extensions=[task_extension()])`.

    Raises:
        McpMissingError: the SDK is not installed.
    """
    extension = load("mcp.client.extension")
    created = load("pydantic").create_model(
        "CreatedTask",
        __base__=load("mcp.types").Result,
        result_type=(Literal["task"], ...),
        task_id=(str, ...),
        poll_interval_ms=(Any, None),
    )
    claim = extension.ResultClaim(result_type="task", model=created, resolve=_result_of_task)
    made = extension.ClientExtension()
    made.identifier, made.claims = TASKS, lambda: (claim,)
    return made


async def _result_of_task(created: Any, context: Any) -> Any:
    """Return the `CallToolResult` of a task. Raises the SDK's MCPError where there is none."""
    session, about = context.session, {"taskId": created.task_id}
    try:
        async with asyncio.timeout(context.read_timeout_seconds):
            state = await _ended_task(session, about, created.poll_interval_ms)
    except BaseException:  # nobody waits for it any more
        with load("anyio").move_on_after(_CANCEL_SECONDS, shield=True), suppress(Exception):
            await _request(session, "tasks/cancel", about)
        raise
    if state["status"] == "completed":
        return load("mcp.types").CallToolResult.model_validate(state.get("result"), by_name=False)
    found = state.get("error")
    error: JsonObject = found if isinstance(found, dict) else {}
    message = error.get("message", state.get("statusMessage", "it does not say why"))
    code = error.get("code")
    raise protocol_error(
        code if type(code) is int else INTERNAL_ERROR, f"the task was {state['status']}: {message}"
    )


async def _ended_task(session: Any, about: JsonObject, interval: object) -> JsonObject:
    """Ask for a task until it has ended."""
    answered: set[str] = set()
    while True:
        await asyncio.sleep(min(10_000, max(50, interval if type(interval) is int else 1000)) / 1000)
        state = await _request(session, "tasks/get", about)
        interval = state.get("pollIntervalMs")
        match state.get("status"):
            case "completed" | "failed" | "cancelled":
                return state
            case "input_required":
                await _answer_questions(session, about, state.get("inputRequests"), answered)
            case "working":
                pass
            case _:
                raise protocol_error(INTERNAL_ERROR, "the task has no status of the protocol")


async def _answer_questions(session: Any, about: JsonObject, asked: object, answered: set[str]) -> None:
    """Answer each question of a task once, as the client answers those of calls."""
    types, context = load("mcp.types"), load("mcp.client.session").ClientRequestContext
    questions = load("pydantic").TypeAdapter(types.InputRequests).validate_python(asked, by_name=False)
    answers: JsonObject = {}
    for key, question in questions.items():
        if key in answered:
            continue
        answered.add(key)
        if len(answered) > _QUESTIONS:
            raise protocol_error(INTERNAL_ERROR, f"the task asks more than {_QUESTIONS} questions")
        answer = await session.dispatch_input_request(context(session=session, request_id=key), question)
        if isinstance(answer, types.ErrorData):
            raise protocol_error(answer.code, answer.message, answer.data)
        answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    if answers:
        await _request(session, "tasks/update", {**about, "inputResponses": answers})


async def _request(session: Any, method: str, params: JsonObject) -> JsonObject:
    """Return the result of a request, as sent. The SDK's models refuse all tools for a defect of one, and
    have no tasks.
    """
    request = {"method": method, "params": {**params}}
    options: JsonObject = {}
    session._stamp(request, options)
    if "taskId" in params:
        name = load("mcp.shared.inbound").encode_header_value(params["taskId"])
        options["headers"]["mcp-name"] = name
    result: JsonObject = await session._dispatcher.send_raw_request(method, request["params"], options)
    return result


def is_closed(problem: BaseException) -> bool:
    """Return whether an exception of the SDK means that there is no connection. Servers use its code for
    faults of their own, and the SDK for an answer that broke off.
    """
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        return getattr(problem, "code", 0) == CLOSED and str(problem) == _CLOSED
    return isinstance(problem, (load("anyio").ClosedResourceError, load("anyio").BrokenResourceError))


def closed(server: str) -> str:
    return (
        f"MCP server {server!r} is not connected any more; whether the call took effect is not known. Its "
        "tools cannot be called until the program connects again: go on without them, or tell the user."
    )


def _late(server: str, seconds: float | None) -> str:
    within = "in time" if seconds is None else f"within {seconds:g} s"
    return (
        f"MCP server {server!r} did not answer {within}. The call was cancelled and may have taken effect in "
        "part: look before you call it again, and ask for less at once."
    )


def _failed(problem: Exception, server: str, seconds: float | None) -> ToolResult:
    """The result for an exception of the SDK. Raises it again where it is a bug of this program."""
    if is_closed(problem):
        return ToolResult.failed(closed(server))
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        code: int = getattr(problem, "code", 0)
        if code == _LATE:
            return ToolResult.failed(_late(server, seconds))
        words = without_hidden(str(problem))[:_WORDS]
        if code == CLOSED and words.startswith(_BROKEN):
            return ToolResult.failed(
                f"The answer of MCP server {server!r} broke off: {words}. The call may have taken effect: "
                "look before you call it again, and ask for less at once."
            )
        return ToolResult.failed(f"MCP server {server!r} refused the call: {words} (error {code}).")
    if isinstance(problem, load("pydantic").ValidationError):
        return ToolResult.failed(
            f"MCP server {server!r} answered with something that is no result of a tool."
        )
    raise problem


class _OversizedError(Exception):
    pass


def to_result(server: str, answer: Any, output: Validator | None, limits: Limits) -> ToolResult:
    """Return a `CallToolResult` of the SDK as ours, with structured content that `output` accepts.

    Texts before anything else are the output; what follows keeps its order in `content`.
    """
    has_data = "structured_content" in answer.model_fields_set
    data = answer.structured_content if has_data else None
    try:
        budget = limits.result_size - (0 if data is None else len(msgspec.json.encode(data)))
        text, content = _content(answer.content, budget)
    except _OversizedError:
        return ToolResult.failed(
            f"MCP server {server!r} answered with more than {limits.result_size} bytes, which are not taken. "
            "Ask for less at once."
        )
    if answer.is_error:
        return ToolResult(
            success=False,
            error=text or f"The tool of MCP server {server!r} failed, and does not say why.",
            content=content,
        )
    if output is not None:
        problem = "it has none of the data that was promised"
        if has_data:
            data = output.settle(data)
            problem = "; ".join(f"{each.path}: {each.message}" for each in output.violations(data, limit=3))
        if problem:
            return ToolResult.failed(
                f"The tool ran, but the answer of MCP server {server!r} is not what its output schema says: "
                f"{problem}. This is a fault of the server; do not repeat the call unchanged more than once."
            )
    if data is not None and not text and not content:
        text = msgspec.json.encode(data).decode()
    return ToolResult.ok(text, data, content)


def _content(blocks: list[Any], budget: int) -> tuple[str, tuple[Content, ...]]:
    texts: list[str] = []
    pieces: list[Content] = []
    if budget < 0:
        raise _OversizedError
    for block in blocks:
        if block.type == "text" and not pieces:
            texts.append(block.text)
            budget -= _size(block.text)
        else:
            piece = content_of(block)
            pieces.append(piece)
            budget -= len(piece.data) + _size(piece.text) + _size(piece.uri)
        budget -= 1
        if budget < 0:
            raise _OversizedError
    return "\n".join(texts), tuple(pieces)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


_CURSOR = 4096
"""Longest cursor, in characters, that is sent back."""
_UNREADABLE = "Failed to parse "
"""The SDK's words for an answer over HTTP that it cannot read."""
_SYNTAX = re.compile(r"Invalid JSON: (.{1,100}? at line \d+ column \d+)")


async def list_live(
    session: object, server: str, limits: Limits
) -> tuple[dict[str, LiveTool], dict[str, str]]:
    """List the tools by the server's own names, in its order; and reasons why others are not taken, by name,
    or by place (`tools[3]`) where the name is the defect. `session` is the SDK's `ClientSession`.

    A name that comes twice is not taken: nothing tells which of the two a call would reach. Raises only
    ListingError.
    """
    try:
        async with asyncio.timeout(limits.seconds):
            return await _list(session, server, limits)
    except TimeoutError:
        raise ListingError(
            f"MCP server {server!r} did not list its tools within {limits.seconds:g} s."
        ) from None
    except ListingError:
        raise
    except Exception as problem:  # the SDK's errors, a closed stream
        if is_closed(problem):
            raise ListingError(f"MCP server {server!r} is not connected any more.") from None
        raise ListingError(f"MCP server {server!r} could not list its tools: {_words(problem)}.") from problem


def _words(problem: Exception) -> str:
    if not isinstance(problem, load("mcp.shared.exceptions").MCPError):
        return type(problem).__name__
    words = " ".join(without_hidden(str(problem)).split())
    if words.startswith(_UNREADABLE):  # then comes what pydantic says of each kind of message
        found = _SYNTAX.search(words)
        return "its answer is no message of MCP" + (f", {found[1]}" if found else "")
    return words[:200].rstrip(".")


def _announce(session: Any, tool: LiveTool) -> None:
    """Let the SDK know a tool, as its `list_tools` would: the schema tells which arguments calls repeat as
    headers. Raises UnfitError for a tool that the protocol tells clients to drop.
    """
    types = load("mcp.types")
    listed = types.ListToolsResult(tools=[types.Tool(name=tool.name, input_schema=tool.input_schema)])
    try:
        kept = session._absorb_tool_listing(listed, complete=False).tools
    except Exception as problem:  # the SDK's, of any kind
        raise UnfitError(f"its inputSchema cannot be read: {type(problem).__name__}") from problem
    if not kept:
        raise UnfitError("its `x-mcp-header` annotations are not valid")


async def _list(session: object, server: str, limits: Limits) -> tuple[dict[str, LiveTool], dict[str, str]]:
    tools: dict[str, LiveTool] = {}
    unfit: dict[str, str] = {}
    cursor: str | None = None
    cursors: set[str] = set()
    count = size = 0
    for _ in range(limits.pages):
        page = await _request(session, "tools/list", {} if cursor is None else {"cursor": cursor})
        listed = page.get("tools")
        if not isinstance(listed, list):
            found = type_of(listed) if "tools" in page else "nothing"
            raise ListingError(f"MCP server {server!r} sent {found} where a list of tools belongs.")
        if count + len(listed) > limits.tools:
            raise _excess(server, f"more than {limits.tools} tools")
        for place, raw in enumerate(listed, count):
            name = f"tools[{place}]"
            try:
                name = read_name(raw)
                if name in tools or name in unfit:  # also where one of them cannot be used
                    tools.pop(name, None)
                    raise UnfitError("the server lists two tools of that name")
                tool, length = read_tool(server, raw, limits)
                _announce(session, tool)
            except UnfitError as problem:
                unfit[name] = str(problem)
                continue
            size += length
            if size > limits.list_size:
                raise _excess(server, f"more than {limits.list_size} bytes of tools")
            tools[name] = tool
        count += len(listed)
        cursor = page.get("nextCursor")
        if cursor is None or cursor == "":
            return tools, unfit
        if not isinstance(cursor, str):
            raise ListingError(f"MCP server {server!r} sent a cursor that is no text: {type_of(cursor)}.")
        if cursor in cursors or len(cursor) > _CURSOR:
            raise ListingError(
                f"MCP server {server!r} lists in a circle: it sent a cursor twice, or too long."
            )
        cursors.add(cursor)
    raise _excess(server, f"more than {limits.pages} pages")


def _excess(server: str, what: str) -> ListingError:
    return ListingError(f"MCP server {server!r} lists {what}, which toolcast.mcp.Limits does not allow.")


_TIMEOUT = 60.0


class McpHandler:
    """Forwards the calls of one tool to the MCP server that its spec was imported from, by the server's name
    of the tool. It fits the handler Protocol of every binding with a `source` of the kind mcp.

    Whatever the server or the connection does is a result.
    """

    def __init__(
        self,
        binding: AnyBinding,
        session: Any,
        *,
        timeout: float | None = _TIMEOUT,
        limits: Limits | None = None,
    ) -> None:
        """Make a handler.

        Args:
            binding: the generated binding of an imported spec.
            session: the SDK's connected `Client` or `ClientSession`.
            timeout: seconds for one call; None for no limit.
            limits: limits for what the server sends.

        Raises:
            ValueError: the binding was not imported from an MCP server, or `timeout` is not positive.
        """
        source = binding.source
        if source is None or source["kind"] != "mcp":
            raise ValueError(f"Tool {binding.name!r} was not imported from an MCP server.")
        if timeout is not None and timeout <= 0:
            raise ValueError("timeout must be positive, or None.")
        self._binding = binding
        self._tool = source["name"]
        self._live = LiveServer(session, source["from"], limits or Limits(), timeout)

    @property
    def tool(self) -> str:
        """Return the server's name of the tool."""
        return self._tool

    async def __call__(self, params: object, context: ToolContext, /) -> ToolResult:
        """Forward one call.

        Args:
            params: typed parameters.
            context: circumstances of the call.

        Returns:
            The server's answer, or the reason why there is none.
        """
        try:
            arguments = msgspec.json.decode(self._binding.encode(params))
        except EncodeError as problem:
            return ToolResult.failed(str(problem))
        binding = self._binding
        output = None if binding.result is None else result_validator(binding)
        return await call_live(self._live, self._tool, arguments, context, output)


def register_mcp(
    registry: ToolRegistry,
    bindings: Mapping[str, AnyBinding],
    session: Any,
    *,
    source: str | None = None,
    timeout: float | None = _TIMEOUT,
    limits: Limits | None = None,
) -> tuple[str, ...]:
    """Register a handler for every binding that was imported from one MCP server.

    Args:
        registry: gets the tools.
        bindings: BINDINGS of a generated package; those from elsewhere, and external ones, are left to the
            program.
        session: as for `McpHandler`.
        source: which server, as `from` in the specs says; None where all come from one.
        timeout: as for `McpHandler`.
        limits: as for `McpHandler`.

    Returns:
        The names of the tools that were registered.

    Raises:
        ValueError: no spec comes from that server, or they come from several and `source` is None. Then no
            tool is registered.
        DuplicateToolError: a name is taken, and the registry was made with `on_duplicate="raise"`.
        FrozenRegistryError: after `freeze()` or `aclose()`.
    """
    imported = [
        (binding.source["from"], binding)
        for binding in bindings.values()
        if binding.source is not None and binding.source["kind"] == "mcp" and not binding.external
    ]
    servers = sorted({server for server, _ in imported})
    listed = ", ".join(repr(server) for server in servers[:5]) or "none"
    if source is None and len(servers) > 1:
        raise ValueError(f"The specs come from {len(servers)} servers: give source=, one of {listed}.")
    found = [binding for server, binding in imported if source is None or server == source]
    if not found:
        wanted = "an MCP server" if source is None else f"the MCP server {source!r}"
        raise ValueError(f"No spec was imported from {wanted}; servers are: {listed}.")
    handlers = [McpHandler(binding, session, timeout=timeout, limits=limits) for binding in found]
    return tuple(
        binding.name
        for binding, handler in zip(found, handlers, strict=True)
        if registry.register(binding, handler)
    )
