"""A registry over stdio or streamable HTTP, until the client goes or the program ends."""

import logging
import socket
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

from msgspec import Struct

from ...runtime.view import ToolView
from ..sdk import load
from .clients import BearerAuth, BearerGuard, ScopeGuard, metadata_routes
from .request_guards import Authority, BodyDeadline, HostGuard, Origin
from .server import mcp_server
from .sessions import MEBIBYTE, EventLog, Replay, Sessions, WithoutReplay

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"
"""Where a server answers; clients are given `http://HOST:PORT/mcp`."""
MCP_AT = f"MCP at {{}}{PATH}"
"""The same for people, with `{}` for the URL of the server."""


class HttpOptions(Struct, frozen=True, kw_only=True):
    """Options of `serve_http` and `http_app`.

    Attributes:
        allowed_hosts: hosts by which clients call the server, such as "tools.example.com:8000", beside this
            machine's own names with its port; without a port for 80 and 443, with ":*" for any.
        allowed_origins: origins of web pages that may call it, such as "https://tools.example.com", beside
            the server's own.
        auth: who may call; None for everybody who reaches it.
        stateless: whether clients of older revisions have no sessions: each request stands alone, so that any
            of several processes answers it. Nothing is replayed, and the server asks clients nothing.
        max_sessions: sessions of older clients at once, some 40 kB each. One more takes the place of one that
            has no call: the one used least recently of the client that has most. Where there is none it is
            answered 503.
        max_client_sessions: the same for one client: a principal, or without `auth` the address that
            connects, of IPv6 the network of 64 bits. One more takes the place of one of its own.
        session_idle: seconds without a request after which such a session is closed, and forgotten.
        max_body: bytes of one request; a longer one is answered 413, before it is read.
        body_seconds: seconds in which a request must have arrived; a later one is answered 408.
        max_connections: connections at once; one more is answered 503 (`serve_http` alone).
        replay: what is kept for clients with a broken connection.
    """

    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    auth: BearerAuth | None = None
    stateless: bool = False
    max_sessions: int = 1000
    max_client_sessions: int = 500
    session_idle: float = 1800.0
    max_body: int = 4 * MEBIBYTE
    body_seconds: float = 60.0
    max_connections: int = 2500
    replay: Replay = Replay()


async def serve_mcp(
    registry: ToolView,
    *,
    http: str | None = None,
    options: HttpOptions = HttpOptions(),  # noqa: B008 - frozen
    **server: Any,
) -> None:
    """Serve a registry over stdio or streamable HTTP. The registry stays open; close it when this returns.

    Args:
        registry: a registry or a selection.
        http: "HOST:PORT", or a port on this machine alone; None for stdio.
        options: how to serve over HTTP.
        **server: options of `mcp_server`.

    Raises:
        ValueError: the address is not valid, or is reached from other machines without `allowed_hosts`.
        OSError: the address is in use.
    """
    made = mcp_server(registry, **server)
    if http is None:
        await serve_stdio(made)
    else:
        host, port = address(http)
        await serve_http(made, host, port, options)


async def serve_stdio(server: Any) -> None:
    """Serve one client on stdin and stdout, until it closes stdin.

    Meanwhile what handlers and their children print goes to stderr: stdout belongs to the protocol.

    Args:
        server: a server of `mcp_server`.
    """
    async with load("mcp.server.stdio").stdio_server() as (incoming, outgoing):
        try:
            await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # what waits in its buffer belongs to stderr still


async def serve_http(
    server: Any,
    host: str = "127.0.0.1",
    port: int = 8000,
    options: HttpOptions = HttpOptions(),  # noqa: B008 - frozen
) -> None:
    """Serve streamable HTTP at `http://host:port/mcp` until the program ends.

    A page in a browser can be led to any address that the browser reaches (DNS rebinding), so requests must
    name a host that is allowed: this machine's own names with the port, and `HttpOptions.allowed_hosts`.

    Args:
        server: a server of `mcp_server`.
        host: address to listen at.
        port: port to listen at.
        options: how to serve.

    Raises:
        ValueError: other machines reach the address, and there are no `allowed_hosts`.
        OSError: the address is in use.
    """
    await serve_app(http_app(server, host, options), (host, port), options, MCP_AT)


async def serve_app(app: Any, address: tuple[str, int], options: HttpOptions, shown: str) -> None:
    """Serve an ASGI application until the program ends. The log says `shown`, with the URL of the server in
    place of `{}`. Raises OSError where the address is in use.
    """
    host, port = address
    uvicorn = load("uvicorn")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        # Bound here: uvicorn would end the whole process where the address is taken.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)  # whoever reads the address may connect at once
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=5,
            limit_concurrency=options.max_connections + 1,  # uvicorn refuses the one that reaches it
            proxy_headers=False,  # whoever calls could state any address, and so have any number of shares
        )  # fmt: skip
        url = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        logging.getLogger("toolcast.mcp").info(f"serving {shown.format(url)}")
        await uvicorn.Server(config).serve(sockets=[listening])


def http_app(
    server: Any,
    host: str = "127.0.0.1",
    options: HttpOptions = HttpOptions(),  # noqa: B008 - frozen
) -> Any:
    """The ASGI application alone, to be mounted or served otherwise.

    Args:
        server: a server of `mcp_server`.
        host: address at which it will be reached.
        options: how to serve.

    Returns:
        A `starlette.applications.Starlette`.

    Raises:
        ValueError: as `serve_http`; a bound is out of range.
    """
    if min(options.max_sessions, options.max_client_sessions) < 1:
        raise ValueError("max_sessions and max_client_sessions are 1 or more")
    # HostGuard and Sessions take the place of the SDK's checks, which compare beginnings of hosts, and
    # give all sessions to whoever comes first.
    security = load("mcp.server.transport_security")
    replaying = options.replay.session_events > 0 and not options.stateless
    store = EventLog(options.replay) if replaying else None
    made = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        transport_security=security.TransportSecuritySettings(enable_dns_rebinding_protection=False),
        stateless_http=options.stateless,
        session_idle_timeout=options.session_idle,
        max_sessions=None,
        max_request_body_size=options.max_body,
        event_store=store,
        retry_interval=options.replay.retry,
        custom_starlette_routes=metadata_routes(options.auth) if options.auth is not None else None,
    )
    # The one that is added last comes first.
    if store is None:
        made.add_middleware(WithoutReplay)
    if not options.stateless:
        made.add_middleware(
            Sessions,
            store=store,
            most=options.max_sessions,
            share=options.max_client_sessions,
            idle=options.session_idle,
        )
    if options.auth is not None:
        made.add_middleware(ScopeGuard, auth=options.auth, needed=server.scopes_of)
        made.add_middleware(security.RequestBodyLimitMiddleware, max_body_size=options.max_body)
    return guarded(made, host, options)


def guarded(app: Any, host: str, options: HttpOptions) -> Any:
    """Return a Starlette application that checks requests by `options` first: their host and origin, token,
    and how long they take to arrive. Raises ValueError, as `serve_http`.
    """
    if not _is_loopback(host) and not options.allowed_hosts:
        raise ValueError(
            f"{host} is reached from other machines: name the hosts by which clients call it "
            "(allowed_hosts, --allow-host tools.example.com:8000), or serve on 127.0.0.1."
        )
    if not 0 < options.body_seconds < float("inf"):
        raise ValueError("body_seconds is a positive number of seconds")
    hosts = [Authority.of(each) for each in options.allowed_hosts]
    origins = [Origin.of(each) for each in options.allowed_origins]
    app.add_middleware(BodyDeadline, seconds=options.body_seconds)
    if options.auth is not None:
        app.add_middleware(BearerGuard, auth=options.auth)
    app.add_middleware(HostGuard, hosts=hosts, origins=origins)
    return app


def address(text: str) -> tuple[str, int]:
    """Return host and port of "HOST:PORT", "[::1]:PORT" or "PORT". Raises ValueError."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or _LOOPBACK[0]
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, as 127.0.0.1:8000, or a port alone.")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
