"""A live server's tools in a registry: approved as they are, and refused as soon as they are others."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from ..providers import Normalizer
from ..runtime.context import ToolContext
from ..runtime.errors import FrozenRegistryError, RefusalError
from ..runtime.registry import ToolRegistry
from ..runtime.result import ToolResult
from ..runtime.schema import Validator
from .calls import call_live, client_session
from .changes import ToolChanges
from .limits import Limits, ListingError
from .listing import list_live
from .live import bind
from .names import offered_name
from .pins import Pin, Pins
from .source import LiveTool, UnfitError, check_tool
from .terms import CAREFUL, Permissions, Terms
from .visible import visible

_OTHERWISE = "go on without, or tell the user."
_LOG = logging.getLogger("toolwright.mcp")


class RefusedTool(Struct, frozen=True):
    """A tool that cannot be called: under which name, the server's own name, and why."""

    name: str
    tool: str
    reason: str


class _Offer(Struct):
    """A tool that is registered, as it was approved; `reason` says why it cannot be called now."""

    name: str
    pin: Pin
    output: Validator | None
    reason: str = ""


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
    not, and `approve` takes them. Without, what is listed first counts as approved. A tool that changes later
    cannot be called until it is approved again; that is looked for when `changes` heard of any, in `refresh`,
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
        self._registry = registry
        self._terms = terms
        self._trusting = pins is None  # what comes first is approved
        self._pins = Pins() if pins is None else pins
        self._changes = ToolChanges() if changes is None else changes
        self._normalizer = Normalizer(terms.limits.tools * 4)
        self._offers: dict[str, _Offer] = {}  # by the server's names, as all that follow
        self._listed: dict[str, LiveTool] = {}
        self._refused: dict[str, str] = {}
        self._heard = 0  # of the changes
        self._looked = 0.0
        self._stale = False
        self._lock = asyncio.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of tools that can be called now, sorted."""
        return tuple(sorted(offer.name for offer in self._offers.values() if not offer.reason))

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        """Tools that cannot be called, sorted by name."""
        late = {tool: offer.reason for tool, offer in self._offers.items() if offer.reason}
        reasons = {**self._refused, **late}
        made = (RefusedTool(self._public(tool), tool, reason) for tool, reason in reasons.items())
        return tuple(sorted(made, key=lambda refused: (refused.name, refused.tool)))

    @property
    def pins(self) -> Pins:
        """What is approved: to be saved, and given to `mcp_tools` at the next start."""
        return self._pins

    @property
    def offered(self) -> Pins:
        """The same with what the server listed last, approved or not: `tools.pins.diff(tools.offered)`."""
        before = self._pins.servers.get(self.server, {})
        listed = {name: Pin.of(tool) for name, tool in self._listed.items()}
        return self._pins.without(self.server, before).with_tools(self.server, listed)

    async def refresh(self) -> None:
        """List the tools anew: register new ones that may be, and look which changed. Raises ListingError;
        then none can be called until a listing succeeds."""
        async with self._lock:
            await self._refresh()

    def approve(self, *tools: str) -> Pins:
        """Approve what the server listed last: these tools, by either name, or all. Returns `pins`.

        A tool that is registered already changes its definition in the registry. Raises ValueError for tools
        that are not listed.
        """
        own = {self._public(name): name for name in self._listed}
        chosen = [own.get(name, name) for name in tools] if tools else [*self._listed]
        for name in chosen:
            if name not in self._listed:
                raise ValueError(f"MCP server {self.server!r} lists no tool {name!r}.")
        pins = {name: Pin.of(self._listed[name]) for name in chosen}
        self._pins = self._pins.with_tools(self.server, pins)
        for name in chosen:
            self._take(name, self._listed[name])
        return self._pins

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
                        return f"{problem} Its tools cannot be called until it lists them again: {_OTHERWISE}"
        return self._offers[tool].reason or None

    async def call(self, tool: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call a tool by the server's name, as it is: `check` first."""
        terms, output = self._terms, self._offers[tool].output
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
        self._listed = {name: tool for name, tool in listed.items() if self._terms.wants(name)}
        self._refused = {name: reason for name, reason in self._refused.items() if name in self._listed}
        for name, reason in unfit.items():
            if self._terms.wants(name):
                self._refuse(name, reason)
        for name, tool in self._listed.items():
            self._take(name, tool)
        for name in self._offers:
            if name not in listed and name not in unfit:
                self._refuse(name, "its server does not list it any more")

    def _take(self, name: str, tool: LiveTool) -> None:
        """Register a tool, or find out why not."""
        pin, approved, offer = Pin.of(tool), self._pins.get(self.server, name), self._offers.get(name)
        if approved is None and self._trusting and offer is None:
            approved = pin
        if approved is None:
            self._refuse(name, "it is new: it was not approved yet")
        elif changed := approved.changed(pin):
            self._refuse(name, f"it changed since it was approved: {', '.join(changed)}")
        elif offer is not None and offer.pin == pin:
            offer.reason = ""
        else:
            try:
                self._register(name, tool, pin)
            except UnfitError as problem:
                self._refuse(name, str(problem))
            except FrozenRegistryError:
                self._refuse(name, "the registry is frozen, so it is there after the next start")

    def _register(self, name: str, tool: LiveTool, pin: Pin) -> None:
        output = check_tool(tool, self._normalizer, self._terms.limits)
        public, offer = self._public(name), self._offers.get(name)
        twin = next((own for own, other in self._offers.items() if other.name == public), name)
        if twin != name:
            raise UnfitError(f"its name becomes {public!r}, as that of {twin!r} did")
        group, terms = f"mcp/{self.server}", self._terms
        binding = bind(
            tool, public, group, terms.permission_of(tool), terms.secrets_of(tool), self._normalizer
        )
        handler = _Handler(self, name)
        if offer is not None:
            self._registry.replace(binding, handler)
        elif not self._registry.register(binding, handler):
            raise UnfitError(f"the name {public!r} is taken in the registry")
        self._offers[name] = _Offer(public, pin, output)
        self._refused.pop(name, None)
        self._pins = self._pins.with_tools(self.server, {name: pin})

    def _refuse(self, name: str, reason: str) -> None:
        reason = visible(reason)[:500]
        offer = self._offers.get(name)
        if offer is not None:
            before = offer.reason
            offer.reason = f"Tool {offer.name!r} cannot be called, since {reason}: {_OTHERWISE}"
            known = before == offer.reason
        else:
            known = self._refused.get(name) == reason
            self._refused[name] = reason
        if not known:
            _LOG.warning("Tool %r of MCP server %r is refused: %s.", name, self.server, reason)

    def _public(self, name: str) -> str:
        return offered_name(self.server, name)


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
