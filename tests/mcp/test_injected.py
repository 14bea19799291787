"""Parameters that the program fills in: of a live server's tools, and of tools that are served."""

import asyncio
import copy
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest
from toolcast.mcp import Principal, mcp_server, mcp_tools
from toolcast.providers import available
from toolcast.runtime import Guesses, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from tests.injected import CALL, INJECT, Seen, compiled, registered
from tests.mcp.conftest import Sdk
from tests.mcp.scripted import Scripted, connected

MAILS: dict[str, Any] = {
    "name": "mail_list",
    "description": "Lists mails.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["user_id", "folder"],
        "properties": {
            "user_id": {"type": "integer", "minimum": 1, "description": "zebra"},
            "folder": {"$ref": "#/definitions/folder"},
            "again": {"$ref": "#/properties/folder"},
        },
        "definitions": {"folder": {"type": "string", "minLength": 1}},
    },
}
BY_PATTERN = {"mail_*": {"user_id": "context.user.id"}}
CONTEXT = ToolContext(extra={"user": {"id": 7}})


def used(sdk: Sdk, server: Scripted, use: Any, policy: Policy | None = None, **options: Any) -> Any:
    async def main(client: Any) -> Any:
        registry = ToolRegistry(policy=policy)
        tools = await mcp_tools(client, registry, server="s", **{"inject": BY_PATTERN, **options})
        return await use(registry, tools)

    return connected(sdk, server, main)


def test_a_live_tool_is_offered_without_it_and_called_with_it(sdk: Sdk) -> None:
    server = Scripted(sdk, copy.deepcopy(MAILS))

    async def use(registry: ToolRegistry, _: Any) -> None:
        binding = registry.get("s__mail_list").binding
        for provider in available():
            for level in ("full", "brief"):
                shown = binding.definition(provider, level)  # type: ignore[arg-type]
                assert b"user_id" not in shown
                assert b"zebra" not in shown
            result = await registry.execute("s__mail_list", {"folder": "in"}, provider, CONTEXT)
            assert result.success, result.error
        assert "user_id" not in json.dumps(binding.schema())
        missing = await registry.execute("s__mail_list", {}, "openai", CONTEXT)
        assert "user_id" not in missing.error + json.dumps(missing.data.schema)

    used(sdk, server, use)
    assert server.calls == [("mail_list", {"folder": "in", "user_id": 7})] * len(available())


def test_an_always_for_one_user_is_none_for_another_at_a_live_tool(sdk: Sdk) -> None:
    server = Scripted(sdk, copy.deepcopy(MAILS))
    asked: list[Any] = []

    async def approve(request: Any) -> str:
        asked.append(request)
        return "always"

    async def use(registry: ToolRegistry, _: Any) -> None:
        for user in (7, 7, 8):
            context = ToolContext(extra={"user": {"id": user}})
            result = await registry.execute("s__mail_list", {"folder": "in"}, None, context)
            assert result.success, result.error

    used(sdk, server, use, Policy(approver=approve))
    assert [(each.params["user_id"], each.injected) for each in asked] == [
        (7, ("user_id",)),
        (8, ("user_id",)),
    ]


@pytest.mark.parametrize("value", [8, 7, None, "8"])
def test_a_model_cannot_set_it_at_a_live_tool(value: Any, sdk: Sdk) -> None:
    server = Scripted(sdk, copy.deepcopy(MAILS))

    async def use(registry: ToolRegistry, _: Any) -> None:
        for provider in (None, *available()):
            for name in ("user_id", "USER_ID", "userId", "user%5fid"):
                sent = {"folder": "in", name: value}
                guesses = Guesses("all")
                result = await registry.execute("s__mail_list", sent, provider, CONTEXT, guesses)
                assert f"`{name}` is filled in by the program" in result.error

    used(sdk, server, use)
    assert server.calls == []


@pytest.mark.parametrize("extra", [{}, {"user": {"id": 0}}, {"user": {"id": "7"}}])
def test_without_a_value_nothing_is_sent(extra: Any, sdk: Sdk) -> None:
    server = Scripted(sdk, copy.deepcopy(MAILS))

    async def use(registry: ToolRegistry, _: Any) -> None:
        context = ToolContext(extra=extra)
        result = await registry.execute("s__mail_list", {"folder": "in"}, context=context)
        assert "This is a fault of the program" in result.error

    used(sdk, server, use)
    assert server.calls == []


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "object"}, "it is no property of its own"),
        ({"type": "object", "properties": {"user": {}}}, "it is no property of its own"),
        (
            {"type": "object", "properties": {"user_id": {}}, "anyOf": [{"required": ["user_id"]}]},
            "`anyOf` at the root",
        ),
        ({"type": "object", "properties": {"user_id": {}, "more": {"$ref": "#"}}}, "a reference inside"),
    ],
)
def test_a_live_tool_that_lacks_it_is_refused(schema: Any, reason: str, sdk: Sdk) -> None:
    server = Scripted(sdk, {**MAILS, "inputSchema": schema})

    async def use(registry: ToolRegistry, tools: Any) -> None:
        assert registry.names == ()
        (refused,) = tools.refused
        assert "cannot fill in its parameter 'user_id'" in refused.reason
        assert reason in refused.reason

    used(sdk, server, use)


def test_a_pattern_that_fits_no_tool_is_an_error(sdk: Sdk) -> None:
    async def use(client: Any) -> None:
        for inject, words in (
            ({"post_*": {"user_id": "context.id"}}, r"lists no tool 'post_\*'"),
            ({"mail_*": {"user_id": "id"}}, "'id' is no path for 'user_id'"),
        ):
            registry = ToolRegistry()
            with pytest.raises(ValueError, match=words):
                await mcp_tools(client, registry, server="s", inject=inject)
            assert registry.names == ()

    connected(sdk, Scripted(sdk, MAILS), use)


def test_a_parameter_with_secrets_is_not_filled_in(sdk: Sdk) -> None:
    async def use(_: ToolRegistry, tools: Any) -> str:
        (refused,) = tools.refused
        return str(refused.reason)

    reason = used(sdk, Scripted(sdk, MAILS), use, secrets={"mail_list": ["user_id"]})
    assert "it may carry secrets" in reason


def served(sdk: Sdk, extra: Any, use: Any, inject: Mapping[str, str] = INJECT) -> Seen:
    """A client's use of a server of `inbox`; what its handler got."""
    client = sdk("mcp").Client
    with compiled(inject=inject) as binding:
        registry, seen = registered(binding)

        async def main() -> None:
            async with client(mcp_server(registry, name="s", extra=extra)) as session:
                await use(session)

        asyncio.run(main())
    return seen


def test_a_served_tool_hides_it_and_the_program_gives_it_per_request(sdk: Sdk) -> None:
    ids = iter((7, 8))

    async def use(session: Any) -> None:
        (listed,) = (await session.list_tools()).tools
        assert listed.input_schema["properties"].keys() == {"folder", "limit", "tags"}
        for _ in range(2):
            assert not (await session.call_tool("inbox", CALL)).is_error
        refused = await session.call_tool("inbox", {**CALL, "user_id": 9})
        assert "is filled in by the program" in refused.content[0].text

    def extra(context: Any) -> dict[str, Any]:
        assert context.request_id is not None
        return {"user": {"id": next(ids, 1)}, "region": "us"}

    seen = served(sdk, extra, use)
    assert [(each.user_id, each.region) for each in seen.params] == [(7, "us"), (8, "us")]


def test_a_context_that_cannot_be_made_is_a_fault_of_the_program(
    sdk: Sdk, caplog: pytest.LogCaptureFixture
) -> None:
    async def use(session: Any) -> None:
        result = await session.call_tool("inbox", CALL)
        assert result.is_error
        assert "failed in making the context of the call: internal error KeyError" in result.content[0].text
        assert "hidden words" not in result.content[0].text

    def extra(_: Any) -> dict[str, Any]:
        raise KeyError("hidden words")

    with caplog.at_level(logging.ERROR):
        assert served(sdk, extra, use).params == []
    assert "hidden words" in caplog.text


def test_without_a_context_a_served_call_fails(sdk: Sdk) -> None:
    async def use(session: Any) -> None:
        result = await session.call_tool("inbox", CALL)
        assert "This is a fault of the program" in result.content[0].text

    assert served(sdk, None, use).params == []


def test_the_authenticated_user_is_a_value_of_its_own() -> None:
    principal = Principal(id="ada")
    with compiled(
        {"type": "object", "required": ["who"], "properties": {"who": {"type": "string"}}},
        inject={"who": "context.principal.id"},
    ) as binding:
        registry, seen = registered(binding)
        context = ToolContext(extra={"principal": principal})
        assert asyncio.run(registry.execute("inbox", {}, context=context)).success
        assert seen.params[0].who == "ada"
