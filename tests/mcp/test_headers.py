"""Arguments that HTTP clients of MCP 2026-07-28 copy into headers (`x-mcp-header`).

The official SDK is the judge: its client drops tools with wrong annotations, and its server compares headers
with arguments.
"""

from __future__ import annotations

import json
from asyncio import run
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.mcp import http_app, mcp_server, mcp_tools
from toolcast.mcp.serving.listed import Listed
from toolcast.project.core.compiled import Options
from toolcast.providers import available, normalize
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.mcp_headers import header_problems, without_refused_headers

from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.over_http import HEADERS, MODERN_META, listening, message
from tests.mcp.scripted import Scripted, connected
from tests.python.compiled import binding

REGION = {"type": "string", "x-mcp-header": "Region"}
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "region": REGION,
        "limit": {"type": "integer", "x-mcp-header": "Limit"},
        "at": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry-Run"}}},
        "text": {"type": "string"},
    },
    "required": ["region"],
}

NAMES = st.sampled_from(["a", "properties", "x-mcp-header", "items", "$defs"])
VALUES = st.sampled_from(
    ["A", "a", "B", "b", "", "a b", "ü", "A\r\nB: c", "A\n", 3, None, "x-~!", {"type": "string"}]
)
TYPES = st.sampled_from(["string", "integer", "boolean", "number", "object", "null", ["string"], None])


def schemas() -> st.SearchStrategy[Any]:
    """Schemas with annotations in any place, right or wrong."""
    leaf = st.fixed_dictionaries(
        {}, optional={"type": TYPES, "x-mcp-header": VALUES, "default": st.just({"x-mcp-header": ""})}
    )

    def more(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        named = st.dictionaries(NAMES, inner, max_size=3)
        return st.fixed_dictionaries(
            {},
            optional={
                "type": TYPES,
                "x-mcp-header": VALUES,
                "properties": st.one_of(named, named, named),
                **dict.fromkeys(("$defs", "patternProperties", "dependentSchemas"), named),
                **dict.fromkeys(("items", "additionalProperties", "not", "if", "contains"), inner),
                **dict.fromkeys(("anyOf", "allOf", "prefixItems"), st.lists(inner, max_size=2)),
            },
        )

    return st.recursive(leaf, more, max_leaves=8)


@given(schema=schemas())
def test_those_are_refused_that_the_official_client_refuses(schema: Any, sdk: Sdk) -> None:
    refuses = sdk("mcp.shared.inbound").find_invalid_x_mcp_header
    before = json.dumps(schema)
    assert bool(list(header_problems(schema))) == (refuses(schema) is not None)
    left, entries = without_refused_headers(schema)
    assert refuses(left) is None
    assert bool(entries) == (left is not schema)
    assert json.dumps(schema) == before


def test_ten_thousand_wrong_annotations_are_found_once_each() -> None:
    schema = {"properties": {f"p{number}": {"x-mcp-header": "A"} for number in range(10_000)}}
    left, entries = without_refused_headers(schema)
    assert len(entries) == 2 * 10_000 - 1  # the type is missing; and all but the first have its name
    assert left == {"properties": {f"p{number}": {} for number in range(10_000)}}


@pytest.mark.parametrize("provider", available())
def test_the_newest_revision_alone_is_sent_the_annotation(provider: str) -> None:
    found = normalize(PARAMETERS, provider)
    assert ("x-mcp-header" in json.dumps(found.schema)) == (provider == "mcp")
    noted = {entry.path: entry for entry in found.ledger if entry.keyword == "x-mcp-header"}
    if provider == "mcp":
        assert not noted
        return
    assert set(noted) == {"/properties/region", "/properties/limit", "/properties/at/properties/dry"}
    assert {entry.severity for entry in noted.values()} == {"kept elsewhere"}


def test_a_property_of_that_name_is_sent() -> None:
    schema = {"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}
    assert normalize(schema, "anthropic").schema == schema


def shown(params: Any, _context: Any) -> ToolResult:
    return ToolResult.ok(f"{params.region} {params.limit}")


def test_headers_are_sent_and_compared_with_the_arguments(sdk: Sdk) -> None:
    """A live tool's client sends the headers; a served tool's server refuses others."""
    clients = sdk("mcp")
    calling = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "tool"}

    async def use() -> None:
        with binding(PARAMETERS, options=Options(providers=("mcp",))) as bound:
            registry = ToolRegistry()
            registry.register(bound, shown)
            async with listening(sdk, http_app(mcp_server(registry))) as address:
                url = f"{address}/mcp"
                async with clients.Client(url, mode=MODERN) as client:
                    live = ToolRegistry()
                    await mcp_tools(client, live, server="s")
                    result = await live.execute(
                        "s__tool", {"region": "us west ü", "limit": 3, "at": {"dry": True}}
                    )
                    assert result.output == "us west ü 3", result
                async with sdk("httpx").AsyncClient(headers={**HEADERS, **calling}) as plain:
                    call = message(
                        "tools/call",
                        1,
                        name="tool",
                        arguments={"region": "eu", "limit": 3},
                        _meta=MODERN_META,
                    )
                    for headers, status in (
                        ({"mcp-param-region": "eu", "mcp-param-limit": "3"}, 200),
                        ({"mcp-param-region": "us", "mcp-param-limit": "3"}, 400),
                        ({"mcp-param-region": "eu"}, 400),
                        (
                            {"mcp-param-region": "eu", "mcp-param-limit": "3", "mcp-param-dry-run": "true"},
                            400,
                        ),
                    ):
                        answer = await plain.post(url, json=call, headers=headers)
                        assert answer.status_code == status, (headers, answer.text)

    run(use())


def test_older_clients_are_sent_no_annotation() -> None:
    """Also where nothing was generated for their revision."""
    with binding(PARAMETERS, options=Options(providers=("mcp",))) as bound:
        registry = ToolRegistry()
        registry.register(bound, shown)
        listed = Listed(registry, "mcp", None)
        texts = {v: listed.tools(v)["tool"].definition.decode() for v in ("2025-06-18", "2025-11-25", MODERN)}
    assert {version for version, text in texts.items() if "x-mcp-header" in text} == {MODERN}


@pytest.mark.parametrize("mode", MODES)
def test_a_live_tool_that_clients_would_drop_is_served_without_the_annotation(
    mode: str, sdk: Sdk, caplog: pytest.LogCaptureFixture
) -> None:
    """The SDK takes none from a server of the newest revision; in older ones the annotation means nothing."""
    wrong = {"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}, "region": REGION}}
    server = Scripted(
        sdk, {"name": "wrong", "inputSchema": wrong}, {"name": "right", "inputSchema": PARAMETERS}
    )

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        older = mode != MODERN
        assert set(registry.names) == {"s__right", *(("s__wrong",) if older else ())}
        async with sdk("mcp").Client(mcp_server(registry), mode=MODERN) as outer:
            tools = {tool.name: tool.input_schema for tool in (await outer.list_tools()).tools}
        assert tools["s__right"] == PARAMETERS
        if older:
            assert tools["s__wrong"]["properties"] == {"n": {"type": "number"}, "region": REGION}
            assert "/properties/n: `x-mcp-header` is left out" in caplog.text

    connected(sdk, server, use, mode)
