"""A registry over HTTP for tests: a real socket, and requests written by hand."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

from msgspec import structs
from toolcast.mcp import HttpOptions, http_app, mcp_server
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from generated.shell.bash import BASH, BashParams
from tests.mcp.conftest import Sdk

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Held:
    """A tool whose calls wait until they are let go; the command `free` does not wait."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.running = 0
        self.most = 0
        self.contexts: list[ToolContext] = []
        self.users: list[Any] = []

    async def __call__(self, params: BashParams, context: ToolContext) -> ToolResult:
        from mcp.server.auth.middleware.auth_context import get_access_token

        self.contexts.append(context)
        self.users.append(get_access_token())
        if params.command == "free":
            return ToolResult.failed("done at once")
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.go.wait()
        finally:
            self.running -= 1
        return ToolResult.failed(f"{params.command} is done")


@asynccontextmanager
async def listening(sdk: Sdk, app: Any) -> AsyncGenerator[str]:
    """The address of an ASGI application on a port of this machine."""
    uvicorn = sdk("uvicorn")
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        running = uvicorn.Server(
            uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        )
        task = asyncio.create_task(running.serve(sockets=[port]))
        try:
            while not running.started:
                await asyncio.sleep(0.005)
            yield f"http://127.0.0.1:{port.getsockname()[1]}"
        finally:
            running.should_exit = True
            await task


@asynccontextmanager
async def serving(
    sdk: Sdk, options: HttpOptions | None = None, scopes: tuple[str, ...] = (), **server: Any
) -> AsyncGenerator[tuple[Any, Held]]:
    """An httpx client of a server on a port of this machine, and its one tool, which needs `scopes`."""
    httpx = sdk("httpx")
    held = Held()
    registry = ToolRegistry()
    registry.register(structs.replace(BASH, scopes=scopes), held)
    app = http_app(mcp_server(registry, **server), options=options or HttpOptions())
    limits = httpx.Limits(max_connections=None)
    async with listening(sdk, app) as url:
        try:
            async with httpx.AsyncClient(base_url=url, headers=HEADERS, limits=limits, timeout=60) as client:
                yield client, held
        finally:
            held.go.set()


def run(session: Awaitable[Any], seconds: float = 240) -> Any:
    return asyncio.run(asyncio.wait_for(session, seconds))


def message(method: str, id: Any = None, **params: Any) -> dict[str, Any]:
    made = {"jsonrpc": "2.0", "method": method, "params": params}
    return made if id is None else {**made, "id": id}


def calling(command: str, id: Any = 1) -> dict[str, Any]:
    return message("tools/call", id, name="bash", arguments={"command": command})


async def opened(client: Any, version: str = "2025-11-25", **headers: str) -> dict[str, str]:
    """Open a session; returns the headers of its requests."""
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = await client.post("/mcp", json=message("initialize", 0, **about), headers=headers)
    assert answer.status_code == 200, answer.text
    session = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": version, **headers}
    accepted = await client.post("/mcp", json=message("notifications/initialized"), headers=session)
    assert accepted.status_code == 202
    return session


def result_of(text: str) -> Any:
    """The JSON-RPC answer in a body that is JSON, or the last event of a stream."""
    if text.startswith("{"):
        return json.loads(text)
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")][-1]


async def events(response: Any) -> AsyncGenerator[dict[str, str]]:
    """The events of a stream, as fields."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        elif fields:
            yield fields
            fields = {}
