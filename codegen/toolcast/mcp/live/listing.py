"""All pages of a live server's tools, within bounds."""

import asyncio
import re
from typing import Any

from ...hidden_characters import without_hidden
from ...jsonschema.json_values import type_of
from ..sdk import load
from .live_calls import is_closed
from .server_tool import Limits, ListingError, LiveTool, UnfitError, read_name, read_tool

_CURSOR = 4096
"""Longest cursor, in characters, that is sent back."""
_UNREADABLE = "Failed to parse "
"""The SDK's words for an answer over HTTP that it cannot read."""
_SYNTAX = re.compile(r"Invalid JSON: (.{1,100}? at line \d+ column \d+)")


async def list_live(session: Any, server: str, limits: Limits) -> tuple[dict[str, LiveTool], dict[str, str]]:
    """The tools by the server's own names, in its order; and why others are not taken, by name, or by place
    (`tools[3]`) where the name is the defect. `session` is the SDK's `ClientSession`.

    A name that comes twice is not taken at all: there is no telling which of the two a call would reach.
    Raises ListingError, with the server's name, for whatever goes wrong on the way.
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
    """An error of the server, or of the SDK, on one line."""
    if not isinstance(problem, load("mcp.shared.exceptions").MCPError):
        return type(problem).__name__
    words = " ".join(without_hidden(str(problem)).split())
    if words.startswith(_UNREADABLE):  # then comes what pydantic says of each kind of message
        found = _SYNTAX.search(words)
        return "its answer is no message of MCP" + (f", {found[1]}" if found else "")
    return words[:200].rstrip(".")


async def _page(session: Any, cursor: str | None) -> dict[str, Any]:
    """The result of one `tools/list`, as it was sent. The SDK's `list_tools` holds it to a model, which
    refuses all tools for a defect of one."""
    request = {"method": "tools/list", "params": {} if cursor is None else {"cursor": cursor}}
    options: dict[str, Any] = {}
    session._stamp(request, options)
    page: dict[str, Any] = await session._dispatcher.send_raw_request(
        request["method"], request["params"], options
    )
    return page


def _announce(session: Any, tool: LiveTool) -> None:
    """Let the SDK know a tool, as its `list_tools` would: from the schema it learns which arguments calls
    repeat as headers. Raises UnfitError for a tool that the protocol tells clients to drop."""
    types = load("mcp.types")
    listed = types.ListToolsResult(tools=[types.Tool(name=tool.name, input_schema=tool.input_schema)])
    try:
        kept = session._absorb_tool_listing(listed, complete=False).tools
    except Exception as problem:
        raise UnfitError(f"its inputSchema cannot be read: {type(problem).__name__}") from problem
    if not kept:
        raise UnfitError("its `x-mcp-header` annotations are not valid")


async def _list(session: Any, server: str, limits: Limits) -> tuple[dict[str, LiveTool], dict[str, str]]:
    tools: dict[str, LiveTool] = {}
    unfit: dict[str, str] = {}
    cursor: str | None = None
    cursors: set[str] = set()
    count = size = 0
    for _ in range(limits.pages):
        page = await _page(session, cursor)
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
