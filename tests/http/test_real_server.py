"""Requests over a socket: what a server of the standard library reads, and what goes wrong on the way."""

import asyncio
import json
import socket
from email import message_from_bytes
from email.policy import HTTP
from typing import Any

import pytest
from toolcast.http import HttpHandler, register_http
from toolcast.runtime import ToolRegistry, ToolResult

from tests.http.conftest import CONTEXT, Bind

STRING = {"type": "string"}


@pytest.fixture(autouse=True)
def _installed(httpx: Any) -> None:
    """Every test sends something."""


def call(handler: HttpHandler, binding: Any, **arguments: Any) -> ToolResult:
    result: ToolResult = asyncio.run(handler(binding.decode(json.dumps(arguments)), CONTEXT))
    return result


def test_every_place_arrives(server: str, bind: Bind) -> None:
    places = {"id": "path", "tags": "query", "X-Trace": "header", "session": "cookie", "note": "body"}
    http_key = {"method": "put", "path": "/a%20b/{id}", "in": places, "body": "application/json"}
    tags = {"type": "array", "items": STRING}
    binding = bind(http_key, **dict.fromkeys(places, STRING) | {"tags": tags})
    handler = HttpHandler(binding, server=server + "/base/")
    arguments = {"id": "ä/..", "tags": ["a&b", "c d"], "X-Trace": "é", "session": "s 1", "note": "n"}
    seen = call(handler, binding, **arguments).data
    assert (seen["method"], seen["path"]) == ("PUT", "/base/a%20b/%C3%A4%2F..?tags=a%26b&tags=c%20d")
    headers = {name.lower(): value for name, value in seen["headers"]}
    assert headers["x-trace"].encode("latin-1").decode() == "é"
    assert headers["cookie"] == "session=s%201"
    assert (headers["content-type"], seen["body"]) == ("application/json", '{"note":"n"}')


def test_multipart_arrives(server: str, bind: Bind) -> None:
    places = {'na"me\r\n': "body", "file": {"in": "body", "binary": True}}
    http_key = {"method": "post", "path": "/", "in": places, "body": "multipart/form-data"}
    http_key["encoding"] = {"file": {"content_type": "image/png"}}
    binding = bind(http_key, **dict.fromkeys(places, STRING))
    seen = call(HttpHandler(binding, server=server), binding, **{'na"me\r\n': "ü", "file": "iVBORw=="}).data
    (content_type,) = (value for name, value in seen["headers"] if name.lower() == "content-type")
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    parts = list(message_from_bytes(head + seen["body"].encode("latin-1"), policy=HTTP).iter_parts())
    assert [part.get_payload(decode=True) for part in parts] == ["ü".encode(), b"\x89PNG"]
    assert parts[1].get_content_type() == "image/png"
    assert parts[1].get_filename() == "file"
    assert "\r\n" not in str(parts[0]["Content-Disposition"]).replace("\r\n ", "")


def test_no_cookie_reaches_another_call(server: str, bind: Bind) -> None:
    binding = bind({"method": "get", "path": "/"})
    handler = HttpHandler(binding, server=server)
    for _ in range(2):
        assert "cookie" not in {name.lower() for name, _ in call(handler, binding).data["headers"]}


def test_a_registry_runs_all_of_them(server: str, bind: Bind) -> None:
    binding = bind({"method": "get", "path": "/{id}", "in": {"id": "path"}}, id=STRING)
    registry = ToolRegistry()
    assert register_http(registry, {"tool": binding}, server=server) == ("tool",)
    result = asyncio.run(registry.execute("tool", '{"id": "x"}'))
    assert result.data["path"] == "/x"


def test_programs_without_an_event_loop(server: str, bind: Bind) -> None:
    binding = bind({"method": "get", "path": "/{id}", "in": {"id": "path"}}, id=STRING)
    registry = ToolRegistry()
    register_http(registry, {"tool": binding}, server=server)
    for name in ("x", "y"):
        assert registry.execute_sync("tool", {"id": name}).data["path"] == f"/{name}"


def test_what_goes_wrong_on_the_way(server: str, bind: Bind) -> None:
    cases = (("/slow", 0.5, "within 0.5 s"), ("/drop", 60, "broke (RemoteProtocolError)"))
    for path, timeout, words in cases:
        for method, effect in (("get", False), ("post", True)):
            binding = bind({"method": method, "path": path})
            result = call(HttpHandler(binding, server=server, timeout=timeout), binding)
            assert words in result.error
            assert ("may have taken effect" in result.error) is effect


def test_a_server_that_is_not_there(bind: Bind) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        binding = bind({"method": "get", "path": "/"})
        result = call(HttpHandler(binding, server=f"http://127.0.0.1:{taken.getsockname()[1]}"), binding)
    assert "cannot be reached (ConnectError)" in result.error


def test_a_client_of_the_program_is_used_and_left_open(server: str, bind: Bind, httpx: Any) -> None:
    binding = bind({"method": "get", "path": "/"})

    async def run() -> Any:
        async with httpx.AsyncClient(headers={"X-Mine": "1"}) as client:
            handler = HttpHandler(binding, client, server=server)
            first = await handler(binding.decode("{}"), CONTEXT)
            assert not client.is_closed
            return (await handler(binding.decode("{}"), CONTEXT)).data, first.data

    for seen in asyncio.run(run()):
        assert ["x-mine", "1"] in [[name.lower(), value] for name, value in seen["headers"]]


def test_a_client_with_checked_addresses_protects_it(server: str, bind: Bind, httpx: Any) -> None:
    pytest.importorskip("httpcore")
    from toolcast_tools.web import CheckedTransport

    binding = bind({"method": "get", "path": "/"})

    async def main() -> ToolResult:
        async with httpx.AsyncClient(transport=CheckedTransport(), trust_env=False) as client:
            registry = ToolRegistry()
            register_http(registry, {"tool": binding}, client, server=server)
            return await registry.execute("tool", "{}")

    assert "127.0.0.1 is not public" in asyncio.run(main()).error
