"""Sessions that clients leave behind: they end, and nothing of them stays."""

import asyncio
import gc
from typing import Any

import pytest
from toolcast.mcp import HttpOptions

from tests.mcp.conftest import Sdk
from tests.mcp.over_http import message, opened, serving

pytestmark = pytest.mark.usefixtures("installed")


def connections(sdk: Sdk) -> int:
    kind = sdk("mcp.server.connection").Connection
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


@pytest.mark.thorough
def test_sessions_that_are_left_end_and_are_forgotten(sdk: Sdk) -> None:
    before = connections(sdk)

    async def use() -> None:
        async with serving(sdk, HttpOptions(session_idle=1)) as (client, _):
            for _ in range(20):
                listed = await client.post(
                    "/mcp", json=message("tools/list", 2), headers=await opened(client)
                )
                assert "bash" in listed.text
            assert connections(sdk) > before
            for _ in range(900):
                await asyncio.sleep(0.05)
                if connections(sdk) <= before:
                    return
            raise AssertionError(f"{connections(sdk) - before} connections are kept")

    asyncio.run(asyncio.wait_for(use(), 60))


def test_a_session_is_idle_from_the_end_of_its_last_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the SDK counts; else one that is open would take no share of the sessions."""
    from toolcast.mcp.serving.sessions import Sessions

    now = 100.0
    monkeypatch.setattr("toolcast.mcp.serving.sessions.monotonic", lambda: now)
    asked: list[tuple[str, str | None]] = []

    async def answering(scope: Any, receive: Any, send: Any) -> None:
        nonlocal now
        session = dict(scope["headers"]).get(b"mcp-session-id")
        asked.append((scope["method"], session and session.decode()))
        await receive()
        headers = [(b"mcp-session-id", f"s{len(asked)}".encode())] if session is None else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "GET":
            now += 0.3  # a stream that stays open for longer than a session is idle
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
