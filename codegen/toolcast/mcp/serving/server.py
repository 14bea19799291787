"""A registry as an MCP server: `tools/list` and `tools/call`, for any transport of the official SDK."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from ...hidden_characters import escape_hidden, without_hidden
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...runtime.context import Framework, ToolContext
from ...runtime.database import StorageError
from ...runtime.errors import MissingCapabilityError, RefusalError, UnknownToolError
from ...runtime.middleware.policy.approval import Answer, ApprovalRequest, described
from ...runtime.questions import Asker, ElicitationRequest, ask
from ...runtime.result import ToolResult
from ...runtime.view import ToolView
from ..sdk import INVALID_PARAMS, TASKS, load, protocol_error
from .client_channel import (
    LOG_LEVEL,
    WAITING,
    ClientChannel,
    Extra,
    RunningCall,
    WaitingCalls,
    missing_capability,
    resumed,
)
from .clients import CallLimits, CallTurns, TooManyCallsError
from .listed import Announcer, Changes, Kind, Listed, ListedTool, answer, is_modern
from .offered_requests import OfferedFunctions, OfferedRequests
from .prompts_and_resources import Prompts, Resources
from .sessions import closing_stream
from .tasks import (
    TaskCalls,
    TaskChannel,
    Tasks,
    TooManyTasksError,
    check_listening,
    needs_tasks,
    takes_tasks,
)


def mcp_server(
    registry: ToolView,
    *,
    name: str | None = None,
    version: str | None = None,
    title: str | None = None,
    description: str | None = None,
    instructions: str | None = None,
    website_url: str | None = None,
    icons: Sequence[JsonMapping] = (),
    provider: str = "mcp",
    page_size: int | None = None,
    ask_approvals: bool = False,
    calls: CallLimits = CallLimits(),  # noqa: B008 - frozen
    resources: Resources | None = None,
    prompts: Prompts | None = None,
    extra: Extra | None = None,
    tasks: Tasks | None = None,
    list_seconds: float = 0.0,
) -> Any:
    """Make an MCP server that offers a registry, or a selection of it.

    Clients of the newest protocol revision get the definitions that were generated for `provider`, byte for
    byte; clients of older ones get the older definitions where those were generated, else the same without
    schemas of results that are no objects. Failures are `isError` results; only an unknown tool is a protocol
    error. Cancelling a request cancels its handler.

    Args:
        registry: a registry or a selection.
        name: name of the server; None for that of the program.
        version: version of the server; None for that of the program's distribution, or for "" where there is
            none or `name` is stated.
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
        tasks: keeps calls as tasks, of the tools whose specs say so (`execution`), for clients that take
            tasks; None: such calls are answered when they end.
        list_seconds: seconds for which clients may keep lists of tools, resources and prompts (`ttlMs`),
            unless they hear of a change; since 2026-07-28.

    Returns:
        An `mcp.server.lowlevel.Server`, for any transport of the SDK, and for its client in this process:
        `mcp.Client(server)`.

    Raises:
        McpMissingError: the SDK is not installed.
        UnknownProviderError: nothing was generated for `provider`.
        ValueError: `page_size` is below 1, `list_seconds` below 0 or infinite, or an icon is not valid.
    """
    sdk = load("mcp.server.lowlevel.server")
    changes: dict[Kind, Changes] = {}
    if resources is not None:
        changes["resources"] = resources.changes
    if prompts is not None:
        changes["prompts"] = prompts.changes
    listed = Listed(registry, provider, page_size)
    task_calls = None if tasks is None else TaskCalls(tasks)
    offered = _Offered(
        registry,
        listed,
        CallTurns(calls),
        changes,
        ask_approvals=ask_approvals,
        extra=extra,
        tasks=task_calls,
    )
    functions = OfferedFunctions(registry, page_size, extra)
    requests = OfferedRequests(functions, offered.announcer.remember, resources, prompts)
    identity = identity_of() if name is None else ServerIdentity(name, "")
    made = sdk.Server(
        identity.name,
        version=identity.version if version is None else version,
        title=title,
        description=description,
        instructions=instructions,
        website_url=website_url,
        icons=[_icon(icon) for icon in icons] or None,
        lifespan=offered.lifespan,
        cache_hints=_cache_hints(list_seconds),
        get_tool_input_schema=offered.input_schema,
        on_list_tools=offered.list_tools,
        on_call_tool=offered.call_tool,
        on_subscriptions_listen=offered.announcer.listen,
        **requests.handlers(),
    )
    # As an argument it would warn that the newest revision has it no more; older clients do.
    made.add_request_handler("logging/setLevel", load("mcp.types").SetLevelRequestParams, offered.set_level)
    if task_calls is not None:
        made.extensions[TASKS] = {}
        for method, handler in task_calls.handlers().items():
            made.add_request_handler(method, load("mcp.types").RequestParams, handler)
    # Transports ask for these without saying what changes.
    announced = sdk.NotificationOptions(
        tools_changed=True, resources_changed=resources is not None, prompts_changed=prompts is not None
    )
    made.create_initialization_options = partial(made.create_initialization_options, announced)
    made.middleware.append(offered.as_generated)
    made.scopes_of = offered.scopes_of  # for `http_app`
    return made


def _cache_hints(seconds: float) -> JsonObject:
    """Hints for lists. They are private: whoever may not call the server shall not read its lists."""
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"list_seconds is a number of seconds, 0 or more, not {seconds}.")
    hint = load("mcp.server.caching").CacheHint(ttl_ms=round(seconds * 1000))
    lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    return dict.fromkeys(lists, hint)


def _icon(icon: JsonMapping) -> Any:
    """Raises ValueError, as pydantic's ValidationError is one."""
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
        tasks: TaskCalls | None,
    ) -> None:
        self._extra = extra
        self._tasks = tasks
        self._registry = registry
        self._ask_approvals = ask_approvals
        self._listed = listed
        self._turns = turns
        self._types = load("mcp.types")
        self.announcer = Announcer(listed, changes)

    @asynccontextmanager
    async def lifespan(self, _server: Any) -> AsyncGenerator[JsonObject]:
        waiting = WaitingCalls()
        async with self.announcer.watching():
            try:
                yield {WAITING: waiting}
            finally:
                waiting.close()
                if self._tasks is not None:
                    self._tasks.abandon(waiting)

    async def set_level(self, context: Any, params: Any) -> Any:
        context.session._connection.state[LOG_LEVEL] = params.level
        return self._types.EmptyResult()

    async def list_tools(self, context: Any, params: Any) -> Any:
        """Return the page's envelope; `as_generated` puts the tools into it."""
        self.announcer.remember(context)
        _, following = self._listed.page(context.protocol_version, params.cursor if params else None)
        return self._types.ListToolsResult(tools=[], next_cursor=following)

    async def call_tool(self, context: Any, params: Any) -> Any:
        tool = self._listed.tools(context.protocol_version).get(params.name)
        if tool is None:
            raise protocol_error(INVALID_PARAMS, self._unknown(params.name))
        call = resumed(context, params)
        if call is None:
            tasks = self._tasks_for(context, tool)
            task = None if tasks is None else await self._start(tasks, context, params, tool)
            if task is not None:
                return task
            call = self._begin(context, params, tool)
        async with closing_stream(context):
            asked = await call.questions(context, params)
        if asked is not None:
            return asked
        await self.announcer.announce()  # a tool may bring others
        return answer(params.name, tool, call.result(), context.protocol_version)

    def _tasks_for(self, context: Any, tool: ListedTool) -> TaskCalls | None:
        """Return who runs a call as a task; None where it is none. Raises the SDK's MCPError where it must be
        one, and the client takes none.
        """
        support = tool.binding.task_support
        if self._tasks is None or support == "forbidden" or not is_modern(context.protocol_version):
            return None
        if takes_tasks(context):
            return self._tasks
        if support == "required":
            raise needs_tasks()
        return None

    async def _start(self, tasks: TaskCalls, context: Any, params: Any, tool: ListedTool) -> Any:
        """Answer a call with a task; None where there is no room for one, and the tool does without."""

        async def run(channel: TaskChannel) -> ToolResult:
            result = await self._run(channel, params, tool)
            await self.announcer.announce()
            return result

        def sent(result: ToolResult) -> JsonObject:
            return answer(params.name, tool, result, version)

        version = context.protocol_version
        try:
            channel = TaskChannel(context, self._extra, params.input_responses)
            return await tasks.start(channel, run, sent, context.lifespan_context[WAITING])
        except TooManyTasksError as problem:
            return sent(ToolResult.failed(str(problem))) if tool.binding.task_support == "required" else None
        except StorageError as problem:
            return sent(ToolResult.failed(str(problem)))

    def _begin(self, context: Any, params: Any, tool: ListedTool) -> RunningCall:
        channel = ClientChannel(context, self._extra, params.input_responses)
        return RunningCall(channel, self._run(channel, params, tool))

    async def _run(self, channel: ClientChannel, params: Any, tool: ListedTool) -> ToolResult:
        try:
            circumstances = channel.circumstances(params.name)
        except Exception as problem:  # of the program's own function
            return await self._failed(params.name, problem)
        asker = circumstances.asker if self._ask_approvals else None
        framework = Framework(
            approver=None if asker is None else _elicited_approver(asker),
            passes=(MissingCapabilityError,) if channel.suspends else (),
        )
        circumstances = msgspec.structs.replace(circumstances, framework=framework)
        return await self._execute(channel, params, tool, circumstances)

    async def _failed(self, name: str, problem: Exception) -> ToolResult:
        guard = self._registry._executor.guard  # pyright: ignore[reportPrivateUsage]  # as `execute` reports
        return guard.report_fault(name, "", "making the context of the call", problem)[0]

    async def _execute(
        self, channel: ClientChannel, params: Any, tool: ListedTool, circumstances: ToolContext
    ) -> ToolResult:
        try:
            async with self._turns.turn(channel.context.request) as channel.turn:
                return await self._registry.execute(
                    params.name, params.arguments or {}, tool.provider, circumstances
                )
        except TooManyCallsError as problem:
            return ToolResult.failed(str(problem))
        except MissingCapabilityError as problem:
            raise missing_capability(problem) from None

    async def as_generated(self, context: Any, call_next: Any) -> Any:
        """Undo what the SDK's models change: the order of a schema's keys, and a null that is all of a
        result.
        """
        if context.method == "subscriptions/listen" and self._tasks is not None:
            check_listening(context)
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

    def input_schema(self, name: str) -> JsonObject | None:
        """Return a schema for the SDK's check of headers that repeat arguments."""
        tool = self._listed.tools("2026-07-28").get(name)
        if tool is None:
            return None
        schema: JsonObject = msgspec.json.decode(tool.definition)["inputSchema"]
        return schema

    def scopes_of(self, name: str) -> Sequence[str]:
        """Return the scopes that a call of a tool needs; none for a name that is no tool's."""
        entry = self._registry.snapshot().entries.get(name)
        return () if entry is None else entry.binding.scopes

    def _unknown(self, name: str) -> str:
        try:
            self._registry.get(name)
        except UnknownToolError as problem:
            return f"Unknown tool: {problem}"
        return f"Unknown tool: {name!r} is not offered."


class _Approval(Struct):
    """The form. There is no default: a client that accepts without looking approves nothing."""

    approve: Annotated[bool, Meta(title="Run it?", description="Whether the tool may run, this once.")]
    reason: Annotated[str, Meta(title="Why not?", description="For the model.", max_length=500)] = ""


def _elicited_approver(asker: Asker) -> Callable[[ApprovalRequest], Awaitable[Answer]]:
    """Its yes is for one call: a registry would remember it for all clients, and this user is one of them."""

    async def approve(request: ApprovalRequest) -> Answer:
        message = "\n".join(["A model wants to call a tool, which needs your approval.", *described(request)])
        try:
            question = ElicitationRequest(message=escape_hidden(message))
            answer = await ask(asker, request.tool, question, _Approval)
        except RefusalError as problem:
            return Answer("no", str(problem))
        if answer.data is None:
            return Answer("no", "the user did not approve it.")
        if not answer.data.approve:
            return Answer("no", without_hidden(answer.data.reason) or "the user said no.")
        return Answer("yes")

    return approve


class ServerIdentity(Struct, frozen=True):
    """The name and version of a server. `version` is "" where nothing states one."""

    name: str
    version: str


def identity_of(module: str = "__main__") -> ServerIdentity:
    """Return the name and version of the distribution that has the name of a module's top-level package; else
    the package's name. `__main__` is the package that was run, or the script's name.
    """
    root = module.partition(".")[0]
    if root == "__main__":
        main = sys.modules[root]
        spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None) or "tools"
        root = Path(file).stem if spec is None else str(spec.name).partition(".")[0]
    try:
        found = distribution(root)
    except (PackageNotFoundError, ValueError):  # the latter for an empty name
        return ServerIdentity(root or "tools", "")
    return ServerIdentity(found.metadata["Name"], found.version)
