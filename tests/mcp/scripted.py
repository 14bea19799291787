"""A server that says what a test wants, through the official SDK; and sessions with it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from toolcast.mcp import LiveTool, LockVerdict

from tests.mcp.conftest import MODERN, Sdk

OBJECT: dict[str, Any] = {"type": "object"}
ECHO: dict[str, Any] = {
    "name": "echo",
    "title": "Echo",
    "description": "Says it again. And again.",
    "inputSchema": {
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": {"type": "string", "maxLength": 20, "description": "What to say."},
            "times": {"type": "integer", "minimum": 1},
            "how": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


class _EmptyLock:
    names = ()

    def judge(self, tool: LiveTool) -> LockVerdict:
        del tool
        return LockVerdict(reason="it is new")


EMPTY = _EmptyLock()
"""A lock that has no tools."""


class Scripted:
    """Lists `tools` (wire form; one list, or pages by cursor), answers calls with what `answer` returns."""

    def __init__(self, sdk: Sdk, *tools: dict[str, Any], answer: Any = None) -> None:
        self.tools: list[dict[str, Any]] = list(tools)
        self.pages: Callable[[str | None], tuple[list[dict[str, Any]], str | None]] | None = None
        self.listings = 0
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._types = sdk("mcp.types")
        self._answer = answer
        subscriptions = sdk("mcp.server.subscriptions")
        self.bus = subscriptions.InMemorySubscriptionBus()
        lowlevel = sdk("mcp.server.lowlevel.server")
        self.server = lowlevel.Server(
            "scripted",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=subscriptions.ListenHandler(self.bus),
        )

    async def _list(self, _context: Any, params: Any) -> Any:
        self.listings += 1
        tools, following = self.tools, None
        if self.pages is not None:
            tools, following = self.pages(params.cursor if params else None)
        made = [self._types.Tool.model_validate(tool) for tool in tools]
        return self._types.ListToolsResult(tools=made, next_cursor=following)

    async def _call(self, context: Any, params: Any) -> Any:
        self.calls.append((params.name, params.arguments))
        answer = self._answer
        if callable(answer):
            answer = await answer(context, params)
        if answer is None:
            answer = {"content": [{"type": "text", "text": f"{params.arguments}"}]}
        return answer if not isinstance(answer, dict) else self._types.CallToolResult.model_validate(answer)


def connected(
    sdk: Sdk, server: Any, use: Callable[[Any], Awaitable[Any]], mode: str = MODERN, **options: Any
) -> Any:
    """What `use` makes of a client that is connected to `server`."""

    async def session() -> Any:
        target = server.server if isinstance(server, Scripted) else server
        async with asyncio.timeout(120), sdk("mcp").Client(target, mode=mode, **options) as client:
            return await use(client)

    return asyncio.run(session())
