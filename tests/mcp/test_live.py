"""A live server's tools behind a registry's bridge, policy, secrets and hooks."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import base64
import json
import logging
import re
import sys
from typing import Any

import jsonschema_rs
import pytest
from toolcast.agents import Disclosure
from toolcast.mcp import Limits, ListingError, LiveTool, hinted_permission, mcp_server, mcp_tools
from toolcast.runtime import Content, EncodeError, ToolContext, ToolRegistry, ToolResult, UnknownProviderError
from toolcast.runtime.middleware.policy import Policy

from tests.languages import SENT_AS_JSON
from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.scripted import ECHO, EMPTY, OBJECT, Scripted, connected
from tests.providers.rules import CHECKS

every_mode = pytest.mark.parametrize("mode", MODES)
PNG = b"\x89PNG"


def run(
    sdk: Sdk, server: Scripted, *calls: tuple[str, Any], mode: str = MODERN, **options: Any
) -> list[ToolResult]:
    """Results of calls through a registry; `options` are the registry's, and with `tools_` those of
    `mcp_tools`."""
    own = {key.removeprefix("tools_"): value for key, value in options.items() if key.startswith("tools_")}
    registry = ToolRegistry(**{key: value for key, value in options.items() if not key.startswith("tools_")})

    async def use(client: Any) -> list[ToolResult]:
        await mcp_tools(client, registry, server="s", **own)
        return [await registry.execute(name, arguments) for name, arguments in calls]

    results: list[ToolResult] = connected(sdk, server, use, mode)
    return results


@every_mode
def test_calls_go_through_and_arguments_are_judged_first(mode: str, sdk: Sdk) -> None:
    server = Scripted(sdk, ECHO)
    good, wrong, dropped = run(
        sdk,
        server,
        ("s__echo", '{"text": "a", "times": 2.0}'),
        ("s__echo", {"times": 0, "how": {"a": "b"}}),
        ("s__echo", {"text": "a", "times": None}),
        mode=mode,
    )
    assert good == ToolResult.ok("{'text': 'a', 'times': 2}")
    assert all(word in wrong.error for word in ("`text`", "`times`", "$.how.a"))
    assert dropped.success  # a null for an optional property counts as absent, as for compiled tools
    assert server.calls == [("echo", {"text": "a", "times": 2}), ("echo", {"text": "a"})]


def test_definitions_are_what_every_provider_takes(sdk: Sdk) -> None:
    """Judged by the checkers that were written from the providers' published rules."""
    registry = ToolRegistry()
    odd = {"name": "odd", "inputSchema": {"type": "object", "$defs": {"T": {"type": "object", "properties": {
        "next": {"$ref": "#/$defs/T"}}}}, "properties": {"tree": {"$ref": "#/$defs/T"}, "any": {},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}}  # fmt: skip

    async def use(client: Any) -> None:
        await mcp_tools(client, registry, server="s")

    connected(sdk, Scripted(sdk, ECHO, odd), use)
    for provider in SENT_AS_JSON:
        tools = registry.definition_objects(provider)
        assert len(tools) == 2
        assert registry.definitions(provider) == registry.definitions(provider)
        if provider in CHECKS:
            assert [problem for tool in tools for problem in CHECKS[provider](tool)] == []


def test_each_providers_form_is_decoded(sdk: Sdk) -> None:
    """A map is sent to OpenAI's strict mode as a list of pairs, and comes back so."""
    registry, server = ToolRegistry(), Scripted(sdk, ECHO)

    async def use(client: Any) -> ToolResult:
        await mcp_tools(client, registry, server="s")
        (tool,) = registry.definition_objects("openai")
        jsonschema_rs.Draft202012Validator(tool["function"]["parameters"]).validate(
            {"text": "a", "times": None, "how": [{"key": "x", "value": 1}]}
        )
        sent = '{"text": "a", "times": null, "how": [{"key": "x", "value": 1}]}'
        return await registry.execute("s__echo", sent, provider="openai")

    assert connected(sdk, server, use).success
    assert server.calls == [("echo", {"text": "a", "how": {"x": 1}})]


def test_a_live_binding_is_a_binding_like_any_other(sdk: Sdk) -> None:
    registry = ToolRegistry()

    async def use(client: Any) -> None:
        await mcp_tools(client, registry, server="s")

    connected(sdk, Scripted(sdk, ECHO), use)
    binding = registry.get("s__echo").binding
    assert binding.schema() == ECHO["inputSchema"]
    binding.schema().clear()
    assert binding.schema() == ECHO["inputSchema"]
    assert binding.encode(binding.decode('{"text":"a","times":1.0}')) == b'{"text":"a","times":1}'
    with pytest.raises(EncodeError):
        binding.encode({"text": 5})
    with pytest.raises(UnknownProviderError, match="acme"):
        binding.definition("acme")
    with pytest.raises(UnknownProviderError, match="acme"):
        binding.decode({}, "acme")
    with pytest.raises(ValueError, match="runtime_enums"):
        binding.specialise(text=["a"])
    assert (binding.group, binding.summary) == ("mcp/s", "Says it again")
    assert registry.select(groups="mcp").names == registry.select(groups="mcp/s").names == ("s__echo",)


@every_mode
def test_results_of_every_kind(mode: str, sdk: Sdk) -> None:
    data = base64.b64encode(PNG).decode()
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "text", "text": "two"},
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "audio", "data": data, "mimeType": "audio/wav; rate=1"},
        {
            "type": "resource_link",
            "name": "report",
            "uri": "file:///r.txt",
            "mimeType": "text/plain",
            "size": 5,
        },
        {
            "type": "resource",
            "resource": {"uri": "file:///a.txt", "text": "inside", "mimeType": "text/plain"},
        },
        {"type": "resource", "resource": {"uri": "file:///b.bin", "blob": data}},
        {"type": "image", "data": "no base64!", "mimeType": "image/png"},
        {"type": "image", "data": data, "mimeType": "nonsense"},
    ]
    (result,) = run(
        sdk, Scripted(sdk, ECHO, answer={"content": blocks}), ("s__echo", {"text": "a"}), mode=mode
    )
    assert result.success
    assert result.output == "one\ntwo"
    assert result.content[:5] == (
        Content.image(PNG, "image/png"),
        Content.audio(PNG, "audio/wav"),
        Content.of("[link: report, file:///r.txt, text/plain, 5 bytes]"),
        Content.resource("file:///a.txt", "inside"),
        Content.resource("file:///b.bin", PNG),
    )
    assert all("cannot be read" in piece.text for piece in result.content[5:])


@every_mode
def test_data_is_held_to_the_output_schema(mode: str, sdk: Sdk) -> None:
    typed = {
        **ECHO,
        "outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
    }
    text = [{"type": "text", "text": "words"}]

    def answered(**answer: Any) -> ToolResult:
        server = Scripted(sdk, typed, answer={"content": text, **answer})
        return run(sdk, server, ("s__echo", {"text": "a"}), mode=mode)[0]

    assert answered(structuredContent={"n": 5}) == ToolResult.ok("words", {"n": 5})
    assert answered(content=[], structuredContent={"n": 5}) == ToolResult.ok('{"n":5}', {"n": 5})
    for wrong in ({"structuredContent": {"n": "5"}}, {}):
        result = answered(**wrong)
        assert not result.success
        assert "output schema" in result.error
    assert answered(isError=True).error == "words"  # a failure need not fit


def test_older_drafts_of_public_servers_are_raised(sdk: Sdk) -> None:
    draft = "http://json-schema.org/draft-07/schema#"
    pair = {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False}
    schema = {"$schema": draft, "type": "object", "properties": {"p": pair}, "required": ["p"]}
    odd = {"name": "odd", "inputSchema": schema, "outputSchema": schema}
    for value, fits in (([1, "a"], True), (["a", 1], False), ([1, "a", 2], False)):
        server = Scripted(sdk, odd, answer={"content": [], "structuredContent": {"p": value}})
        assert run(sdk, server, ("s__odd", {"p": [1, "a"]}))[0].success is fits
        assert run(sdk, server, ("s__odd", {"p": value}))[0].success is fits


def test_our_own_judge_needs_no_help_from_the_client(sdk: Sdk) -> None:
    """Where a client library does not look, the answer is judged all the same."""
    from toolcast.jsonschema.validator import Validator
    from toolcast.mcp.live.live_calls import to_result

    types = sdk("mcp.types")
    judge = Validator({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})
    for content, words in (({"n": "x"}, "$.n"), ({}, "`n`"), ([1], "must be an object")):
        answer = types.CallToolResult(content=[], structured_content=content)
        assert words in to_result("s", answer, judge, Limits()).error
    bare = types.CallToolResult(content=[])
    assert "none of the data" in to_result("s", bare, judge, Limits()).error
    long = types.CallToolResult(content=[types.TextContent(type="text", text="x" * 200)] * 10)
    assert "more than 1000 bytes" in to_result("s", long, None, Limits(result_size=1000)).error


def test_structured_content_counts_towards_the_size_of_a_result(sdk: Sdk) -> None:
    from toolcast.mcp.live.live_calls import to_result

    types, limits = sdk("mcp.types"), Limits(result_size=1000)
    half = [types.TextContent(type="text", text="é" * 300)]
    for content, data, fits in (
        ([], {"n": "x" * 2000}, False),
        ([], {"n": ["x"] * 300}, False),
        (half, {"n": "x" * 500}, False),
        (half, {"n": "x" * 300}, True),
        ([types.TextContent(type="text", text="é" * 600)], None, False),
    ):
        given = {} if data is None else {"structured_content": data}
        result = to_result("s", types.CallToolResult(content=content, **given), None, limits)
        assert result.success is fits
        assert fits or "more than 1000 bytes" in result.error


@every_mode
def test_errors_of_the_server_are_failed_results(mode: str, sdk: Sdk) -> None:
    error = sdk("mcp.shared.exceptions").MCPError

    async def refuse(context: Any, params: Any) -> Any:
        raise error(-32602, "no such \x1b[31mthing")

    async def crash(context: Any, params: Any) -> Any:
        raise KeyError("a bug of the server's")

    call = ("s__echo", {"text": "a"})
    (refused,) = run(sdk, Scripted(sdk, ECHO, answer=refuse), call, mode=mode)
    assert refused.error == "MCP server 's' refused the call: no such [31mthing (error -32602)."
    (crashed,) = run(sdk, Scripted(sdk, ECHO, answer=crash), call, mode=mode)
    assert crashed.error.startswith("MCP server 's' refused the call")
    silent = {"content": [], "isError": True}
    (failed,) = run(sdk, Scripted(sdk, ECHO, answer=silent), call, mode=mode)
    assert failed.error == "The tool of MCP server 's' failed, and does not say why."


@every_mode
def test_time_runs_out_and_the_server_is_reported(mode: str, sdk: Sdk) -> None:
    ended = asyncio.Event()

    async def sleep(context: Any, params: Any) -> Any:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    (late,) = run(
        sdk, Scripted(sdk, ECHO, answer=sleep), ("s__echo", {"text": "a"}), mode=mode, tools_timeout=1
    )
    assert late.error.startswith("MCP server 's' did not answer within 1 s.")
    assert ended.is_set()


@every_mode
def test_cancelling_a_call_cancels_it_at_the_server(mode: str, sdk: Sdk) -> None:
    async def use(client: Any) -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def sleep(context: Any, params: Any) -> Any:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        server._answer = sleep
        registry = ToolRegistry(timeout=30)
        await mcp_tools(client, registry, server="s")
        task = asyncio.create_task(registry.execute("s__echo", {"text": "a"}))
        await begun.wait()
        task.cancel()
        await ended.wait()
        await asyncio.wait({task})
        assert task.cancelled()

    server = Scripted(sdk, ECHO)
    connected(sdk, server, use, mode)


@every_mode
def test_progress_of_the_server_reaches_whoever_called(mode: str, sdk: Sdk) -> None:
    reported: list[tuple[float, float | None, str]] = []

    async def answer(context: Any, params: Any) -> Any:
        await context.session.report_progress(1, 2, "half \x1b[2Jway")
        await context.session.report_progress(2, 2)

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        context = ToolContext(report=lambda done, total, message: reported.append((done, total, message)))
        assert (await registry.execute("s__echo", {"text": "a"}, context=context)).success
        while len(reported) < 2:
            await asyncio.sleep(0.01)

    connected(sdk, Scripted(sdk, ECHO, answer=answer), use, mode)
    assert reported == [(1, 2, "half [2Jway"), (2, 2, "")]


@every_mode
def test_a_closed_session_is_reported_and_another_takes_over(mode: str, sdk: Sdk) -> None:
    async def use() -> None:
        registry, server = ToolRegistry(), Scripted(sdk, ECHO)
        async with sdk("mcp").Client(server.server, mode=mode) as client:
            tools = await mcp_tools(client, registry, server="s")
            bare = client.session
        for gone in (client, bare):
            tools._session, tools._stale = gone, False
            result = await registry.execute("s__echo", {"text": "a"})
            assert result.error.startswith("MCP server 's' is not connected any more; whether")
            with pytest.raises(ListingError, match="MCP server 's' is not connected any more"):
                await tools.reconnect(gone)
            again = await registry.execute("s__echo", {"text": "a"})
            assert again.error.startswith("MCP server 's' is not connected any more. Its tools cannot")
        async with sdk("mcp").Client(server.server, mode=mode) as client:
            await tools.reconnect(client)
            assert (await registry.execute("s__echo", {"text": "a"})).success
            # A bare session of the SDK serves as well.
            await tools.reconnect(client.session)
            assert (await registry.execute("s__echo", {"text": "b"})).success

    asyncio.run(asyncio.wait_for(use(), 120))


def test_a_server_that_dies_in_a_call_is_reported(sdk: Sdk) -> None:
    script = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "tools/call":
        os._exit(3)
    if "id" in asked:
        first = asked["method"] == "initialize"
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "x", "version": "1"}} if first else {
                  "tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
    registry = ToolRegistry()

    async def use(client: Any) -> list[ToolResult]:
        await mcp_tools(client, registry, server="s")
        return [await registry.execute("s__t", {}) for _ in range(2)]

    parameters = sdk("mcp").StdioServerParameters(command=sys.executable, args=["-c", script])
    for result in connected(sdk, parameters, use, "legacy"):
        assert result.error.startswith(
            "MCP server 's' is not connected any more; whether the call took effect"
        )


def test_a_server_that_asks_back_is_answered_by_a_client_only(sdk: Sdk) -> None:
    types = sdk("mcp.types")

    async def ask(context: Any, params: Any) -> Any:
        return types.InputRequiredResult(request_state="x")

    async def use(client: Any) -> ToolResult:
        registry = ToolRegistry()
        await mcp_tools(client.session, registry, server="s")
        return await registry.execute("s__echo", {"text": "a"})

    assert "asks for input" in connected(sdk, Scripted(sdk, ECHO, answer=ask), use).error


def test_claims_of_a_server_give_no_permission(sdk: Sdk) -> None:
    """Every tool says that it only reads; the policy treats it as able to do anything."""
    registry = ToolRegistry(policy=Policy("read_only"))
    trusted = {**ECHO, "name": "trusted"}

    async def use(client: Any) -> list[ToolResult]:
        await mcp_tools(client, registry, server="s", permission={"trusted": "read"})
        return [await registry.execute(f"s__{name}", {"text": "a"}) for name in ("echo", "trusted")]

    server = Scripted(sdk, ECHO, trusted)
    denied, allowed = connected(sdk, server, use)
    assert "'execute'" in denied.error
    assert allowed.success
    assert [name for name, _ in server.calls] == ["trusted"]
    assert registry.select(permission="read").names == ("s__trusted",)


@pytest.mark.parametrize(
    ("annotations", "permission"),
    [
        ({}, "execute"),
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "openWorldHint": True}, "network"),
        ({"destructiveHint": False, "openWorldHint": False}, "write"),
        ({"destructiveHint": False}, "execute"),
        ({"readOnlyHint": "yes"}, "execute"),
    ],
)
def test_claims_can_be_taken_for_permissions(annotations: dict[str, Any], permission: str) -> None:
    tool = LiveTool(server="s", name="t", input_schema=OBJECT, annotations=annotations)
    assert hinted_permission(tool) == permission


def test_secrets_go_to_listed_parameters_and_never_come_back(sdk: Sdk) -> None:
    server = Scripted(sdk, ECHO, {**ECHO, "name": "other"})
    filled, refused = run(
        sdk,
        server,
        ("s__echo", {"text": "<secret_ref:KEY>"}),
        ("s__other", {"text": "<secret_ref:KEY>"}),
        secrets={"KEY": "planted-value"}.get,
        tools_secrets={"echo": ["text"]},
    )
    assert server.calls == [("echo", {"text": "planted-value"})]
    assert filled.output == "{'text': '[redacted:KEY]'}"
    assert "may not carry one" in refused.error


def test_hooks_and_approvers_see_live_calls(sdk: Sdk) -> None:
    seen: list[str] = []
    asked: list[Any] = []

    class Watcher:
        def on(self, event: Any) -> None:
            seen.append(type(event).__name__)

    def approve(request: Any) -> str:
        asked.append(request)
        return "no"

    (denied,) = run(
        sdk, Scripted(sdk, ECHO), ("s__echo", {"text": "a"}), hooks=Watcher(), policy=Policy(approver=approve)
    )
    assert not denied.success
    assert seen == ["Decoded", "Refused", "Finished"]
    assert (asked[0].tool, asked[0].permission, asked[0].summary) == ("s__echo", "execute", "Says it again")


PLAIN = ["get_x", "get.x", "get x", "ünï", "x_12345678", "a" * 100, "a" * 101]
NAMED = [*PLAIN, "查询天气", "搜索文档", "创建任务"]


def test_a_tool_has_one_name_whatever_other_tools_there_are(sdk: Sdk) -> None:
    def offered(*names: str) -> dict[str, str]:
        async def use(client: Any) -> dict[str, str]:
            registry = ToolRegistry()
            tools = await mcp_tools(client, registry, server="s")
            assert tools.refused == ()
            assert len(registry.names) == len(names)
            found = {}
            for name in registry.names:
                await registry.execute(name, {})
                found[server.calls[-1][0]] = name
            return found

        server = Scripted(sdk, *({"name": name, "inputSchema": OBJECT} for name in names))
        return connected(sdk, server, use)  # type: ignore[no-any-return]

    every = offered(*NAMED)
    assert every["get_x"] == "s__get_x"
    assert len(set(every.values())) == len(NAMED)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name) for name in every.values())
    assert offered(*reversed(NAMED)) == every
    for name in NAMED:
        assert offered(name) == {name: every[name]}


TWINS = ("get\u55f6\u3001x", "get\u5ff1/x")
"""Names that are cleaned alike and whose SHA-256 begin alike."""


@pytest.mark.parametrize("names", [TWINS, TWINS[::-1]])
def test_tools_that_share_a_name_are_all_refused_and_approved_by_their_own_names_only(
    names: tuple[str, str], sdk: Sdk
) -> None:
    server = Scripted(sdk, *({"name": name, "inputSchema": OBJECT} for name in names), ECHO)

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        tools = await mcp_tools(client, registry, server="s", lock=EMPTY)
        shared = {refused.name for refused in tools.refused if refused.tool in TWINS}
        assert shared == {"s__get_x_7a468d57"}
        with pytest.raises(ValueError, match="several tools") as raised:
            tools.approve("s__get_x_7a468d57")
        assert all(repr(name) in str(raised.value) for name in TWINS)
        assert registry.names == ()
        tools.approve()
        assert registry.names == ("s__echo",)
        assert [refused.tool for refused in tools.refused] == sorted(TWINS)
        assert all("its name becomes" in refused.reason for refused in tools.refused)

    connected(sdk, server, use)


def test_a_name_that_is_one_tools_own_and_anothers_here_approves_neither(sdk: Sdk) -> None:
    server = Scripted(sdk, ECHO, {"name": "s__echo", "inputSchema": OBJECT})

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        tools = await mcp_tools(client, registry, server="s", lock=EMPTY)
        with pytest.raises(ValueError, match="several tools with the name 's__echo'"):
            tools.approve("s__echo")
        tools.approve("echo")
        assert registry.names == ("s__echo",)
        tools.approve("s__s__echo")
        assert registry.names == ("s__echo", "s__s__echo")

    connected(sdk, server, use)


def test_a_name_that_the_registry_has_is_refused_and_listed(
    sdk: Sdk, caplog: pytest.LogCaptureFixture
) -> None:
    async def use(client: Any) -> Any:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        return registry, await mcp_tools(client, registry, server="s", names=["echo"])

    with caplog.at_level(logging.WARNING):
        registry, twins = connected(sdk, Scripted(sdk, ECHO), use)
    assert [refused.reason for refused in twins.refused] == ["the name 's__echo' is taken in the registry"]
    assert [refused.name for refused in registry.refused] == ["s__echo"]
    assert "MCP server s" in registry.refused[0].kept


def test_a_server_that_is_shown_in_part_until_it_is_used(sdk: Sdk) -> None:
    registry = ToolRegistry()

    async def use(client: Any) -> None:
        await mcp_tools(client, registry, server="s")
        shown = Disclosure(registry, "anthropic", level="full", levels={"mcp": "summary"}, native=False)
        (stub,) = shown.definition_objects()
        assert stub["description"].startswith("Says it again (Shown in part: ")
        assert "text" not in json.dumps(stub)
        result = await shown.execute("s__echo", {})
        assert "The full schema of 's__echo'" in result.error
        assert shown.definitions() == registry.definitions("anthropic")
        brief = Disclosure(registry, "gemini", level="brief")
        assert len(brief.definitions()) < len(registry.definitions("gemini"))

    connected(sdk, Scripted(sdk, ECHO), use)


@every_mode
def test_a_live_servers_tools_can_be_served_again(mode: str, sdk: Sdk) -> None:
    """A proxy: what a server lists, behind our policy, for another client."""
    typed = {**ECHO, "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    server = Scripted(sdk, typed, answer={"content": [], "structuredContent": {"n": 1}})

    async def use(client: Any) -> None:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        async with sdk("mcp").Client(mcp_server(registry), mode=mode) as outer:
            (tool,) = (await outer.list_tools()).tools
            assert tool.name == "s__echo"
            assert tool.input_schema == typed["inputSchema"]
            assert tool.annotations.read_only_hint
            assert (await outer.call_tool("s__echo", {"text": "a"})).structured_content == {"n": 1}
            assert (await outer.call_tool("s__echo", {"text": 5})).is_error

    connected(sdk, server, use)


def test_a_thousand_calls_at_once_get_their_own_answers(sdk: Sdk) -> None:
    async def use(client: Any) -> list[ToolResult]:
        registry = ToolRegistry()
        await mcp_tools(client, registry, server="s")
        return await asyncio.gather(*(registry.execute("s__echo", {"text": f"{i}"}) for i in range(1000)))

    results = connected(sdk, Scripted(sdk, ECHO), use)
    assert [result.output for result in results] == [f"{{'text': '{i}'}}" for i in range(1000)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"server": "two words"},
        {"server": "a__b"},
        {"server": ""},
        {"server": "s", "timeout": 0},
        {"server": "s", "recheck": -1},
        {"server": "s", "permission": "all"},
        {"server": "s", "permission": {"echo": "all"}},
        {"server": "s", "secrets": {"echo": "text"}},
    ],
)
def test_what_cannot_be_right_is_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        asyncio.run(mcp_tools(None, ToolRegistry(), **wrong))


def test_the_schema_of_structured_results_is_for_clients_of_mcp(sdk: Sdk) -> None:
    """Elsewhere a model gets the text that the server wrote beside them, which no schema describes."""
    registry = ToolRegistry()

    async def use(client: Any) -> None:
        await mcp_tools(client, registry, server="s")

    connected(sdk, Scripted(sdk, {**ECHO, "outputSchema": OBJECT}), use, MODERN)
    shown = {id: registry.definition_objects(id)[0] for id in SENT_AS_JSON}
    assert {id for id in shown if "outputSchema" in shown[id]} == {"mcp", "mcp-2025-11-25", "mcp-2025-06-18"}
    assert not any({"output_schema", "responseJsonSchema"} & tool.keys() for tool in shown.values())
