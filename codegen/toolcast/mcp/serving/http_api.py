"""A registry as a plain HTTP API: `POST /tools/NAME` with the arguments as JSON, and the OpenAPI document of
that at `/openapi.json`. The guards are those of MCP over HTTP.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from ...http_operation import is_json
from ...jsonschema.json_values import JsonMapping
from ...runtime.binding import AnyBinding
from ...runtime.context import Framework, ToolContext
from ...runtime.errors import UnknownToolError
from ...runtime.handlers import fault_of_result, find_mismatch
from ...runtime.middleware.events import Event, Failed, Refused, TimedOut
from ...runtime.result import ToolResult, words
from ...runtime.snapshot import Snapshot
from ...runtime.standalone_schema import standalone_result, standalone_schema
from ...runtime.view import ToolView
from ...targets.openapi import FOLDER, About, Operation, openapi_document
from ..sdk import load
from .clients import (
    BearerAuth,
    CallLimits,
    CallTurns,
    TooManyCallsError,
    extra_of,
    metadata_routes,
    principal_in,
    refuse_scopes,
)
from .serve import HttpOptions, guarded

DOCUMENT: Final = "/openapi.json"
"""The path of the document."""
API_AT: Final = f"an HTTP API at {{}}{DOCUMENT}"
"""Where it is served, with `{}` for the URL of the server."""
_REFUSED: Final = {"arguments": 400, "policy": 403}
"""The status of a refusal by its stage; 422 for all others."""


class ApiOptions(Struct, frozen=True, kw_only=True):
    """Options of `api_app`.

    Attributes:
        title: the title of the document.
        version: its version.
        calls: how many calls run at once.
        extra: makes `ToolContext.extra` of a call, such as its user, from the request, a
            `starlette.requests.Request`; what tools `inject` comes from there. `principal` is added. It must
            not block.
    """

    title: str = "Tools"
    version: str = ""
    calls: CallLimits = CallLimits()
    extra: Callable[[Any], JsonMapping] | None = None


def api_app(
    registry: ToolView,
    host: str = "127.0.0.1",
    options: HttpOptions = HttpOptions(),  # noqa: B008 - frozen
    api: ApiOptions = ApiOptions(),  # noqa: B008 - frozen
) -> Any:
    """The ASGI application of a registry as an HTTP API. The registry stays open; close it afterwards.

    Args:
        registry: a registry or a selection. External tools are not described.
        host: address at which it will be reached.
        options: how to serve; what it says of sessions concerns MCP alone.
        api: options of the API.

    Returns:
        A `starlette.applications.Starlette`.

    Raises:
        McpMissingError: the extra `mcp`, which brings Starlette, is not installed.
        ValueError: other machines reach the host, and there are no `allowed_hosts`; a bound is out of range.
    """
    served = _Api(registry, api, options.auth)
    served.document()  # what cannot be described is known before anything is served
    route = load("starlette.routing").Route
    routes = [
        route(DOCUMENT, served.describe, methods=["GET"]),
        route(f"{FOLDER}{{name}}", served.call, methods=["POST"]),
    ]
    routes += [] if options.auth is None else metadata_routes(options.auth)
    app = load("starlette.applications").Starlette(routes=routes)
    app.router.redirect_slashes = False
    limit = load("mcp.server.transport_security").RequestBodyLimitMiddleware
    app.add_middleware(limit, max_body_size=options.max_body)
    return guarded(app, host, options)


class _Api:
    def __init__(self, registry: ToolView, options: ApiOptions, auth: BearerAuth | None) -> None:
        self._registry = registry
        self._options = options
        self._auth = auth
        self._about = About(title=options.title, version=options.version, bearer=auth is not None)
        self._turns = CallTurns(options.calls)
        self._response = load("starlette.responses").Response
        self._described: tuple[Snapshot, bytes] | None = None

    def document(self) -> bytes:
        """Return the document of the tools that there are now."""
        snapshot = self._registry.snapshot()
        if self._described is None or self._described[0] is not snapshot:
            bindings = (entry.binding for entry in snapshot.entries.values())
            scoped = self._about.bearer
            offered = [_operation(each, scoped=scoped) for each in bindings if not each.external]
            made = msgspec.json.encode(openapi_document(offered, self._about))
            self._described = snapshot, made
        return self._described[1]

    async def describe(self, _request: Any) -> Any:
        return self._answer(200, self.document())

    async def call(self, request: Any) -> Any:
        """Carry out the call of a request; it ends where the client goes."""
        name = request.path_params["name"]
        try:
            binding = self._registry.get(name).binding
        except UnknownToolError as problem:
            return self._refuse(404, str(problem))
        if self._auth is not None:
            lacking = refuse_scopes(self._auth, binding.scopes, principal_in(request))
            if lacking is not None:
                return self._answer(lacking.status, lacking.body, headers=lacking.headers)
        body = await request.body()
        if body and not is_json(request.headers.get("content-type", "")):
            return self._refuse(415, "The arguments are JSON: send them as `content-type: application/json`.")
        work = asyncio.create_task(self._executed(request, name, body or b"{}"))
        gone = asyncio.create_task(_until_gone(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else self._refuse(503, "The client has gone.")
        finally:
            gone.cancel()
            work.cancel()

    async def _executed(self, request: Any, name: str, body: bytes) -> Any:
        events: list[Event] = []
        try:
            extra = {} if self._options.extra is None else self._options.extra(request)
        except Exception as problem:  # of the program's own function
            guard = self._registry._executor.guard  # pyright: ignore[reportPrivateUsage]  # as `execute` reports
            fault, _ = guard.report_fault(name, "", "making the context of the call", problem)
            return self._refuse(500, words(fault))
        framework = Framework(observer=events.append)
        context = ToolContext(extra={**extra, **extra_of(request)}, framework=framework)
        try:
            async with self._turns.turn(request):
                result = await self._registry.execute(name, body, None, context)
        except TooManyCallsError as problem:
            return self._refuse(503, str(problem))
        if not result.success:
            return self._refuse(_status(events), words(result), events)
        return self._result(self._registry.get(name).binding, result)

    def _result(self, binding: AnyBinding, result: ToolResult) -> Any:
        """Answer with what the document promises, and nothing else."""
        wrong = find_mismatch(binding, result)
        if wrong is not None:
            return self._refuse(500, fault_of_result(binding.name, wrong))
        texts = [piece.text for piece in result.content if piece.kind == "text" and binding.result is None]
        if len(texts) < len(result.content):
            problem = (
                "has images or files, or texts beside its data, which MCP has a place for, and this API not"
            )
            return self._refuse(500, f"Tool {binding.name!r} ran, and its result {problem}.")
        if binding.result is None:
            text = "\n".join([result.output, *texts])
            return self._answer(200, text.encode(), "text/plain; charset=utf-8")
        return self._answer(200, binding.encode_result(result.data))

    def _refuse(self, status: int, error: str, events: list[Event] | None = None) -> Any:
        found = [each for event in events or () if isinstance(event, Refused) for each in event.violations]
        violations = [{"path": each.path, "message": each.message} for each in found]
        body = {"error": error, **({"violations": violations} if violations else {})}
        return self._answer(status, msgspec.json.encode(body))

    def _answer(
        self, status: int, body: bytes, media_type: str = "application/json", headers: object = None
    ) -> Any:
        return self._response(body, status_code=status, media_type=media_type, headers=headers)


def _operation(binding: AnyBinding, *, scoped: bool) -> Operation:
    return Operation(
        name=binding.name,
        group=binding.group,
        summary=binding.summary,
        description=binding.description,
        deprecated=binding.deprecated is not None,
        parameters=standalone_schema(binding),
        result=standalone_result(binding),
        scopes=binding.scopes if scoped else (),
    )


def _status(events: list[Event]) -> int:
    """Return the status of a call that failed; without events it reached no handler."""
    for event in events:
        if isinstance(event, Refused):
            return _REFUSED.get(event.stage, 422)
        if isinstance(event, TimedOut):
            return 504
        if isinstance(event, Failed):
            return 500
    return 422 if events else 500


async def _until_gone(request: Any) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
