"""A registry as an MCP server: `tools/list` and `tools/call`, for any transport of the official SDK."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec

from ...runtime.context import Framework, ToolContext
from ...runtime.errors import UnknownToolError
from ...runtime.failure_results import report_fault
from ...runtime.result import ToolResult
from ...runtime.view import ToolView
from ..sdk import load
from .announce import Announcer, Kind
from .call_limits import CallLimits, CallTurns, TooManyCallsError
from .changes import Changes
from .client_channel import LOG_LEVEL, ClientChannel, Extra
from .elicited_approval import elicited_approver
from .event_log import closing_stream
from .listed import Listed, ListedTool, is_modern
from .offered_functions import INVALID_PARAMS, OfferedFunctions
from .offered_requests import request_handlers
from .prompts import Prompts
from .registry_server import server_type
from .resources import Resources
from .running_calls import CallIdentity, RunningCall, WaitingCalls, call_identity
from .server_calls import answer
from .server_identity import ServerIdentity, identity_of


def mcp_server(
    registry: ToolView,
    *,
    name: str | None = None,
    version: str | None = None,
    title: str | None = None,
    description: str | None = None,
    instructions: str | None = None,
    website_url: str | None = None,
    icons: Sequence[Mapping[str, Any]] = (),
    provider: str = "mcp",
    page_size: int | None = None,
    ask_approvals: bool = False,
    calls: CallLimits = CallLimits(),  # noqa: B008 - frozen
    resources: Resources | None = None,
    prompts: Prompts | None = None,
    extra: Extra | None = None,
) -> Any:
    """Make an MCP server that offers a registry, or a selection of it.

    Clients of the newest protocol revision get the definitions that were generated for `provider`, byte for
    byte; clients of older ones get the older definitions where those were generated, else the same without
    schemas of results that are no objects. Failures are `isError` results; only an unknown tool is a protocol
    error. Cancelling a request cancels its handler.

    Args:
        registry: a registry or a selection.
        name: name of the server; None for the distribution, or else the package, that most handlers are from.
        version: version of the server; None for that of the same distribution or package, or for "" where
            `name` is stated.
        title: name of the server for people.
        description: what the server is for, for people.
        instructions: text for the model of a client.
        website_url: address of the server's website.
        icons: icons as the protocol has them: `src`, and optionally `mimeType`, `sizes` and `theme`.
        provider: id of the provider whose definitions are listed.
        page_size: tools of one page; None for all on one page.
        ask_approvals: whether the client's user is asked for the approvals that the registry's policy wants,
            where the policy has no approver and the client takes questions.
        calls: how many calls run at once.
        resources: resources to offer.
        prompts: prompts to offer.
        extra: makes `ToolContext.extra` of a call, such as its user, from the SDK's context of the request;
            what tools `inject` comes from there. `principal` is added.

    Returns:
        An `mcp.server.lowlevel.Server`, for any transport of the SDK, and for clients in this process:
        `mcp.Client(server)`, `fastmcp.Client(server)`.

    Raises:
        McpMissingError: the SDK is not installed.
        UnknownProviderError: nothing was generated for `provider`.
        ValueError: `page_size` is below 1, or an icon is not valid.
    """
    sdk = load("mcp.server.lowlevel.server")
    changes: dict[Kind, Changes] = {}
    if resources is not None:
        changes["resources"] = resources.changes
    if prompts is not None:
        changes["prompts"] = prompts.changes
    listed = Listed(registry, provider, page_size)
    offered = _Offered(registry, listed, CallTurns(calls), changes, ask_approvals=ask_approvals, extra=extra)
    identity = identity_of(registry) if name is None else ServerIdentity(name, "")
    made = server_type()(
        identity.name,
        version=identity.version if version is None else version,
        title=title,
        description=description,
        instructions=instructions,
        website_url=website_url,
        icons=[_icon(icon) for icon in icons] or None,
        lifespan=offered.lifespan,
        get_tool_input_schema=offered.input_schema,
        on_list_tools=offered.list_tools,
        on_call_tool=offered.call_tool,
        on_subscriptions_listen=offered.announcer.listen,
        **request_handlers(
            OfferedFunctions(registry, page_size, extra), offered.announcer.remember, resources, prompts
        ),
    )
    # As an argument it would warn that the newest revision has it no more; older clients do.
    made.add_request_handler("logging/setLevel", load("mcp.types").SetLevelRequestParams, offered.set_level)
    # Transports ask for these without saying what changes.
    announced = sdk.NotificationOptions(
        tools_changed=True, resources_changed=resources is not None, prompts_changed=prompts is not None
    )
    made.create_initialization_options = partial(made.create_initialization_options, announced)
    made.middleware.append(offered.as_generated)
    return made


_WAITING = "waiting"


def waiting_calls(context: Any) -> WaitingCalls:
    """The calls that wait for answers, of the run of the server that a request is from."""
    waiting: WaitingCalls = context.lifespan_context[_WAITING]
    return waiting


def _icon(icon: Mapping[str, Any]) -> Any:
    """An icon as the SDK has it. Raises ValueError, as pydantic's ValidationError is one."""
    return load("mcp.types").Icon.model_validate(icon, by_name=False, extra="forbid")


class _Offered:
    """The handlers of one server. `context` is the SDK's `ServerRequestContext`."""

    def __init__(
        self,
        registry: ToolView,
        listed: Listed,
        turns: CallTurns,
        changes: dict[Kind, Changes],
        *,
        ask_approvals: bool,
        extra: Extra | None,
    ) -> None:
        self._extra = extra
        self._registry = registry
        self._ask_approvals = ask_approvals
        self._listed = listed
        self._turns = turns
        self._types = load("mcp.types")
        self._error = load("mcp.shared.exceptions").MCPError
        self.announcer = Announcer(listed, changes)

    @asynccontextmanager
    async def lifespan(self, _server: Any) -> AsyncGenerator[dict[str, Any]]:
        """The state of one run of the server: the calls that wait for answers."""
        waiting = WaitingCalls()
        async with self.announcer.watching():
            try:
                yield {_WAITING: waiting}
            finally:
                waiting.close()

    async def set_level(self, context: Any, params: Any) -> Any:
        """Keep the level of messages that a client of an older revision wants."""
        context.session._connection.state[LOG_LEVEL] = params.level
        return self._types.EmptyResult()

    async def list_tools(self, context: Any, params: Any) -> Any:
        """The page's envelope; `as_generated` puts the tools into it."""
        self.announcer.remember(context)
        _, following = self._listed.page(context.protocol_version, params.cursor if params else None)
        return self._types.ListToolsResult(tools=[], next_cursor=following)

    async def call_tool(self, context: Any, params: Any) -> Any:
        """One call through the registry, or one more request of it, with answers."""
        tool = self._listed.tools(context.protocol_version).get(params.name)
        if tool is None:
            raise self._error(INVALID_PARAMS, self._unknown(params.name))
        identity = call_identity(context, params)
        call = (
            self._begin(context, params, tool)
            if params.request_state is None
            else self._resume(context, params, identity)
        )
        async with closing_stream(context):
            while (result := await call.outcome()) is None:
                requests = dict(call.channel.requests)
                state = waiting_calls(context).keep(call, identity)
                if state is not None:
                    return self._types.InputRequiredResult(input_requests=requests, request_state=state)
        await call.channel.flush()
        await self.announcer.announce()  # a tool may bring others
        return answer(params.name, tool, result, context.protocol_version)

    def _begin(self, context: Any, params: Any, tool: ListedTool) -> RunningCall:
        """Start the handler of a new call."""
        channel = ClientChannel(context, self._extra)
        try:
            circumstances = channel.circumstances(params.name)
        except Exception as problem:  # of the program's own function
            return RunningCall(channel, self._failed(params.name, problem))
        if self._ask_approvals and circumstances.asker is not None:
            framework = Framework(approver=elicited_approver(circumstances.asker))
            circumstances = msgspec.structs.replace(circumstances, framework=framework)
        return RunningCall(channel, self._execute(channel, params, tool, circumstances))

    async def _failed(self, name: str, problem: Exception) -> ToolResult:
        guard = self._registry._executor.guard
        return report_fault(guard, name, "", "making the context of the call", problem)[0]

    async def _execute(
        self, channel: ClientChannel, params: Any, tool: ListedTool, circumstances: ToolContext
    ) -> ToolResult:
        """Run the handler, when it is the call's turn."""
        try:
            async with self._turns.turn(channel.context.request) as channel.turn:
                return await self._registry.execute(
                    params.name, params.arguments or {}, tool.provider, circumstances
                )
        except TooManyCallsError as problem:
            return ToolResult.failed(str(problem))

    def _resume(self, context: Any, params: Any, identity: CallIdentity) -> RunningCall:
        """Go on with a call that waits for answers. Raises the SDK's MCPError where there is none."""
        call = waiting_calls(context).take(params.request_state, identity)
        if call is None:
            raise self._error(INVALID_PARAMS, "No call waits under this requestState. Call the tool anew.")
        call.channel.attach(context, params.input_responses or {})
        return call

    async def as_generated(self, context: Any, call_next: Any) -> Any:
        """A middleware. The SDK's own models would order a schema's keys anew, and drop a null that is the
        whole of a structured result."""
        result = await call_next(context)
        if context.method == "tools/list":
            cursor = (context.params or {}).get("cursor")
            definitions, _ = self._listed.page(context.protocol_version, cursor)
            result["tools"] = [msgspec.json.decode(each) for each in definitions]
        elif context.method == "tools/call" and is_modern(context.protocol_version):
            tool = self._listed.tools(context.protocol_version).get((context.params or {}).get("name", ""))
            complete = result.get("resultType") == "complete" and not result.get("isError")
            if tool is not None and tool.output is not None and complete:
                result.setdefault("structuredContent", None)
        return result

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """For the SDK's check of headers that repeat arguments."""
        tool = self._listed.tools("2026-07-28").get(name)
        if tool is None:
            return None
        schema: dict[str, Any] = msgspec.json.decode(tool.definition)["inputSchema"]
        return schema

    def _unknown(self, name: str) -> str:
        try:
            self._registry.get(name)
        except UnknownToolError as problem:
            return f"Unknown tool: {problem}"
        return f"Unknown tool: {name!r} is not offered."
