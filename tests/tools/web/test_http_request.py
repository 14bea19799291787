"""http_request over sockets: what a server reads, and what becomes of its response."""

import asyncio
import errno
import gzip
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast_tools.generated.registry import BINDINGS
from toolcast_tools.generated.web.http_request import HttpRequestParams
from toolcast_tools.web import CheckedTransport, WebLimits

from tests.tools.web.servers import (
    CONTEXT,
    Asked,
    Names,
    Server,
    redirect,
    refusal,
    request,
    response,
    serving,
    web,
)

refused = partial(refusal, request)


def test_certificates_that_cannot_be_read_are_refused_in_words_and_read_by_a_later_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> Any:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with serving(lambda _: response("ok")) as server, monkeypatch.context() as patch:
        tools = web(tls=None)
        patch.setattr(httpx, "create_ssl_context", fail)
        assert "cannot be read: Too many open files" in refused(tools, server.url())
        patch.undo()
        assert request(tools, server.url()).body == "ok"


def test_a_request_arrives_as_it_was_written() -> None:
    with serving(lambda _: response('{"ok": true}', kind="application/json", X_One="1")) as server:
        result = request(
            web(),
            server.url("/a/b?x=%2F,y"),
            method="PUT",
            headers={"X-Token": "abc", "accept": "application/json"},
            query={"tag": ["new", "p&d"], "page": 2, "active": True, "f": 0.5, "s": "ü x"},
            body={"kind": "json", "value": {"a": [1, None]}},
        )
    asked = server.asked[0]
    assert (asked.method, asked.body) == ("PUT", b'{"a":[1,null]}')
    assert asked.target == "/a/b?x=%2F,y&tag=new&tag=p%26d&page=2&active=true&f=0.5&s=%C3%BC+x"
    assert asked.header("x-token") == "abc"
    assert [value for name, value in asked.headers if name.lower() == "accept"] == ["application/json"]
    assert asked.header("content-type") == "application/json"
    assert asked.header("host") == f"127.0.0.1:{server.port}"
    assert (result.status, result.body, result.truncated) == (200, '{"ok": true}', False)
    assert result.headers["x-one"] == "1"
    assert result.note is None


@pytest.mark.parametrize(
    ("body", "content", "kind"),
    [
        (
            {"kind": "form", "fields": {"a": "1 2", "b": "&"}},
            b"a=1+2&b=%26",
            "application/x-www-form-urlencoded",
        ),
        ({"kind": "text", "text": "grüß"}, "grüß".encode(), "text/plain; charset=utf-8"),
        ({"kind": "text", "text": "<a/>", "content_type": "application/xml"}, b"<a/>", "application/xml"),
        ({"kind": "json", "value": None}, b"null", "application/json"),
    ],
)
def test_bodies_have_their_media_types(body: dict[str, Any], content: bytes, kind: str) -> None:
    with serving(lambda _: response("")) as server:
        request(web(), server.url(), method="POST", body=body)
    assert (server.asked[0].body, server.asked[0].header("content-type")) == (content, kind)


def test_a_media_type_of_the_caller_wins() -> None:
    with serving(lambda _: response("")) as server:
        body = {"kind": "json", "value": 1}
        request(web(), server.url(), method="POST", body=body, headers={"content-type": "application/x+json"})
    assert [v for n, v in server.asked[0].headers if n.lower() == "content-type"] == ["application/x+json"]


def test_get_takes_no_body() -> None:
    assert "takes no body" in refused(web(), "http://example.com/", body={"kind": "text", "text": "x"})


@pytest.mark.parametrize("status", [200, 204, 301, 400, 404, 500, 599])
def test_every_status_is_a_result(status: int) -> None:
    with serving(lambda _: response("" if status == 204 else "words", f"{status} X")) as server:
        result = request(web(), server.url())
    assert (result.status, result.body) == (status, None if status == 204 else "words")


def test_a_long_body_is_cut_where_it_was_limited() -> None:
    with serving(lambda _: response("ü" * 100_000)) as server:
        result = request(web(), server.url())
        assert (result.body, result.truncated) == ("ü" * 50_000, True)
        result = request(web(limits=WebLimits(body_bytes=3)), server.url())
    assert (result.body, result.truncated) == ("ü", True)  # the second one was cut in two


def test_a_body_that_ends_too_early_is_called_truncated() -> None:
    packed = gzip.compress(b"words " * 100)
    with serving(lambda _: response(packed[:-12], Content_Encoding="gzip")) as server:
        result = request(web(), server.url())
    assert (result.body or "").startswith("words words")
    assert result.truncated


def test_a_binary_body_is_described() -> None:
    with serving(lambda _: response(b"\x89PNG\0\0", kind="image/png")) as server:
        result = request(web(), server.url())
    assert result.body is None
    assert result.note == "The body is binary, 6 bytes of image/png, and is not shown."


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        ("naïve".encode("latin-1"), "text/plain; charset=ISO-8859-1", "naïve"),
        ("“q” €".encode("cp1252"), "text/plain; charset=us-ascii", "“q” €"),
        ("日本語".encode("shift_jis"), 'text/plain; charset="Shift_JIS"', "日本語"),
        ("日本".encode("euc_jp"), "text/html", "日本"),
        ("тест".encode("koi8-r"), "text/plain; charset=KOI8-R", "тест"),
        ("a ü".encode("utf-16"), "text/plain", "a ü"),
        (b"\xef\xbb\xbfa", "text/plain; charset=latin-1", "a"),
        ("ü".encode(), "", "ü"),
        ("ü".encode(), "application/octet-stream", "ü"),
        (b"\xff\xfa\x01", "application/octet-stream", None),
        (b"a\0b", "text/plain", None),
        (b"%PDF-1.4 text", "application/pdf", None),
        ("é".encode("latin-1"), "text/plain; charset=unicode_escape", "é"),
        (b"abc", "text/plain; charset=idna", "abc"),
        (b"abc", "\x7f;;=", "abc"),
        (b"<svg/>", "image/svg+xml", "<svg/>"),
    ],
)
def test_text_is_decoded_by_what_states_its_charset(content: bytes, kind: str, text: str | None) -> None:
    if text == "日本":
        content = b'<meta charset="euc-jp">' + content
        text = f'<meta charset="euc-jp">{text}'
    with serving(lambda _: response(content, kind=kind)) as server:
        assert request(web(), server.url()).body == text


@pytest.mark.parametrize(
    ("status", "method", "then", "content"),
    [
        (301, "GET", "GET", b""),
        (301, "POST", "GET", b""),
        (302, "POST", "GET", b""),
        (302, "PUT", "PUT", b"x"),
        (303, "PUT", "GET", b""),
        (303, "HEAD", "HEAD", b""),
        (307, "POST", "POST", b"x"),
        (308, "DELETE", "DELETE", b"x"),
    ],
)
def test_redirects_rewrite_methods_as_rfc_9110_says(
    status: int, method: str, then: str, content: bytes
) -> None:
    def script(asked: Asked) -> bytes:
        return redirect("end?x=1#part", status) if asked.target == "/a/start" else response("")

    with serving(script) as server:
        body = {} if method in ("GET", "HEAD") else {"body": {"kind": "text", "text": "x"}}
        result = request(web(), server.url("/a/start"), method=method, headers={"Authorization": "t"}, **body)
    end = server.asked[1]
    assert (end.method, end.target, end.body) == (then, "/a/end?x=1", content)
    assert end.header("authorization") == "t"
    assert (end.header("content-type") is None) == (content == b"")
    assert result.url == server.url("/a/end?x=1")


def test_a_redirect_is_a_result_where_it_is_not_to_be_followed() -> None:
    with serving(lambda _: redirect("/next")) as server:
        result = request(web(), server.url(), follow_redirects=False)
    assert (result.status, result.headers["location"], len(server.asked)) == (302, "/next", 1)


def test_a_redirect_without_a_place_is_a_result() -> None:
    with serving(lambda _: response("choose", "300 Multiple Choices")) as server:
        assert request(web(), server.url()).body == "choose"


def test_cookies_of_a_response_stay_apart() -> None:
    lines = ["HTTP/1.1 200 OK", "Set-Cookie: a=1, x", "Set-Cookie: b=2", "Vary: a", "Vary: b", "", ""]
    raw = "\r\n".join(lines).encode()
    with serving(lambda _: raw) as server:
        headers = request(web(), server.url()).headers
    assert (headers["set-cookie"], headers["vary"]) == ("a=1, x\nb=2", "a, b")


def test_what_changes_something_may_have_taken_effect() -> None:
    with serving(lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") as server:
        assert "may have taken effect" in refused(web(), server.url(), method="POST")
        assert "may have taken effect" not in refused(web(), server.url())


def test_a_server_that_is_not_there_is_named() -> None:
    with serving(lambda _: b"") as server:
        pass
    assert f"http://127.0.0.1:{server.port}/ cannot be reached" in refused(web(), server.url())
    assert "no usable address" in refused(web(), "http://missing.example/")


def test_the_next_address_of_a_name_is_tried() -> None:
    with serving(lambda _: response("here")) as server:
        names = Names(two_example=["127.0.0.9", "127.0.0.1"])
        assert request(web(names), server.url(host="two.example")).body == "here"
    assert server.asked[0].header("host") == f"two.example:{server.port}"


def test_one_object_serves_several_event_loops_and_closes() -> None:
    with serving(lambda _: response("x" * 10)) as server:
        tools = web()
        registry = ToolRegistry()
        registry.register(BINDINGS["http_request"], tools.http_request)
        arguments = json.dumps({"url": server.url()})
        first = registry.execute_sync("http_request", arguments)
        second = asyncio.run(registry.execute("http_request", arguments))
        third = request(tools, server.url())
        assert first.success
        assert second.success
        assert third.status == 200
        registry.close()
        asyncio.run(tools.aclose())
        assert "closed" in refused(tools, server.url())


def test_calls_that_run_survive_the_end() -> None:
    release: list[Any] = []

    async def main() -> int:
        tools = web()
        params = msgspec.convert({"url": server.url()}, HttpRequestParams)
        running = asyncio.create_task(tools.http_request(params, CONTEXT))
        while not server.asked:
            await asyncio.sleep(0.01)
        await tools.aclose()
        release.append(True)
        return (await running).status

    def script(_: Asked) -> Any:
        import time

        while not release:
            time.sleep(0.01)
        yield response("late")

    with serving(script) as server:
        assert asyncio.run(main()) == 200


def test_a_cancelled_call_closes_its_connection() -> None:
    def script(_: Asked) -> Any:
        import time

        yield b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        while True:
            time.sleep(0.01)
            yield b"x" * 10_000_000  # fails once the other side is closed

    async def main() -> None:
        params = msgspec.convert({"url": server.url()}, HttpRequestParams)
        running = asyncio.create_task(web().http_request(params, CONTEXT))
        while not server.asked:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    with serving(script) as server:
        asyncio.run(main())
        server._threads[0].join(30)
        assert not server._threads[0].is_alive()


def test_a_client_of_the_program_gets_the_same_protection() -> None:
    async def main(url: str) -> None:
        async with httpx.AsyncClient(transport=CheckedTransport(), trust_env=False) as client:
            await client.get(url)

    with serving(lambda _: response("")) as server:
        with pytest.raises(RefusalError, match="not public"):
            asyncio.run(main(server.url()))
        assert server.connections == 0


def test_a_server_of_ipv6_is_asked_by_its_address() -> None:
    try:
        running = Server(lambda _: response("six"), "::1")
    except OSError:
        pytest.skip("needs IPv6")
    try:
        result = request(web(allow=["::1/128"]), running.url(host="[::1]"))
        assert (result.body, result.url) == ("six", running.url(host="[::1]"))
        assert running.asked[0].header("host") == f"[::1]:{running.port}"
    finally:
        running.close()


def test_head_has_no_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Encoding: gzip\r\n\r\n"
    with serving(lambda _: head) as server:
        result = request(web(), server.url(), method="HEAD")
    assert (result.body, result.truncated, result.headers["content-length"]) == (None, False, "1000")


def test_without_httpx_the_import_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "httpx.py").write_text("raise ModuleNotFoundError('No module named httpx', name='httpx')")
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from toolcast_tools import web
web.AccessRules
web.Web
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "pip install 'toolcast[tools]'" in done.stderr.splitlines()[-1]
