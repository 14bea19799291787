"""A live server's tools in a registry: listed, called, and listed again when they may have changed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from ..runtime.context import ToolContext
from ..runtime.errors import RefusalError
from ..runtime.registry import ToolRegistry
from ..runtime.result import ToolResult
from .listing import list_live
from .live_calls import call_live, client_session
from .offered_tools import OTHERWISE, Offers, RefusedTool
from .pins import Pins
from .server_tool import Limits, ListingError
from .terms import CAREFUL, Permissions, Terms

Handler = Callable[[Any], Awaitable[None]]


class ToolChanges:
    """A message handler for the SDK's client, which counts `notifications/tools/list_changed`.

    Give the same object to the client (`message_handler=changes`) and to `mcp_tools(changes=changes)`: the
    next call lists the tools anew before anything is sent. `handler` gets every message, too.
    """

    def __init__(self, handler: Handler | None = None) -> None:
        self.count = 0
        self._handler = handler

    async def __call__(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.count += 1
        if self._handler is not None:
            await self._handler(message)


async def mcp_tools(
    session: Any,
    registry: ToolRegistry,
    *,
    server: str,
    pins: Pins | None = None,
    permission: Permissions = CAREFUL,
    secrets: Mapping[str, Collection[str]] | None = None,
    names: Collection[str] | None = None,
    timeout: float | None = 60.0,
    limits: Limits | None = None,
    changes: ToolChanges | None = None,
    recheck: float | None = None,
) -> "McpTools":
    """Register the tools of the server at the end of `session`, the SDK's `Client` or `ClientSession`.

    They are called `server__tool`, in the group `mcp/server`, and go through the registry's bridge, policy,
    secrets and hooks like any other. Arguments are judged by the server's schema before they are sent,
    answers by its output schema.

    With `pins`, only tools that were approved as they are now are registered; `refused` says why others were
    not, and `approve` takes them. Without, the first listing counts as approved. A tool that comes or changes
    later cannot be called until it is approved; that is looked for when `changes` heard of any, in `refresh`,
    and `recheck` seconds after the last look.

    `permission` is `execute` unless said otherwise, which a policy asks for or denies: what the server
    claims is no reason to trust it. `secrets` names parameters that may carry references, by the server's
    name for the tool. `names` are the only tools to take, by the server's names. `timeout` is in seconds per
    call. Raises ListingError where the tools cannot be listed, and ValueError for what cannot be meant.
    """
    terms = Terms(
        server=server,
        permission=permission,
        secrets=secrets or {},
        names=None if names is None else frozenset(names),
        timeout=timeout,
        recheck=recheck,
        limits=limits or Limits(),
    )
    tools = McpTools(session, registry, terms, pins, changes)
    await tools.refresh()
    return tools


class McpTools:
    """The tools of one server in one registry. Made by `mcp_tools`; for one event loop."""

    def __init__(
        self,
        session: Any,
        registry: ToolRegistry,
        terms: Terms,
        pins: Pins | None,
        changes: ToolChanges | None,
    ) -> None:
        self.server = terms.server
        self._session = session
        self._terms = terms
        self._changes = ToolChanges() if changes is None else changes
        self._offers = Offers(registry, terms, pins, lambda tool: _Handler(self, tool))
        self._heard = 0  # of the changes
        self._looked = 0.0
        self._stale = False
        self._lock = asyncio.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of tools that can be called now, sorted."""
        return self._offers.names

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        """Tools that cannot be called, sorted by name."""
        return self._offers.refused

    @property
    def pins(self) -> Pins:
        """What is approved: to be saved, and given to `mcp_tools` at the next start."""
        return self._offers.pins

    @property
    def offered(self) -> Pins:
        """The same with what the server listed last, approved or not: `tools.pins.diff(tools.offered)`."""
        return self._offers.listed

    async def refresh(self) -> None:
        """List the tools anew: register new ones that may be, and look which changed. Raises ListingError;
        then none can be called until a listing succeeds."""
        async with self._lock:
            await self._refresh()

    def approve(self, *tools: str) -> Pins:
        """Approve what the server listed last: these tools, by either name, or all. Returns `pins`.

        A tool that is registered already changes its definition in the registry. Raises ValueError for tools
        that are not listed, and for a name that several tools have.
        """
        self._offers.approve(tools)
        return self._offers.pins

    async def reconnect(self, session: Any) -> None:
        """Go on with another session to the same server, and look whether its tools are the same. Raises
        ListingError as `refresh` does."""
        self._session = session
        self._stale = True
        await self.refresh()

    async def watch(self) -> None:
        """List the tools anew whenever the server says that they changed, until it ends the subscription or
        this is cancelled. For a `Client` that speaks 2026-07-28; with others, `ToolChanges` hears of it."""
        async with self._session.listen(tools_list_changed=True) as events:
            async for _ in events:
                self._stale = True
                await self.refresh()

    async def check(self, tool: str) -> str | None:
        """Why a tool, by the server's name, cannot be called now; None where it can. Lists anew where that
        is due."""
        if self._is_due():
            async with self._lock:
                if self._is_due():
                    try:
                        await self._refresh()
                    except ListingError as problem:
                        return f"{problem} Its tools cannot be called until it lists them again: {OTHERWISE}"
        return self._offers.reason(tool)

    async def call(self, tool: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call a tool by the server's name, as it is: `check` first."""
        terms, output = self._terms, self._offers.output(tool)
        return await call_live(
            self._session, self.server, tool, arguments, context, output, terms.limits, terms.timeout
        )

    def _is_due(self) -> bool:
        if self._stale or self._changes.count != self._heard:
            return True
        recheck = self._terms.recheck
        return recheck is not None and _now() - self._looked >= recheck

    async def _refresh(self) -> None:
        heard = self._changes.count
        self._stale = True  # until it is known better
        try:
            session = client_session(self._session)
        except RefusalError:
            raise ListingError(f"MCP server {self.server!r} is not connected any more.") from None
        listed, unfit = await list_live(session, self.server, self._terms.limits)
        self._heard, self._looked, self._stale = heard, _now(), False
        self._offers.update(listed, unfit)


class _Handler:
    """What the registry calls for one tool."""

    def __init__(self, tools: McpTools, tool: str) -> None:
        self._tools = tools
        self._tool = tool

    async def precheck(self, params: dict[str, Any], context: ToolContext) -> str | None:  # noqa: ARG002
        """Before anybody is asked for approval: whether the tool is still what was approved."""
        return await self._tools.check(self._tool)

    async def __call__(self, params: dict[str, Any], context: ToolContext) -> ToolResult:
        """After it: a person may take minutes to answer."""
        reason = await self._tools.check(self._tool)
        if reason is not None:
            return ToolResult.failed(reason)
        return await self._tools.call(self._tool, params, context)


def _now() -> float:
    return asyncio.get_running_loop().time()
