"""A registry over stdio or streamable HTTP, until the client goes or the program ends."""

import sys
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

from ..runtime.view import ToolView
from .sdk import load
from .server import mcp_server

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SESSION_IDLE = 1800.0
"""Seconds without a request after which a session of an older client is closed, and forgotten."""
MAX_SESSIONS = 1000
"""Sessions of older clients at once, some 40 kB each; one more is answered 503 until others end."""
PATH = "/mcp"
"""Where a server answers; clients are given `http://HOST:PORT/mcp`."""


async def serve_mcp(
    registry: ToolView,
    *,
    http: str | None = None,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    **options: Any,
) -> None:
    """Serve a registry over stdio or streamable HTTP. The registry stays open; close it when this returns.

    Args:
        registry: a registry or a selection.
        http: "HOST:PORT", or a port on this machine alone; None for stdio.
        allowed_hosts: hosts by which clients call the server, such as "tools.example.com:8000".
        allowed_origins: origins of pages that may call it.
        **options: options of `mcp_server`.

    Raises:
        ValueError: the address is not valid, or is reached from other machines without `allowed_hosts`.
        OSError: the address is in use.
    """
    server = mcp_server(registry, **options)
    if http is None:
        await serve_stdio(server)
    else:
        host, port = address(http)
        await serve_http(server, host, port, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins)


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
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
) -> None:
    """Serve streamable HTTP at `http://host:port/mcp` until the program ends.

    A page in a browser can be led to any address that the browser reaches (DNS rebinding), so requests must
    name a host that is allowed: this machine's own names, and `allowed_hosts`. There is no authentication:
    put a proxy before what other machines reach.

    Args:
        server: a server of `mcp_server`.
        host: address to listen at.
        port: port to listen at.
        allowed_hosts: as for `serve_mcp`.
        allowed_origins: as for `serve_mcp`.

    Raises:
        ValueError: other machines reach the address, and there are no `allowed_hosts`.
        OSError: the address is in use.
    """
    import socket

    app = http_app(server, host, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins)
    uvicorn = load("uvicorn")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        # Bound here: uvicorn would end the whole process where the address is taken.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=5
        )
        shown = f"[{host}]" if ":" in host else host
        _log(f"serving MCP at http://{shown}:{listening.getsockname()[1]}{PATH}")
        await uvicorn.Server(config).serve(sockets=[listening])


def http_app(
    server: Any,
    host: str = "127.0.0.1",
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    session_idle: float = SESSION_IDLE,
    max_sessions: int = MAX_SESSIONS,
) -> Any:
    """The ASGI application alone, to be mounted or served otherwise.

    Clients of older revisions have sessions: at most `max_sessions`, each until it had no request for
    `session_idle` seconds. Raises ValueError as `serve_http`, and for bounds out of range.
    """
    if not is_loopback(host) and not allowed_hosts:
        raise ValueError(
            f"{host} is reached from other machines: name the hosts by which clients call it "
            "(allowed_hosts, --allow-host tools.example.com:8000), or serve on 127.0.0.1."
        )
    own = [f"{name}:*" for name in ("127.0.0.1", "localhost", "[::1]")]
    security = load("mcp.server.transport_security").TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*own, *allowed_hosts],
        allowed_origins=[*(f"http://{each}" for each in own), *allowed_origins],
    )
    return server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        transport_security=security,
        session_idle_timeout=session_idle,
        max_sessions=max_sessions,
    )


def address(text: str) -> tuple[str, int]:
    """Host and port of "HOST:PORT", "[::1]:PORT" or "PORT". Raises ValueError."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or LOOPBACK[0]
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, as 127.0.0.1:8000, or a port alone.")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _log(message: str) -> None:
    import logging

    logging.getLogger("toolcast.mcp").info(message)
