"""Hostile clients over HTTP: the server answers them, and goes on for the others."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit

import pydantic_core
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.mcp import BearerAuth, HttpOptions, Principal, fixed_token, http_app, mcp_server, serve_http
from toolcast.mcp.serving.request_guards import Authority, HostGuard, Origin
from toolcast.runtime import ToolRegistry

from tests.mcp.conftest import MODERN, Sdk
from tests.mcp.over_http import HEADERS, MODERN_META, calling, message, opened, result_of, run, serving

pytestmark = pytest.mark.usefixtures("installed")
NEWEST = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "bash"}


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
        async with serving(sdk, HttpOptions(body_seconds=1)) as (client, _):
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


BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "", "version": ""}}
TOKENS = ("a" * 20, "b" * 20, "c" * 20)


async def begin(client: Any, token: str) -> tuple[int, dict[str, str]]:
    """The status of a request for a session, and the headers of its requests."""
    headers = {"authorization": f"Bearer {token}", "mcp-protocol-version": "2025-11-25"}
    answer = await client.post("/mcp", json=message("initialize", 0, **BEGIN), headers=headers)
    return answer.status_code, {**headers, "mcp-session-id": answer.headers.get("mcp-session-id", "")}


async def goes_on(client: Any, session: dict[str, str]) -> bool:
    answer = await client.post("/mcp", json=calling("free"), headers=session)
    assert answer.status_code in (200, 404)
    return answer.status_code == 200


async def whose(token: str) -> Principal | None:
    return Principal(id=token[0]) if token in TOKENS else None


@pytest.mark.parametrize(
    ("most", "share"), [(10, 5), (10, 100), pytest.param(1000, 500, marks=pytest.mark.thorough)]
)
def test_many_sessions(most: int, share: int, sdk: Sdk) -> None:
    """Who opens more than its share, or all there are, loses its own: others open theirs and keep them."""
    a, b, c = TOKENS
    options = HttpOptions(max_sessions=most, max_client_sessions=share, auth=BearerAuth(verify=whose))

    async def use() -> None:
        async with serving(sdk, options) as (client, _):
            early = [(await begin(client, b))[1] for _ in range(2)]
            made = [await begin(client, a) for _ in range(most + min(most, 100))]
            assert {status for status, _ in made} == {200}
            late = [await begin(client, c) for _ in range(3)]
            assert {status for status, _ in late} == {200}
            for session in [*early, *(session for _, session in late)]:
                assert await goes_on(client, session)
            kept = [await goes_on(client, session) for _, session in made]
            assert sum(kept) == min(share, most - 5)
            assert kept == sorted(kept)  # the oldest went

    run(use())


def test_sessions_with_a_call_stay_and_the_rest_go_by_their_use(sdk: Sdk) -> None:
    a, b, _ = TOKENS
    options = HttpOptions(max_sessions=6, max_client_sessions=4, auth=BearerAuth(verify=whose))

    async def use() -> None:
        async with serving(sdk, options) as (client, held):
            first, second, third, fourth = [(await begin(client, a))[1] for _ in range(4)]
            calls = [asyncio.create_task(client.post("/mcp", json=calling("x"), headers=first))]
            while held.running < 1:
                await asyncio.sleep(0.01)
            assert await goes_on(client, second)  # so `third` is the oldest now
            status, fifth = await begin(client, a)
            assert status == 200
            assert [await goes_on(client, each) for each in (third, second, fourth, fifth)] == [
                False,
                True,
                True,
                True,
            ]
            for session in (second, fourth, fifth):
                calls.append(asyncio.create_task(client.post("/mcp", json=calling("x"), headers=session)))
            while held.running < 4:
                await asyncio.sleep(0.01)
            assert (await begin(client, a))[0] == 503  # each has a call
            others = [await begin(client, b) for _ in range(3)]
            assert [status for status, _ in others] == [200, 200, 200]
            assert [await goes_on(client, session) for _, session in others] == [False, True, True]
            await client.delete("/mcp", headers=others[2][1])
            assert (await begin(client, b))[0] == 200
            assert await goes_on(client, others[1][1])
            held.go.set()
            for call in calls:
                assert "x is done" in (await call).text

    run(use())


def test_sessions_of_others_cannot_be_kept_or_ended(sdk: Sdk) -> None:
    """A request with another principal's token finds no session, and changes nothing about it."""
    a, b, _ = TOKENS
    options = HttpOptions(max_sessions=4, max_client_sessions=2, auth=BearerAuth(verify=whose))

    async def use() -> None:
        async with serving(sdk, options) as (client, _):
            (_, first), (_, second) = [await begin(client, a) for _ in range(2)]
            stolen = {**first, "authorization": f"Bearer {b}"}
            assert not await goes_on(client, stolen)
            assert (await client.delete("/mcp", headers=stolen)).status_code == 404
            assert (await begin(client, a))[0] == 200
            assert [await goes_on(client, each) for each in (first, second)] == [False, True]

    run(use())


def test_clients_without_a_token_are_told_apart_by_address(sdk: Sdk) -> None:
    """An address of IPv6 counts with its network, and what a request states of itself does not count."""
    httpx = sdk("httpx")
    app = http_app(mcp_server(ToolRegistry()), options=HttpOptions(max_sessions=8, max_client_sessions=3))

    async def use() -> None:
        async with app.router.lifespan_context(app):

            async def sessions(address: str, count: int) -> list[Any]:
                transport = httpx.ASGITransport(app, client=(address, 1))
                url = "http://127.0.0.1:8000"
                async with httpx.AsyncClient(transport=transport, base_url=url, headers=HEADERS) as client:
                    spoofed = {"x-forwarded-for": address[::-1], "mcp-protocol-version": "2025-11-25"}
                    made = []
                    for _ in range(count):
                        answer = await client.post(
                            "/mcp", json=message("initialize", 0, **BEGIN), headers=spoofed
                        )
                        made.append(answer.headers["mcp-session-id"])
                    return made

            async def alive(ids: list[Any]) -> int:
                transport = httpx.ASGITransport(app, client=("192.0.2.9", 1))
                async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
                    answers = [
                        await client.post(
                            "/mcp", json=message("ping", 1), headers={**HEADERS, "mcp-session-id": id}
                        )
                        for id in ids
                    ]
                    return sum(answer.status_code == 200 for answer in answers)

            mine = await sessions("192.0.2.1", 2)
            assert await alive(await sessions("192.0.2.2", 5)) == 3
            network = [id for end in range(5) for id in await sessions(f"2001:db8::{end}", 1)]
            assert await alive(network) == 3
            assert await alive(await sessions("::ffff:192.0.2.1", 2) + mine) == 3
            assert await alive(await sessions("2001:db8:0:1::1", 1)) == 1

    run(use())


@pytest.mark.parametrize(
    "wrong",
    [{"max_sessions": 0}, {"max_client_sessions": 0}, {"body_seconds": 0}, {"body_seconds": float("nan")}],
)
def test_bounds_are_checked_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"1 or more|positive"):
        http_app(mcp_server(ToolRegistry()), options=HttpOptions(**wrong))


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


PORT = 18555
HOSTS_KNOWN = (
    "127.0.0.1:18555", "localhost:18555", "LocalHost:18555", "[::1]:18555", "[0:0::1]:18555",
    "localhost.:18555", "tools.example.com", "tools.example.com:443", "TOOLS.example.com.",
    "any.example.com:1", "[2001:db8::1]:8000",
)  # fmt: skip
HOSTS_UNKNOWN = (
    "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:18556", "", "127.0.0.1:18555@evil.example.com",
    "evil@127.0.0.1:18555", "127.0.0.1:", "127.0.0.1:018555", "127.0.0.1:118555", "127.0.0.1:+18555",
    "127.0.0.1:18555:1", "127.0.0.1:18555.evil.example.com", "127.0.0.1.evil.example.com:18555",
    "127.0.0.1:18555/", "127.0.0.1:18555#", "127.0.0.1:18555?a", "127.0.0.1:*", "localhost..:18555",
    ".localhost:18555", "local%68ost:18555", "::1:18555", "[::1]18555", "[::1%25lo]:18555",
    "[::1]@evil:18555", "[::ffff:127.0.0.1]:18555", "127.1:18555", "2130706433:18555", "0x7f.0.0.1:18555",
    "0.0.0.0:18555", "127.0.0.1:18555,evil.example.com", "127.0.0.1:18555 ",
    "127.0.0.1:\uff11\uff18\uff15\uff15\uff15", "\uff4cocalhost:18555", "tools.example.com:8000",
    "tools.example.com.evil.com", "[2001:db8::1]", "localhost\t:18555", "localhost:18555\n",
)  # fmt: skip


async def guarded(host: list[str], origin: list[str], port: int | None = PORT, scheme: str = "http") -> int:
    """The status of a request with these headers."""
    found: list[int] = []

    async def served(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(answer: Any) -> None:
        found.extend([answer["status"]] if "status" in answer else [])

    hosts = map(Authority.of, ("tools.example.com", "any.example.com:*", "[2001:DB8:0::1]:8000"))
    origins = map(Origin.of, ("https://tools.example.com", "http://localhost:*", "vscode-webview://abc"))
    headers = [(b"host", each.encode("utf-8")) for each in host]
    headers += [(b"origin", each.encode("utf-8")) for each in origin]
    scope = {"type": "http", "scheme": scheme, "headers": headers}
    guard = HostGuard(served, list(hosts), list(origins) if origin else [])
    await guard({**scope, "server": None if port is None else ("127.0.0.1", port)}, None, send)
    return found[0]


@pytest.mark.parametrize(
    ("host", "allowed"), [*((host, True) for host in HOSTS_KNOWN), *((host, False) for host in HOSTS_UNKNOWN)]
)
def test_hosts_are_compared_whole_and_with_their_port(host: str, allowed: bool) -> None:
    assert run(guarded([host], [])) == (200 if allowed else 421)
    own = Authority.of("127.0.0.1:18555") if allowed and host.endswith("18555") else None
    assert own is None or run(guarded([host], [], None)) == 421  # the port of the connection is not known
    assert run(guarded([host, host], [])) == run(guarded([], [])) == 421


ORIGINS_KNOWN = (
    "https://tools.example.com", "https://tools.example.com:443", "HTTPS://Tools.example.com",
    "vscode-webview://abc", "http://127.0.0.1:18555", "http://[::1]:18555", "http://localhost:1",
    "http://localhost",
)  # fmt: skip
ORIGINS_UNKNOWN = (
    "https://tools.example.com:80", "http://tools.example.com", "https://example.com",
    "https://tools.example.com/", "https://tools.example.com.evil.com", "null",
    "https://evil@tools.example.com", "https://tools.example.com@evil.com", "", "vscode-webview://abcd",
    "file://", "//localhost", "http://127.0.0.1:18556", "https://127.0.0.1:18555", "http://127.0.0.1",
    "http://127.0.0.1:18555@evil", "http://localhost:1@evil.com", "http://localhost:1.evil.com",
    "https://tools.example.com, https://evil.com",
)  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [*((origin, True) for origin in ORIGINS_KNOWN), *((origin, False) for origin in ORIGINS_UNKNOWN)],
)
def test_origins_are_compared_whole_and_with_their_port(origin: str, allowed: bool) -> None:
    assert run(guarded(["localhost:18555"], [origin])) == (200 if allowed else 403)
    assert run(guarded(["localhost:18555"], [origin, origin])) == 403


PARTS = (
    "127.0.0.1", "localhost", "[::1]", "::1", "evil.com", ":18555", ":80", ":", "@", ".", "/", "\\", "?", "#",
    "%2e", "%40", "*", "0", "1", "a", "A", "xn--", "-", "_", "[", "]", " ", "\t",
    "é", "。", "\u00ad", ",", ";",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=6).map("".join))
def test_what_is_accepted_leads_to_this_machine_for_a_browser_too(host: str) -> None:
    """The judge is the URL Standard, as pydantic has it, and the parser of Python."""
    if run(guarded([host], [])) != 200:
        return
    url = pydantic_core.Url(f"http://{host}/")
    assert (url.username, url.password) == (None, None)
    if url.host != "any.example.com":
        assert ((url.host or "").removesuffix("."), url.port) in {
            (name, PORT) for name in ("127.0.0.1", "localhost", "[::1]")
        }
    assert urlsplit(f"http://{host}/").port == url.port


@pytest.mark.parametrize(
    "wrong", ["", "https://a.example", "a.example:x", "a@b", "bücher.example", "a.example:70000"]
)
def test_hosts_that_are_none_are_refused_at_once(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"no host|no port"):
        http_app(mcp_server(ToolRegistry()), options=HttpOptions(allowed_hosts=[wrong]))
    with pytest.raises(ValueError, match=r"no host|no port"):
        http_app(mcp_server(ToolRegistry()), options=HttpOptions(allowed_origins=[f"https://{wrong}"]))


def test_requests_that_name_another_machine_or_come_from_other_pages(sdk: Sdk) -> None:
    """DNS rebinding, and pages of other ports of this machine."""
    body = json.dumps(message("initialize", 1)).encode()
    hosts = ("evil.example.com", "127.0.0.1.evil.example.com:80", "127.0.0.1:1@evil", "127.0.0.1:1", "")
    origins = ("http://evil.example.com", "null", "http://127.0.0.1:1", "http://localhost:80@evil", "file://")
    requests = [({"host": host, **more}, body) for host in hosts for more in ({}, NEWEST)]
    requests += [({"origin": origin, **more}, body) for origin in origins for more in ({}, NEWEST)]
    assert statuses(sdk, *requests) == [421] * 10 + [403] * 10


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
