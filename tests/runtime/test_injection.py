"""Values that the program fills in: where they come from, and what becomes of them."""

import asyncio
import json
import logging
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import msgspec
import pytest
from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options
from toolcast.runtime import ArgumentError, InjectionError, ToolContext
from toolcast.runtime.middleware.secrets import Secrets
from toolcast.spec.spec_reader import read_tool

from tests.injected import CALL, PROVIDERS, compiled, registered, spec
from tests.python.compiled import document

ID = "12345678-1234-5678-1234-567812345678"


class User(msgspec.Struct):
    id: int = 7


@dataclass
class Session:
    user: Any


def tool(kind: Any, path: str = "context.value", **more: Any) -> Any:
    schema = {"type": "object", "properties": {"value": kind, **more}, "additionalProperties": False}
    return compiled(schema, ("openai",), inject={"value": path})


@pytest.mark.parametrize(
    ("kind", "value", "got"),
    [
        ({"type": "integer"}, 7, 7),
        ({"type": "integer"}, 7.0, 7),
        ({"type": "string"}, "<secret_ref:A>", "<secret_ref:A>"),
        ({"type": "string", "format": "uuid"}, UUID(ID), ID),
        ({"type": "string", "format": "date"}, date(2026, 11, 23), "2026-11-23"),
        ({"type": "object"}, User(), {"id": 7}),
        ({"type": "array", "items": {"type": "integer"}}, (1, 2), [1, 2]),
        ({"type": ["string", "null"]}, None, None),
    ],
)
def test_a_value_is_what_json_would_have_brought(kind: Any, value: Any, got: Any) -> None:
    with tool(kind) as binding:
        registry, seen = registered(binding)
        result = asyncio.run(registry.execute("inbox", "{}", "openai", ToolContext(extra={"value": value})))
        assert result.success, result.error
        assert msgspec.to_builtins(seen.params[0].value) == got


def test_none_leaves_an_optional_parameter_out() -> None:
    with tool({"type": "integer"}) as binding:
        params = binding.decode({}, injected={"value": None})
        assert json.loads(binding.encode(params)) == {}
        assert json.loads(binding.encode(binding.decode({}, injected={}))) == {}


@pytest.mark.parametrize(
    "extra",
    [
        {"session": Session(User())},
        {"session": {"user": User()}},
        {"session": Session({"id": 7})},
        {"session": {"user": {"id": 7}}},
    ],
)
def test_a_path_goes_through_mappings_and_objects(extra: Any) -> None:
    with tool({"type": "integer"}, "context.session.user.id") as binding:
        registry, seen = registered(binding)
        assert asyncio.run(registry.execute("inbox", {}, context=ToolContext(extra=extra))).success
        assert seen.params[0].value == 7


def test_the_log_has_the_place_and_not_the_value(caplog: pytest.LogCaptureFixture) -> None:
    with tool({"type": "integer"}) as binding, caplog.at_level(logging.ERROR):
        registry, _ = registered(binding)
        context = ToolContext(extra={"value": "hidden words"})
        assert not asyncio.run(registry.execute("inbox", {}, context=context)).success
    text = logging.Formatter().format(caplog.records[0])
    assert "Parameter 'value' of tool 'inbox'" in text
    assert "refuses the program's value by `type`" in text
    assert "hidden words" not in text


def test_a_reference_to_a_secret_in_a_value_of_the_programs_is_refused() -> None:
    """Only parameters below `secrets` may hold one, whoever fills them in."""
    with tool({"type": "string"}) as binding:
        registry, seen = registered(binding, secrets=Secrets(lambda _: "s3cret-value"))
        context = ToolContext(extra={"value": "<secret_ref:A>"})
        result = asyncio.run(registry.execute("inbox", {}, context=context))
        assert not result.success
        assert seen.params == []


def test_enums_of_run_time_beside_it() -> None:
    schema = {
        "type": "object",
        "required": ["user", "agent"],
        "properties": {"user": {"type": "integer"}, "agent": {"type": "string"}},
    }
    with compiled(schema, inject={"user": "context.user"}, runtime_enums={"agent": "agents"}) as plain:
        binding = plain.specialise(agent=["a", "b"])
        assert binding.schema()["properties"] == {"agent": {"type": "string", "enum": ["a", "b"]}}
        assert binding.decode({"agent": "a"}, "openai", injected={"user": 7}).user == 7
        for wrong in ({"agent": "c"}, {"agent": "a", "user": 7}):
            with pytest.raises(ArgumentError):
                binding.decode(wrong, injected={"user": 7})
        with pytest.raises(InjectionError, match="it is required"):
            binding.decode({"agent": "a"})
        assert "user" not in json.loads(binding.definition("openai"))["function"]["parameters"]["properties"]


def test_what_a_model_sends_alone_is_plain_data_for_another_decode() -> None:
    with compiled() as binding:
        sent = {**CALL, "limit": None, "tags": [{"key": "a", "value": "b"}]}
        plain = binding.decode_offered(json.dumps(sent), "openai")
        assert plain == {"folder": "in", "tags": {"a": "b"}}
        params = binding.decode(plain, injected={"user_id": 1})
        assert (params.folder, params.user_id, params.limit) == ("in", 1, 10)
        with pytest.raises(ArgumentError, match="missing required property `folder`"):
            binding.decode_offered("")


def test_a_tool_that_nothing_is_filled_in_takes_no_value() -> None:
    with tool({"type": "integer"}) as binding:
        other = msgspec.structs.replace(binding, inject={})
        with pytest.raises(InjectionError, match="no parameter that the program fills in"):
            other.decode({}, injected={"value": 7})
        assert other.decode({"value": 7}).value == 7
        assert other.decode_offered({"value": 7}) == {"value": 7}


def test_examples_that_providers_are_sent_are_without_it() -> None:
    shown = {"anthropic": {"examples": True}}
    path = "inbox.json"
    spec_with = document(spec(examples=[CALL], providers=shown), path)
    tool, problems, _ = read_tool(spec_with, path, frozenset(PROVIDERS))
    assert tool is not None, problems
    with subject(tool, {}, Options(providers=("anthropic",))) as found:
        definition = json.loads(found.binding.definition("anthropic"))
    assert definition["input_examples"] == [CALL]
