"""A live server's tools in a registry: listed, called, and listed again when they may have changed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from ...jsonschema.json_values import JsonObject
from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.registry import ToolRegistry
from ...runtime.result import ToolResult
from .live_calls import LiveServer, call_live, client_session, list_live
from .offered_tools import OTHERWISE, LockFinding, Offers, RefusedTool, ToolLock
from .server_tool import Limits, ListingError
from .terms import CAREFUL, Permissions, Terms

Handler = Callable[[Any], Awaitable[None]]


class ToolChanges:
    """A message handler for the SDK's client that counts `notifications/tools/list_changed`.

    Give the same object to the client (`message_handler=changes`) and to `mcp_tools(changes=changes)`: the
    next call lists the tools again before anything is sent.

    Attributes:
        count: notifications so far.
    """

    def __init__(self, handler: Handler | None = None) -> None:
        """Start counting.

        Args:
            handler: receives every message, too.
        """
        self.count = 0
        self._handler = handler

    async def __call__(self, message: object) -> None:
        """Take a message.

        Args:
            message: a message of the SDK.
        """
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.count += 1
        if self._handler is not None:
            await self._handler(message)


async def mcp_tools(
    session: Any,
    registry: ToolRegistry,
    *,
    server: str,
    lock: ToolLock | None = None,
    permission: Permissions = CAREFUL,
    secrets: Mapping[str, Collection[str]] | None = None,
    inject: Mapping[str, Mapping[str, str]] | None = None,
    names: Collection[str] | None = None,
    timeout: float | None = 60.0,
    limits: Limits | None = None,
    changes: ToolChanges | None = None,
    recheck: float | None = None,
) -> "McpTools":
    """Register the tools of an MCP server.

    They are called `server__tool`, in the group `mcp/server`, and use the registry's policy, secrets and
    hooks like any other tool. Arguments are validated against the server's schema before they are sent,
    answers against its output schema.

    With `lock`, tools are registered as they were locked, and one whose change breaks locked calls or results
    is refused; `findings` has every difference. Without, the first listing counts as approved, and a tool
    that is new or changes later cannot be called until it is approved. `refused` states why.

    Args:
        session: the SDK's connected `Client` or `ClientSession`.
        registry: the registry to register the tools in.
        server: name of the server in this program.
        lock: the tools as they were locked, such as `ServerLock.read("tools.lock")`.
        permission: what the tools may do: one permission, one by the server's names, or a function that
            decides. "execute" by default, since a server's claims are no reason to trust it.
        secrets: by the server's names, parameters that may hold references to secrets.
        inject: by the server's names, or patterns such as `mail_*`, the parameters that the program fills in,
            each with the path of its value, such as `context.user_id`. Models neither see nor set them; a
            tool that lacks one is refused.
        names: the only tools to take, by the server's names; None for all.
        timeout: seconds for one call; None for no limit.
        limits: limits for what the server sends.
        changes: counts the server's notifications; a call lists the tools again after one.
        recheck: seconds after which a call lists the tools again; None for never.

    Returns:
        The tools: how they differ from the lock, what is refused, and their refresh.

    Raises:
        ListingError: the tools cannot be listed.
        ValueError: an argument is out of range or no valid name, or `inject` names a tool that is not
            listed.
    """
    terms = Terms(
        server=server,
        permission=permission,
        secrets=secrets or {},
        inject=inject or {},
        names=None if names is None else frozenset(names),
        timeout=timeout,
        recheck=recheck,
        limits=limits or Limits(),
    )
    tools = McpTools(session, registry, terms, lock, changes)
    await tools.refresh()
    return tools


class McpTools:
    """The tools of one server in one registry. Made by `mcp_tools`; for one event loop.

    Attributes:
        server: name of the server in this program.
    """

    def __init__(
        self,
        session: Any,
        registry: ToolRegistry,
        terms: Terms,
        lock: ToolLock | None,
        changes: ToolChanges | None,
    ) -> None:
        """Made by `mcp_tools`.

        Args:
            session: the SDK's session.
            registry: the registry.
            terms: the terms.
            lock: the tools as they were locked.
            changes: the counter of notifications.
        """
        self.server = terms.server
        self._session = session
        self._terms = terms
        self._changes = ToolChanges() if changes is None else changes
        self._offers = Offers(registry, terms, lock, lambda tool: _Handler(self, tool))
        self._handled = 0  # of the changes
        self._looked = 0.0
        self._stale = False
        self._lock = asyncio.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of tools that can be called now, sorted."""
        return self._offers.names

    @property
    def loosened(self) -> Mapping[str, tuple[str, ...]]:
        """Return constraints that tools are used without, in words, by the tool's name in the registry."""
        return self._offers.loosened

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        """Return tools that cannot be called, sorted by name."""
        return self._offers.refused

    @property
    def findings(self) -> Mapping[str, tuple[LockFinding, ...]]:
        """Return how tools differ from the lock, by their names in the registry, refused ones included."""
        return self._offers.findings

    async def refresh(self) -> None:
        """List the tools again: register new ones that are approved, and find those that changed.

        Raises:
            ListingError: the tools cannot be listed; none can be called until a listing succeeds.
        """
        async with self._lock:
            await self._refresh()

    def approve(self, *tools: str) -> None:
        """Approve tools as the server listed them last, until the program ends; those that are registered get
        their new definitions.

        Args:
            *tools: names, the server's or the registry's; all tools where there are none.

        Raises:
            ValueError: a tool is not listed, or several tools have the name.
        """
        self._offers.approve(tools)

    async def reconnect(self, session: Any) -> None:
        """Continue with another session to the same server, and compare its tools.

        Args:
            session: the SDK's `Client` or `ClientSession`.

        Raises:
            ListingError: the tools cannot be listed; none can be called until a listing succeeds.
        """
        self._session = session
        self._stale = True
        await self.refresh()

    async def watch(self) -> None:
        """List the tools again whenever the server notifies a change, until the server ends the subscription
        or this is cancelled. For a `Client` of protocol 2026-07-28; `ToolChanges` serves others.

        Raises:
            ListingError: the tools cannot be listed.
        """
        async with self._session.listen(tools_list_changed=True) as events:
            async for _ in events:
                self._stale = True
                await self.refresh()

    async def check(self, tool: str) -> str | None:
        """Tell why a tool cannot be called now. Lists the tools again where that is due.

        Args:
            tool: the server's name for the tool.

        Returns:
            The reason; None where it can be called.
        """
        if self._is_due():
            async with self._lock:
                if self._is_due():
                    try:
                        await self._refresh()
                    except ListingError as problem:
                        return f"{problem} Its tools cannot be called until it lists them again: {OTHERWISE}"
        return self._offers.reason(tool)

    async def call(self, tool: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Call a tool without any check; call `check` before.

        Args:
            tool: the server's name for the tool.
            arguments: arguments in the form of the server's schema.
            context: circumstances of the call.

        Returns:
            The result.
        """
        live = LiveServer(self._session, self.server, self._terms.limits, self._terms.timeout)
        return await call_live(live, tool, arguments, context, self._offers.output(tool))

    def _is_due(self) -> bool:
        if self._stale or self._changes.count != self._handled:
            return True
        recheck = self._terms.recheck
        return recheck is not None and _now() - self._looked >= recheck

    async def _refresh(self) -> None:
        handled = self._changes.count
        self._stale = True  # until it is known better
        try:
            session = client_session(self._session)
        except RefusalError:
            raise ListingError(f"MCP server {self.server!r} is not connected any more.") from None
        listed, unfit = await list_live(session, self.server, self._terms.limits)
        if not self._looked:
            self._terms.check_listed([*listed, *unfit])
        verdicts = await asyncio.to_thread(self._offers.judged, listed)
        self._handled, self._looked, self._stale = handled, _now(), False
        self._offers.update(listed, unfit, verdicts)


class _Handler:
    def __init__(self, tools: McpTools, tool: str) -> None:
        self._tools = tools
        self._tool = tool

    async def precheck(self, params: JsonObject, context: ToolContext) -> str | None:  # noqa: ARG002
        """Compare the tool with its approved form, before anybody is asked for approval."""
        return await self._tools.check(self._tool)

    async def __call__(self, params: JsonObject, context: ToolContext) -> ToolResult:
        """Compare it again, since a person may take minutes to answer, and call it."""
        reason = await self._tools.check(self._tool)
        if reason is not None:
            return ToolResult.failed(reason)
        return await self._tools.call(self._tool, params, context)


def _now() -> float:
    return asyncio.get_running_loop().time()
