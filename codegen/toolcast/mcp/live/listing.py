"""All pages of a live server's tools, within bounds."""

import asyncio
from typing import Any

from ..sdk import load
from .live_calls import is_closed
from .server_tool import Limits, ListingError, LiveTool, UnfitError, read_tool

_CURSOR = 4096
"""Longest cursor, in characters, that is sent back."""


async def list_live(session: Any, server: str, limits: Limits) -> tuple[dict[str, LiveTool], dict[str, str]]:
    """The tools by the server's own names, in its order; and why others are not taken. `session` is the
    SDK's `ClientSession`.

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
    except Exception as problem:  # the SDK's errors, a closed stream, a list that is none
        if is_closed(problem):
            raise ListingError(f"MCP server {server!r} is not connected any more.") from None
        words = str(problem)[:200] if type(problem).__name__ == "MCPError" else type(problem).__name__
        raise ListingError(f"MCP server {server!r} could not list its tools: {words}.") from problem


async def _list(session: Any, server: str, limits: Limits) -> tuple[dict[str, LiveTool], dict[str, str]]:
    params = load("mcp.types").PaginatedRequestParams
    tools: dict[str, LiveTool] = {}
    unfit: dict[str, str] = {}
    cursor: str | None = None
    cursors: set[str] = set()
    count = size = 0
    for _ in range(limits.pages):
        page = await session.list_tools(params=params(cursor=cursor))
        count += len(page.tools)
        if count > limits.tools:
            raise _excess(server, f"more than {limits.tools} tools")
        for listed in page.tools:
            name = listed.name
            if name in tools or name in unfit:  # also where one of them cannot be used
                tools.pop(name, None)
                unfit[name] = "the server lists two tools of that name"
                continue
            try:
                tool, length = read_tool(server, listed, limits)
            except UnfitError as problem:
                unfit[name] = str(problem)
                continue
            size += length
            if size > limits.list_size:
                raise _excess(server, f"more than {limits.list_size} bytes of tools")
            tools[name] = tool
        cursor = page.next_cursor
        if cursor is None:
            return tools, unfit
        if cursor in cursors or len(cursor) > _CURSOR:
            raise ListingError(
                f"MCP server {server!r} lists in a circle: it sent a cursor twice, or too long."
            )
        cursors.add(cursor)
    raise _excess(server, f"more than {limits.pages} pages")


def _excess(server: str, what: str) -> ListingError:
    return ListingError(f"MCP server {server!r} lists {what}; raise the bound in Limits if that is right.")
