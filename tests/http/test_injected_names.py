"""A model that names what only the program sets, in every place of a request that takes names from it."""

import asyncio
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from email import message_from_bytes
from email.policy import HTTP
from typing import Any
from urllib.parse import unquote, unquote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.http import HttpHandler
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from tests.http.conftest import Binding
from tests.http.test_handler import SERVER, STRING, Api
from tests.injected import compiled

FREE: dict[str, Any] = {"type": "object", "additionalProperties": STRING}
BODY = {"in": "body", "name": "tenant"}
PATH = {"in": "path", "name": "tenant"}
FORM, MULTIPART, JSON = "application/x-www-form-urlencoded", "multipart/form-data", "application/json"
STYLED = {"encoding": {"free": {"style": "form", "explode": True}}}
SHAPES: dict[str, dict[str, Any]] = {
    "query": {"in": {"own": {"in": "query", "name": "tenant"}, "free": "query"}},
    "query beside path": {"path": "/{tenant}/x", "in": {"own": PATH, "free": "query"}},
    "deep": {
        "in": {
            "own": {"in": "query", "name": "free[tenant]"},
            "free": {"in": "query", "style": "deepObject"},
        }
    },
    "cookie": {"in": {"own": {"in": "cookie", "name": "tenant"}, "free": "cookie"}},
    "matrix": {
        "path": "/a{tenant}{free}",
        "in": {
            "own": {**PATH, "style": "matrix"},
            "free": {"in": "path", "style": "matrix", "explode": True},
        },
    },
    "header": {
        "in": {"own": {"in": "header", "name": "tenant"}, "free": {"in": "header", "explode": True}},
    },
    "form": {"body": FORM, "in": {"own": {"in": "body", "name": "tenant"}, "free": "body"}, **STYLED},
    "multipart": {
        "body": MULTIPART,
        "in": {"own": {"in": "body", "name": "tenant"}, "free": "body"},
        **STYLED,
    },
    "json": {"body": JSON, "in": {"own": {"in": "body", "name": "tenant"}}},
    "form beyond": {"body": FORM, "in": {"own": {"in": "body", "name": "tenant"}}},
    "multipart beyond": {"body": MULTIPART, "in": {"own": {"in": "body", "name": "tenant"}}},
    "json beside query": {
        "body": JSON,
        "in": {"own": {"in": "query", "name": "tenant"}, "note": "body"},
    },
    "whole beside query": {
        "body": JSON,
        "in": {"own": {"in": "query", "name": "tenant"}, "free": {"in": "body", "whole": True}},
    },
    "whole form": {
        "body": FORM,
        "in": {"own": {"in": "header", "name": "tenant"}, "free": {"in": "body", "whole": True}},
    },
}
SPELLINGS = [
    "tenant", "Tenant", "TENANT", "tenant ", " tenant", "ten\u00adant", "\u0001tenant", "tenant\0",
    "ten\u200bant", "\ufefftenant", "te\u2060nant", "\uff54enant", "tenant\u00a0", "tenant\u3000",
    "%74enant", "%2574enant", "tenan%74", "tenant%20", "ten%C2%ADant", "\uff0574enant", "tenant[]",
    "tenant[0]", "tenant[x][y]", "ten-ant", "ten_ant", "tenant.", "tenant+", "t\ufe0fenant", "te\u034fnant",
    "\u3164tenant", "tenant\n", "tenant;", "[tenant]",
]  # fmt: skip
OTHER = ["tenants", "tenant2", "color", "t", "sub_tenant", "tenan"]


@pytest.fixture(scope="module")
def tools(httpx: Any) -> Iterator[dict[str, Binding]]:
    del httpx
    with ExitStack() as stack:
        yield {name: stack.enter_context(tool(shape)) for name, shape in SHAPES.items()}


def tool(shape: dict[str, Any]) -> Any:
    http: dict[str, Any] = {"method": "post", "path": "/x", "server": SERVER, **shape}
    properties = {name: FREE if name == "free" else STRING for name in shape["in"]}
    required = [name for name in properties if name != "note"]
    schema: dict[str, Any] = {"type": "object", "required": required, "properties": properties}
    schema["additionalProperties"] = "free" not in properties
    return compiled(schema, providers=(), http=http, inject={"own": "context.tenant"})


def send(binding: Binding, arguments: dict[str, Any]) -> tuple[ToolResult, list[Any]]:
    import httpx as library

    api = Api(library)
    registry = ToolRegistry(check_results=False)
    registry.register(binding, HttpHandler(binding, api.client))
    context = ToolContext(extra={"tenant": "mine"})
    return asyncio.run(registry.execute("inbox", arguments, context=context)), api.requests


def arguments_of(shape: str, members: dict[str, str]) -> dict[str, Any]:
    return {"free": members} if "free" in SHAPES[shape]["in"] else members


@pytest.mark.parametrize("shape", SHAPES)
def test_no_member_takes_the_name_of_an_injected_parameter(tools: dict[str, Binding], shape: str) -> None:
    for name in SPELLINGS:
        result, sent = send(tools[shape], arguments_of(shape, {"a": "b", name: "victim"}))
        assert not result.success, name
        assert sent == [], name
        assert "own" not in result.error
    for name in OTHER:
        result, _ = send(tools[shape], arguments_of(shape, {name: "x"}))
        assert result.success, (name, result.error)


def folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", unquote_plus(unquote(name))).casefold()
    return "".join(sign for sign in plain if sign.isalnum())


def read(request: Any) -> Iterator[str]:
    """The names that a lenient server finds."""
    path, _, query = request.url.raw_path.decode().partition("?")
    for piece in [*re.split("[&;]", query), *re.split("[;,./]", path)[1:]]:
        yield piece.partition("=")[0].partition("%5B")[0]
    for piece in request.headers.get("cookie", "").split(";"):
        yield piece.partition("=")[0]
    kind, body = request.headers.get("content-type", ""), request.content
    if kind == JSON:
        yield from json.loads(body)
    elif kind == FORM:
        yield from (piece.partition("=")[0].partition("%5B")[0] for piece in re.split("[&;]", body.decode()))
    elif kind.startswith(MULTIPART):
        parts = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body, policy=HTTP)
        for part in parts.iter_parts():
            yield str(part.get_param("name", "", "content-disposition")).partition("[")[0]


LETTERS = st.sampled_from(["", "", "", " ", "\u00ad", "\u200b", "\0", "-", "\u3000", "\t", "\u2028", "_"])
CASES = [[letter, letter.upper(), f"%{ord(letter):02x}", chr(ord(letter) + 0xFEE0)] for letter in "tenant"]


@st.composite
def spellings(draw: st.DrawFn) -> str:
    return "".join(draw(LETTERS) + draw(st.sampled_from(case)) for case in CASES) + draw(LETTERS)


@given(
    st.sampled_from([each for each in SHAPES if each != "deep"]),
    st.dictionaries(spellings() | st.text(max_size=8), st.text(max_size=5), max_size=3),
)
def test_a_lenient_server_finds_one_tenant(
    tools: dict[str, Binding], shape: str, members: dict[str, str]
) -> None:
    _, sent = send(tools[shape], arguments_of(shape, members))
    for request in sent:
        found = [name for name in read(request) if folded(name) == "tenant"]
        own = "tenant" in request.headers or (shape == "query beside path")
        assert len(found) + own == 1


def test_a_value_adds_no_name(httpx: Any) -> None:
    del httpx
    places = {"own": {"in": "query", "name": "tenant"}, "note": {"in": "query", "allow_reserved": True}}
    http: dict[str, Any] = {"method": "get", "path": "/x", "server": SERVER, "in": places}
    schema: dict[str, Any] = {
        "type": "object",
        "required": ["own", "note"],
        "properties": {"own": STRING, "note": STRING},
    }
    schema["additionalProperties"] = False
    with compiled(schema, providers=(), http=http, inject={"own": "context.tenant"}) as binding:
        for note in ("a;tenant=victim", "a;Tenant=victim", "a;ten%61nt=victim", ";tenant", "a;b;%74ENANT=x"):
            result, sent = send(binding, {"note": note})
            assert "filled in by the program" in result.error, note
            assert sent == []
        for note in ("a&tenant=victim", "a#tenant=victim", "tenant=victim", "a;b=tenant", "a,tenant=x"):
            result, (sent,) = send(binding, {"note": note})
            names = [each.partition("=")[0] for each in re.split("[&;]", sent.url.query.decode())]
            assert names.count("tenant") == 1, note


def test_a_member_takes_no_name_of_a_parameter_or_credential() -> None:
    scheme = {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}
    http: dict[str, Any] = {
        "method": "get",
        "path": "/x",
        "server": SERVER,
        "security": [{"key": []}],
        "schemes": scheme,
    }
    http["in"] = {"page": "query", "free": "query", "own": "query"}
    schema: dict[str, Any] = {"type": "object", "required": ["own"], "additionalProperties": False}
    schema["properties"] = {"page": {"type": "string", "maxLength": 1}, "free": FREE, "own": STRING}
    with compiled(schema, providers=(), http=http, inject={"own": "context.tenant"}) as binding:
        for name, words in (("page", "is called `page` here"), ("API-KEY", "filled in by the program")):
            result, sent = send(binding, {"free": {name: "12"}})
            assert words in result.error
            assert sent == []
        assert send(binding, {"free": {"color": "red"}, "page": "1"})[0].success


def test_what_a_schema_names_is_its_own() -> None:
    """The id in the path, and another in the body that the schema names."""
    item = {"type": "object", "properties": {"id": STRING, "Own": STRING}, "additionalProperties": False}
    http: dict[str, Any] = {"method": "put", "path": "/{own}", "server": SERVER, "body": JSON}
    http["in"] = {"own": {"in": "path"}, "item": {"in": "body", "whole": True}, "OWN": "query"}
    schema: dict[str, Any] = {"type": "object", "required": ["own"], "additionalProperties": False}
    schema["properties"] = {"own": STRING, "item": {"allOf": [item]}, "OWN": STRING}
    with compiled(schema, providers=(), http=http, inject={"own": "context.tenant"}) as binding:
        result, (sent,) = send(binding, {"item": {"id": "1", "Own": "2"}, "OWN": "3"})
        assert result.success
        assert sent.content == b'{"id":"1","Own":"2"}'
        assert sent.url.raw_path == b"/v1/mine?OWN=3"
