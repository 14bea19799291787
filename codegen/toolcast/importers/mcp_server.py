"""The tools of an MCP server as declarations: starts the server's command, or connects to its address.

The server is not trusted: its listing is bounded (`toolcast.mcp.Limits`), read as data, and nothing that it
names is followed. Its command runs with the rights of the user, as in any MCP client.
"""

import asyncio
import logging
import re
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..hidden_characters import without_hidden
from ..mcp.live.live_calls import is_closed, list_live
from ..mcp.live.server_tool import Limits, ListingError, LiveTool
from ..mcp.sdk import load
from .declared_tools import Declarations, Declared, ShapeError, read_shape
from .tool_lists import Element

_LABEL = 100
_UNNAMED = re.compile(r"FastMCP-[0-9a-f]{4}")
"""FastMCP's name of a server without one: another name at every start."""
_LAST = 1500
"""Bytes of the server's stderr that an error shows."""
_ANSWER = 64 * 1024 * 1024
"""Bytes of one answer over HTTP."""
_STDIO_LOGGER = "mcp.client.stdio"


class ServerAddress(Struct, frozen=True, kw_only=True):
    """The command that starts a server, or its address of streamable HTTP; the other is empty.

    `env` are variables for the command, besides those that every program needs; `seconds` is the time for
    starting, connecting and listing.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    env: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    seconds: float = 60.0

    def shown(self) -> str:
        """Return the server for diagnostics: without arguments and the secret parts of an address."""
        if self.command:
            return self.command[0]
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def fallback(self) -> str:
        """Return a label for a server without a name: the host, or the program without its folder."""
        if self.url:
            return urlsplit(self.url).hostname or "mcp"
        named = [word for word in self.command[1:] if not word.startswith("-")] or [*self.command]
        return _clean(PurePath(named[0]).name) or "mcp"


class _ServerError(Exception):
    """Code, message and hint of a failed listing."""


def read_server(address: ServerAddress, *, label: str = "") -> Declarations:
    """List the tools of a server, in its order. Runs its command, where it has one.

    A server that cannot be started, reached or understood has no tools and one diagnostic. `label` takes the
    place of the server's own name. Raises McpMissingError without the MCP SDK.
    """
    load("mcp")
    try:
        return asyncio.run(_read(address, label))
    except _ServerError as failure:
        code, message, hint = failure.args
        problem = Diagnostic(file=address.shown(), code=code, message=message, hint=hint)
        return Declarations(tools=(), diagnostics=(problem,), kind="mcp", label=label)


async def _read(address: ServerAddress, label: str) -> Declarations:
    name, listed, unfit = await _ask(address, label)
    tools: list[Declared] = []
    problems = [
        Diagnostic(file=address.shown(), code="import-shape", message=f"tool {tool!r} is not taken: {why}")
        for tool, why in unfit.items()
    ]
    for tool in listed.values():
        element = Element(file=address.shown(), line=0, location=f"tool {tool.name!r}", data=tool.raw)
        try:
            tools.append(read_shape(element))
        except ShapeError as error:
            message = f"tool {tool.name!r} {error}"
            problems.append(Diagnostic(file=address.shown(), code="import-shape", message=message))
    return Declarations(
        tools=tuple(tools),
        diagnostics=tuple(problems),
        kind="mcp",
        label=name,
        present=frozenset({*listed, *unfit}),
    )


async def _ask(address: ServerAddress, label: str) -> tuple[str, dict[str, LiveTool], dict[str, str]]:
    """Return the source's name, its tools, and reasons why it lacks others. Raises only `_ServerError`."""
    statuses: list[int] = []
    faults: list[str] = []
    found: tuple[str, dict[str, LiveTool], dict[str, str]] | None = None
    failure: BaseException | None = None
    with tempfile.TemporaryFile() as errors, _messages() as garbage:
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(address.seconds):
                    transport = await _transport(address, errors, statuses, faults, stack)
                    client = await stack.enter_async_context(load("mcp").Client(transport))
                own = client.server_info.name if client.server_info is not None else ""
                name = label or _clean("FastMCP" if _UNNAMED.fullmatch(own) else own) or address.fallback()
                try:
                    found = (name, *await list_live(client.session, name, Limits(seconds=address.seconds)))
                except ListingError as problem:
                    failure = problem
        except Exception as problem:  # the SDK's, of any kind
            failure = failure or _innermost(problem)
        if found is not None:
            return found
        errors.seek(max(0, errors.seek(0, 2) - _LAST))
        printed = errors.read(_LAST).decode(errors="replace").strip()
        if faults:
            failure = ListingError(faults[0])
        raise _explained(address, failure or EOFError(), statuses, garbage, printed)


async def _transport(
    address: ServerAddress, errors: object, statuses: list[int], faults: list[str], stack: AsyncExitStack
) -> object:
    """Return the SDK's transport; the lists receive statuses of HTTP and reasons for unread answers."""
    if address.command:
        stdio = load("mcp.client.stdio")
        parameters = stdio.StdioServerParameters(
            command=address.command[0],
            args=list(address.command[1:]),
            env=dict(address.env),
            encoding_error_handler="replace",
        )
        return stdio.stdio_client(parameters, errlog=errors)

    http = load("httpx2")

    async def note(response: Any) -> None:
        if response.request.method == "POST":  # a server need not have the stream of a GET
            statuses.append(response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            faults.append("an answer is compressed, which was not asked for")
            raise http.DecodingError(faults[0])
        response.stream = _bounded(http, response.stream, faults)

    client = await stack.enter_async_context(
        http.AsyncClient(
            headers={"accept-encoding": "identity", **address.headers},
            timeout=http.Timeout(address.seconds),
            event_hooks={"response": [note]},
        )
    )
    return load("mcp.client.streamable_http").streamable_http_client(
        address.url, http_client=client, max_sse_event_size=_ANSWER
    )


def _bounded(http: Any, stream: Any, faults: list[str]) -> object:
    """Yield the body of an answer, up to _ANSWER bytes; then a fault and an exception."""

    class Bounded(http.AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncGenerator[bytes]:
            left = _ANSWER
            async for piece in stream:
                left -= len(piece)
                if left < 0:
                    faults.append(f"an answer has more than {_ANSWER} bytes")
                    raise http.ReadError(faults[0])
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


@contextmanager
def _messages() -> Generator[list[str]]:
    """Collect what the SDK logs about lines that are no messages, instead of printing its tracebacks."""
    found: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name == _STDIO_LOGGER:
                found.append(record.getMessage())

    logger = logging.getLogger("mcp")
    handler, propagated = Collector(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield found
    finally:
        logger.propagate = propagated
        logger.removeHandler(handler)


def _innermost(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def _explained(
    address: ServerAddress,
    problem: BaseException,
    statuses: Sequence[int],
    garbage: Sequence[str],
    printed: str,
) -> _ServerError:
    wrote = f"; it wrote: {without_hidden(printed)}" if printed else ""
    if isinstance(problem, FileNotFoundError | PermissionError | NotADirectoryError) and address.command:
        return _ServerError(
            "import-command",
            f"the command {address.command[0]!r} cannot be started: {problem.strerror}",
            "write the command of the server after `--`, as a shell would start it",
        )
    noise = ", and prints what is no message of MCP" if garbage else ""
    if isinstance(problem, ListingError):
        return _ServerError(
            "import-server",
            f"the tools cannot be listed: {str(problem).rstrip('.')}{noise}{wrote}",
            "see what it answers to tools/list: --timeout allows more time, and `toolcast import tools FILE` "
            "reads the answer from a file",
        )
    if isinstance(problem, TimeoutError):
        return _ServerError(
            "import-server",
            f"the server does not answer within {address.seconds:g} s{noise}{wrote}",
            "raise --timeout if it needs longer to start; otherwise see whether the command is an MCP server",
        )
    if statuses and statuses[-1] in (401, 403):
        return _ServerError(
            "import-refused",
            f"the server refuses access (HTTP {statuses[-1]})",
            "give what it asks for, such as --header 'Authorization: Bearer …'",
        )
    if statuses and statuses[-1] >= 400:
        return _ServerError(
            "import-server",
            f"there is no MCP server at this address (HTTP {statuses[-1]})",
            "give the address of its streamable HTTP, which often ends in /mcp",
        )
    if garbage:
        return _ServerError(
            "import-server",
            f"the command prints what is no message of MCP{wrote}",
            "an MCP server on stdio prints messages alone: see whether it needs an option such as `stdio`",
        )
    words = " ".join(without_hidden(str(problem)).split())[:200] or type(problem).__name__
    if isinstance(problem, load("mcp.shared.exceptions").MCPError | ValueError | RuntimeError) and not (
        is_closed(problem)
    ):  # the SDK's: pydantic's is a ValueError
        return _ServerError(
            "import-server",
            f"the server's answer to initialize cannot be used: {words.rstrip('.')}{wrote}",
            "this is a fault of the server: tell whoever maintains it",
        )
    if address.command:
        return _ServerError(
            "import-server",
            f"the server ended before it answered{wrote}",
            "run the command by itself; variables that it needs are given with --env NAME",
        )
    return _ServerError("import-server", f"the server cannot be reached: {words}", "is the address right?")


def _clean(name: str) -> str:
    return " ".join(without_hidden(name).split())[:_LABEL]
