"""Sessions that clients leave behind: they end, and nothing of them stays."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from toolcast.mcp import HttpOptions, http_app, mcp_server
from toolcast.runtime import ToolRegistry

from generated.files.edit import EDIT
from tests.mcp import app
from tests.mcp.conftest import Sdk

pytestmark = pytest.mark.usefixtures("installed")
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
VERSION = "2025-06-18"


@asynccontextmanager
async def served(sdk: Sdk, **options: Any) -> AsyncGenerator[Any]:
    """A client of a server in this process, without a port."""
    httpx = sdk("httpx")
    registry = ToolRegistry()
    registry.register(EDIT, app.edit)
    made = http_app(mcp_server(registry), options=HttpOptions(**options))
    transport = httpx.ASGITransport(made)
    async with (
        made.router.lifespan_context(made),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=HEADERS) as client,
    ):
        yield client


async def begin(client: Any) -> Any:
    """What a client of an older revision does first; then it goes without a word."""
    about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = await client.post("/mcp", json=request("initialize", 1, params=about))
    if answer.status_code != 200:
        return answer
    session = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": VERSION}
    await client.post("/mcp", json=request("notifications/initialized"), headers=session)
    listed = await client.post("/mcp", json=request("tools/list", 2), headers=session)
    assert "edit" in listed.text
    return answer


def request(method: str, id: int | None = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, **({} if id is None else {"id": id}), **more}


def connections(sdk: Sdk) -> int:
    kind = sdk("mcp.server.connection").Connection
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


@pytest.mark.thorough
def test_sessions_that_are_left_end_and_are_forgotten(sdk: Sdk) -> None:
    before = connections(sdk)

    async def use() -> None:
        async with served(sdk, session_idle=0.3) as client:
            for _ in range(20):
                assert (await begin(client)).status_code == 200
            assert connections(sdk) > before
            for _ in range(200):
                await asyncio.sleep(0.05)
                if connections(sdk) <= before:
                    return
            raise AssertionError(f"{connections(sdk) - before} connections are kept")

    asyncio.run(asyncio.wait_for(use(), 60))


def test_no_more_sessions_than_the_limit(sdk: Sdk) -> None:
    async def use() -> list[int]:
        async with served(sdk, max_sessions=3) as client:
            made = [(await begin(client)).headers["mcp-session-id"] for _ in range(5)]
            asked = [
                await client.post("/mcp", json=request("ping", 1), headers={"mcp-session-id": each})
                for each in made
            ]
            return [answer.status_code for answer in asked]

    assert asyncio.run(asyncio.wait_for(use(), 60)) == [404, 404, 200, 200, 200]


def test_a_session_is_idle_from_the_end_of_its_last_request() -> None:
    """As the SDK counts; else one that is open would take no share of the sessions."""
    from toolcast.mcp.serving.sessions import Sessions

    asked: list[tuple[str, str | None]] = []

    async def answering(scope: Any, receive: Any, send: Any) -> None:
        session = dict(scope["headers"]).get(b"mcp-session-id")
        asked.append((scope["method"], session and session.decode()))
        await receive()
        headers = [(b"mcp-session-id", f"s{len(asked)}".encode())] if session is None else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "GET":
            await asyncio.sleep(0.3)  # a stream that stays open for longer than a session is idle
        await send({"type": "http.response.body", "body": b""})

    async def use() -> None:
        sessions = Sessions(answering, None, most=1, share=1, idle=0.2)

        async def ask(method: str, session: bytes | None = None) -> None:
            async def receive() -> Any:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(_message: Any) -> None:
                """Nobody reads it."""

            headers = [] if session is None else [(b"mcp-session-id", session)]
            scope = {"type": "http", "method": method, "headers": headers, "client": ("127.0.0.1", 1)}
            await sessions(scope, receive, send)

        await ask("POST")
        await ask("GET", b"s1")
        await ask("POST")

    asyncio.run(asyncio.wait_for(use(), 60))
    assert asked == [("POST", None), ("GET", "s1"), ("POST", None), ("DELETE", "s1")]
