"""`toolcast serve`."""

import asyncio
import difflib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct, structs

from ..jsonschema.json_values import JsonObject
from .complete_values import complete_groups, complete_tools
from .options import examples, refuse, takes
from .program import TargetError, close, load_registry, load_target, log_to_stderr, no_registry, quiet_stdout

if TYPE_CHECKING:
    from ..mcp.serving.clients import BearerAuth
    from ..mcp.serving.http_api import ApiOptions
    from ..mcp.serving.tasks import Tasks
    from ..runtime.view import ToolView

_GRACE = 1.0
"""Seconds that running calls have to end after a signal."""


_FOR_MCP = (
    "http", "stateless", "ask_approvals", "icon", "website", "instructions", "resources", "prompts", "tasks",
)  # fmt: skip
"""Options without a meaning for an HTTP API."""


class _Options(Struct, frozen=True, kw_only=True):
    target: str
    http: str | None
    http_api: str | None
    groups: tuple[str, ...]
    names: tuple[str, ...]
    permission: tuple[str, ...]
    allow_host: tuple[str, ...]
    allow_origin: tuple[str, ...]
    token_env: str | None
    stateless: bool
    verbose: bool
    ask_approvals: bool
    icon: tuple[str, ...]
    server_name: str | None
    server_version: str | None
    title: str | None
    instructions: str | None
    website: str | None
    resources: str | None
    prompts: str | None
    tasks: str | None


@click.command(
    "serve",
    epilog=examples(
        "toolcast serve app.tools:registry                      one client, on stdin and stdout",
        "toolcast serve app.tools:make_registry --http 8000     many, at http://127.0.0.1:8000/mcp",
        "toolcast serve app.tools:registry --groups files --permission read",
        "toolcast serve app.tools:registry --http-api 8000      the API of http://127.0.0.1:8000/openapi.json",
    ),
)
@click.argument("target", metavar="MODULE:ATTRIBUTE")
@click.option("--http", metavar="HOST:PORT", help="Serve streamable HTTP; a port alone is on this machine.")
@click.option(
    "--http-api", metavar="HOST:PORT",
    help="Serve a plain HTTP API in place of MCP, with its OpenAPI document at /openapi.json.",
)  # fmt: skip
@click.option(
    "--groups", multiple=True, metavar="A,B", shell_complete=complete_groups,
    help="Offer these groups, with all below them.",
)  # fmt: skip
@click.option(
    "--names", multiple=True, metavar="A,B", shell_complete=complete_tools, help="Offer these tools."
)  # fmt: skip
@click.option("--permission", multiple=True, metavar="A,B", help="Offer tools with these permissions.")
@click.option(
    "--allow-host", multiple=True, metavar="HOST:PORT", help="Answer requests that name this host, too."
)
@click.option("--allow-origin", multiple=True, metavar="URL", help="Answer web pages of this origin.")
@click.option(
    "--server-name", help="Name of the server; by default that of MODULE's distribution or package."
)
@click.option("--server-version", help="Version of the server; by default that of the distribution.")
@click.option("--title", help="Name of the server for people.")
@click.option("--instructions", help="What clients tell their model of the server.")
@click.option("--website", metavar="URL", help="The server's website.")
@click.option("--icon", multiple=True, metavar="URL", help="An icon of the server.")
@click.option("--resources", metavar="MODULE:ATTRIBUTE", help="Offer a Resources object of yours, too.")
@click.option("--prompts", metavar="MODULE:ATTRIBUTE", help="Offer a Prompts object of yours, too.")
@click.option("--tasks", metavar="FILE", help="Keep calls as tasks here, of tools whose specs say so.")
@click.option("--ask-approvals", is_flag=True, help="Ask clients' users for what the policy wants approved.")
@click.option(
    "--token-env", metavar="NAME",
    help="Answer only requests with the bearer token that this environment variable has.",
)  # fmt: skip
@click.option(
    "--stateless", is_flag=True, help="Keep no sessions: any of several processes answers a request."
)
@click.option("--verbose", is_flag=True, help="Log every request to stderr.")
@takes(_Options)
def command(options: _Options) -> int:
    """Offer a program's registry to MCP clients, or as an HTTP API.

    MODULE:ATTRIBUTE is a ToolRegistry of yours, or a function (async or not) that returns one. Without --http
    and --http-api one client is served on stdin and stdout; everything else that is printed goes to stderr.
    After a signal the exit status is 128 and the signal's number.
    """
    from ..mcp.sdk import McpMissingError, load
    from ..mcp.serving.http_api import API_AT, api_app
    from ..mcp.serving.serve import MCP_AT, HttpOptions, address, http_app, serve_app, serve_stdio
    from ..runtime.errors import UnknownProviderError

    log_to_stderr(verbose=options.verbose)
    _check_use(options)
    where = options.http if options.http_api is None else options.http_api
    try:
        load("mcp.server.lowlevel.server")
        place = ("", 0) if where is None else address(where)
        over_http = HttpOptions(
            allowed_hosts=options.allow_host,
            allowed_origins=options.allow_origin,
            stateless=options.stateless,
        )
    except McpMissingError as problem:
        raise refuse(options.target, "mcp-missing", str(problem)) from None
    except ValueError as problem:
        raise refuse(str(where), "bad-address", str(problem)) from None

    async def main() -> int:
        with quiet_stdout():
            beside = await _beside(options)
            registry = await load_registry(options.target)
            try:
                view = _chosen(
                    registry, _split(options.groups), _split(options.names), _split(options.permission)
                )
                served = structs.replace(over_http, auth=_token_auth(options.token_env, view))
                if options.http_api is not None:
                    made, shown = api_app(view, place[0], served, _api(options)), API_AT
                else:
                    made, shown = _mcp_server(options, view, beside), MCP_AT
                    made = made if where is None else http_app(made, place[0], served)
            except ValueError as problem:
                raise TargetError(str(problem)) from None
        try:
            if where is None:
                return await _until_signalled(serve_stdio(made), registry)
            with _Noted() as noted:
                await serve_app(made, place, served, shown)
            return noted.status
        finally:
            with quiet_stdout():
                await close(registry)

    try:
        return asyncio.run(main())
    except TargetError as problem:
        return no_registry(options.target, problem)
    except UnknownProviderError as problem:
        raise refuse(options.target, "no-definition", str(problem)) from None
    except OSError as problem:
        if where is None:
            raise
        raise refuse(where, "not-served", str(problem), "choose another address") from None


def _check_use(options: _Options) -> None:
    """Refuse options that what is served has no use for."""
    if options.http_api is not None:
        for name in _FOR_MCP:
            if getattr(options, name):
                option = f"--{name.replace('_', '-')}"
                message = f"{option} is for MCP, and --http-api serves no MCP"
                raise refuse(option, "needs-mcp", message, "leave one of them out")
    elif options.http is None and (options.token_env or options.stateless):
        option = "--token-env" if options.token_env else "--stateless"
        raise refuse(option, "needs-http", f"{option} is for HTTP, and stdio is served", "add --http PORT")


def _mcp_server(options: _Options, view: "ToolView", beside: JsonObject) -> Any:
    from ..mcp.serving.server import mcp_server

    about = _stated(options)
    icons = [{"src": url} for url in options.icon]
    more: JsonObject = {
        "website_url": options.website,
        "icons": icons,
        "ask_approvals": options.ask_approvals,
        "tasks": None if options.tasks is None else _tasks(options.tasks),
    }
    return mcp_server(view, **about, **more, **beside)


def _tasks(file: str) -> "Tasks":
    from ..mcp.serving.tasks import Tasks
    from ..runtime.database import StorageError

    try:
        return Tasks(file)
    except StorageError as problem:
        raise refuse(file, "no-tasks", str(problem), "name another file") from None


def _api(options: _Options) -> "ApiOptions":
    from ..mcp.serving.http_api import ApiOptions

    about = _stated(options)
    return ApiOptions(title=about["title"] or about["name"], version=about["version"])


def _stated(options: _Options) -> JsonObject:
    from ..mcp.serving.server import identity_of

    name, version = options.server_name, options.server_version
    identity = identity_of(options.target.partition(":")[0])
    return {
        "name": identity.name if name is None else name,
        "version": (identity.version if name is None else "") if version is None else version,
        "title": options.title,
        "instructions": options.instructions,
    }


def _token_auth(variable: str | None, view: "ToolView") -> "BearerAuth | None":
    """Make the check of one token, which permits whatever the tools need."""
    from ..mcp.serving.clients import BearerAuth, fixed_token

    if variable is None:
        return None
    token = os.environ.get(variable, "")
    if not token:
        raise refuse(variable, "no-token", f"the environment variable {variable} has no value")
    scopes = [scope for name in view for scope in view.get(name).binding.scopes]
    try:
        return BearerAuth(verify=fixed_token(token, scopes=scopes))
    except ValueError as problem:
        raise refuse(variable, "bad-token", f"the environment variable {variable}: {problem}") from None


async def _beside(options: _Options) -> JsonObject:
    """Load prompts and resources of the program. Raises TargetError."""
    from ..mcp.serving.prompts_and_resources import Prompts, Resources

    beside: JsonObject = {}
    if options.resources is not None:
        beside["resources"] = await load_target(options.resources, Resources, "a Resources object")
    if options.prompts is not None:
        beside["prompts"] = await load_target(options.prompts, Prompts, "a Prompts object")
    return beside


def _split(values: tuple[str, ...]) -> list[str] | None:
    parts = [part.strip() for each in values for part in each.split(",")]
    return [part for part in parts if part] or None


def _chosen(
    registry: "ToolView", groups: list[str] | None, names: list[str] | None, permission: Any
) -> "ToolView":
    """Choose the tools to offer. Raises ValueError for a choice that leaves none."""
    for name in names or ():
        if name not in registry:
            near = difflib.get_close_matches(name, registry.names, n=1)
            hint = (
                f"did you mean {near[0]}?"
                if near
                else f"there are: {', '.join(registry.names[:20]) or '(none)'}"
            )
            raise ValueError(f"there is no tool {name!r}; {hint}")
    if groups is None and names is None and permission is None:
        return registry
    view = registry.select(groups=groups, names=names, permission=permission)
    if not len(view):
        present = sorted({registry.get(name).binding.group for name in registry} - {""})
        raise ValueError(f"no tool fits the choice; groups there are: {', '.join(present) or '(none)'}")
    return view


class _Noted:
    """The signal that ended an HTTP server; uvicorn would raise it anew before handlers are released."""

    def __init__(self) -> None:
        self.status = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "_Noted":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _frame: object) -> None:
        self.status = 128 + number

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


async def _until_signalled(serving: Any, registry: "ToolView") -> int:
    """Serve until stdin ends; a signal ends the process: the thread that reads stdin cannot be stopped."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(serving)
    noted: asyncio.Future[int] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, _noting(noted, number))
    await asyncio.wait({task, noted}, return_when=asyncio.FIRST_COMPLETED)
    if not noted.done():
        await task
        return 0
    task.cancel()
    await asyncio.wait({task}, timeout=_GRACE)
    await close(registry)
    sys.stderr.flush()
    os._exit(128 + noted.result())


def _noting(noted: "asyncio.Future[int]", number: int) -> Callable[[], None]:
    return lambda: None if noted.done() else noted.set_result(number)
