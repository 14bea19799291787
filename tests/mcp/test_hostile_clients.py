"""Hostile clients over HTTP: the server answers them, and goes on for the others."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable
from typing import Any

import pytest
from toolcast.mcp import BearerAuth, HttpOptions, fixed_token, mcp_server, serve_http
from toolcast.runtime import ToolRegistry

from tests.mcp.conftest import MODERN, Sdk
from tests.mcp.over_http import HEADERS, MODERN_META, calling, message, opened, result_of, serving

pytestmark = pytest.mark.usefixtures("installed")
NEWEST = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "bash"}


def run(session: Awaitable[Any]) -> Any:
    return asyncio.run(asyncio.wait_for(session, 240))


async def still_serves(client: Any) -> bool:
    """Whether another client is served."""
    session = await opened(client)
    answer = await client.post("/mcp", json=calling("free"), headers=session)
    return "done at once" in answer.text


def statuses(sdk: Sdk, *requests: tuple[dict[str, str], bytes], **options: Any) -> list[int]:
    async def use() -> list[int]:
        async with serving(sdk, HttpOptions(**options)) as (client, _):
            session = await opened(client)
            found = []
            for headers, body in requests:
                merged = {**(session if not headers else {}), **headers}
                found.append((await client.post("/mcp", content=body, headers=merged)).status_code)
            assert await still_serves(client)
            return found

    return run(use())


@pytest.mark.parametrize("headers", [{}, NEWEST])
def test_bodies_past_the_limit_are_refused(headers: dict[str, str], sdk: Sdk) -> None:
    """With a length, and in chunks without one."""
    big = json.dumps(calling("x" * 5000)).encode()
    assert statuses(sdk, (headers, big), max_body=4000) == [413]

    async def chunks() -> AsyncGenerator[bytes]:
        for start in range(0, len(big), 500):
            yield big[start : start + 500]

    async def use() -> int:
        async with serving(sdk, HttpOptions(max_body=4000)) as (client, _):
            return (await client.post("/mcp", content=chunks(), headers=headers)).status_code

    assert run(use()) == 413


def test_a_body_without_a_token_is_not_read(sdk: Sdk) -> None:
    """It announces 1 GB, and is answered before it has sent anything."""
    options = HttpOptions(auth=BearerAuth(verify=fixed_token("0123456789abcdef")), max_body=1 << 40)

    async def use() -> bytes:
        async with serving(sdk, options) as (client, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
            writer.write(head(client, 1 << 30))
            status = await reader.readline()
            writer.close()
            return status

    assert b" 401 " in run(use())


def head(client: Any, length: int) -> bytes:
    lines = ["POST /mcp HTTP/1.1", f"host: 127.0.0.1:{client.base_url.port}", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in HEADERS.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def test_a_body_that_never_ends_is_answered(sdk: Sdk) -> None:
    async def use() -> bytes:
        async with serving(sdk, HttpOptions(body_seconds=0.3)) as (client, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
            writer.write(head(client, 100) + b'{"jsonrpc"')
            status = await reader.readline()
            assert await still_serves(client)
            writer.close()
            return status

    assert b" 408 " in run(use())


NO_REQUESTS = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash","arguments":'
    + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}}",
    b"\xff\xfe", b"", b"null", b"[]", b"7", b"{}", b'"' + b"\\u0000" * 1000 + b'"',
    b'{"jsonrpc":"2.0","id":' + b"9" * 100_000 + b',"method":"ping"}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":["ping"]}',
]  # fmt: skip


def test_what_is_no_request_is_told(sdk: Sdk) -> None:
    found = statuses(sdk, *((headers, body) for body in NO_REQUESTS for headers in ({}, NEWEST)))
    assert all(400 <= status < 500 for status in found), found


def test_ids_that_are_none_get_no_result(sdk: Sdk) -> None:
    """Sessions of older revisions take such a request for a notification, which has no answer."""
    ids = (b"1e999", b'{"a":1}', b"[1]", b"true")
    bodies = [b'{"jsonrpc":"2.0","id":' + id + b',"method":"ping"}' for id in ids]
    found = statuses(sdk, *((headers, body) for body in bodies for headers in ({}, NEWEST)))
    assert found == [202, 400] * 4


def test_arguments_as_deep_as_a_request_may_be(sdk: Sdk) -> None:
    """What the transport lets through is a failed result, in words."""
    deep: Any = 1
    for _ in range(150):
        deep = {"a": deep}

    async def use() -> list[Any]:
        async with serving(sdk) as (client, _):
            session = await opened(client)
            request = message("tools/call", 1, name="bash", arguments={"command": deep, "other": deep})
            first = await client.post("/mcp", json=request, headers=session)
            request["params"]["_meta"] = MODERN_META
            second = await client.post("/mcp", json=request, headers=NEWEST)
            assert await still_serves(client)
            return [result_of(first.text), result_of(second.text)]

    for answer in run(use()):
        assert answer["result"]["isError"]
        assert "command" in answer["result"]["content"][0]["text"]


def test_sessions_that_never_were(sdk: Sdk) -> None:
    body = json.dumps(calling("free")).encode()
    requests = []
    for id in ("", "x", "a" * 8000, "../../etc", "\x7f", "ä"):
        headers: Any = {"mcp-session-id": id.encode(), "mcp-protocol-version": "2025-11-25"}
        requests += [(headers, body), ({**headers, "last-event-id": "1-1"}, body)]
    assert set(statuses(sdk, *requests)) == {404}


@pytest.mark.parametrize(("most", "tried"), [(10, 30), pytest.param(100, 1500, marks=pytest.mark.thorough)])
def test_many_sessions(most: int, tried: int, sdk: Sdk) -> None:
    """Past the limit none is opened; those that are open go on, and room comes back as they end."""

    async def use() -> tuple[int, bool, bool]:
        async with serving(sdk, HttpOptions(max_sessions=most)) as (client, _):
            sessions = [await opened(client) for _ in range(most)]
            refused = 0
            for _ in range(tried - most):
                params = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "", "version": ""},
                }
                answer = await client.post("/mcp", json=message("initialize", 1, **params))
                refused += answer.status_code == 503
            last = await client.post("/mcp", json=calling("free"), headers=sessions[-1])
            await client.delete("/mcp", headers=sessions[0])
            return refused, "done at once" in last.text, await still_serves(client)

    assert run(use()) == (tried - most, True, True)


def test_connections_past_the_limit_are_refused(sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    """Connections on which nobody says anything count; room comes back as they end."""
    httpx = sdk("httpx")

    async def use() -> list[int]:
        server = mcp_server(ToolRegistry())
        task = asyncio.create_task(serve_http(server, port=0, options=HttpOptions(max_connections=3)))
        while not (found := re.search(r"serving MCP at http://127.0.0.1:(\d+)", caplog.text)):
            await asyncio.sleep(0.01)
        idle = [await asyncio.open_connection("127.0.0.1", int(found[1])) for _ in range(3)]

        async def status() -> int:
            async with httpx.AsyncClient(timeout=60) as client:
                code: int = (await client.get(f"http://127.0.0.1:{found[1]}/elsewhere")).status_code
                return code

        statuses = [await status()]
        for _, writer in idle:
            writer.close()
            await writer.wait_closed()
        while (last := await status()) == 503:  # the server has not seen yet that they ended
            await asyncio.sleep(0.01)
        statuses.append(last)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return statuses

    with caplog.at_level("INFO"):
        assert run(use()) == [503, 404]


def test_a_client_that_does_not_read_holds_up_nobody_else(sdk: Sdk) -> None:
    """Its results of 200 kB each wait for it; others, and the same session, are served."""

    async def use() -> bool:
        async with serving(sdk) as (client, held):
            held.go.set()
            session = await opened(client)
            writers = []
            for number in range(8):
                body = json.dumps(calling("x" * 200_000, number)).encode()
                _, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port, limit=1024)
                extra = "".join(f"{name}: {value}\r\n" for name, value in session.items()).encode()
                first, _, rest = head(client, len(body)).partition(b"\r\n")
                writer.write(first + b"\r\n" + extra + rest + body)
                await writer.drain()
                writers.append(writer)
            await asyncio.sleep(0.2)
            same = await client.post("/mcp", json=calling("free", 99), headers=session)
            served = await still_serves(client)
            for writer in writers:
                writer.close()
            return "done at once" in same.text and served

    assert run(use())


def test_requests_that_name_another_machine_or_come_from_other_pages(sdk: Sdk) -> None:
    """DNS rebinding."""
    body = json.dumps(message("initialize", 1)).encode()
    hosts = ("evil.example.com", "127.0.0.1.evil.example.com:80", "localhost.evil.example.com:80", "")
    origins = ("http://evil.example.com", "null", "http://127.0.0.1.evil.example.com:1", "file://")
    requests = [({"host": host, **more}, body) for host in hosts for more in ({}, NEWEST)]
    requests += [({"origin": origin, **more}, body) for origin in origins for more in ({}, NEWEST)]
    assert statuses(sdk, *requests) == [421] * 8 + [403] * 8


def test_two_requests_of_one_id_at_once(sdk: Sdk) -> None:
    """Of one session: whatever they are answered, the session goes on."""

    async def use() -> str:
        async with serving(sdk) as (client, held):
            session = await opened(client)
            first = asyncio.create_task(client.post("/mcp", json=calling("hold", 1), headers=session))
            while not held.running:
                await asyncio.sleep(0.01)
            second = asyncio.create_task(client.post("/mcp", json=calling("free", 1), headers=session))
            await asyncio.wait([second], timeout=0.5)
            held.go.set()
            await asyncio.wait([first, second], timeout=0.5)
            answer = await client.post("/mcp", json=calling("free", 2), headers=session)
            for task in (first, second):
                task.cancel()
            return answer.text

    assert "done at once" in run(use())
