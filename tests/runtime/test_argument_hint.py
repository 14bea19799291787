"""The hint beside the error of a refused call: which arguments are missing, and the schema the model saw."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from toolcast.agents.dispatch import Call, render
from toolcast.agents.dispatch.wire_formats import FORMATS
from toolcast.runtime import ArgumentHint, RefusalError, ToolBinding, ToolRegistry, ToolResult
from toolcast.runtime.failure_results import schema_text
from toolcast.runtime.middleware.events import Finished
from toolcast.runtime.middleware.secrets import EnvironmentSecrets, Secrets

from generated.registry import BINDINGS
from tests.runtime.helpers import Watch
from tests.runtime.sample.misc.shapes import SHAPES

PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")


def registry_of(*bindings: ToolBinding[Any, Any], **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)

    def refuse(*_: Any) -> ToolResult:
        raise RefusalError("not today")

    for binding in bindings:
        registry.register(binding, refuse)
    return registry


def call(name: str, arguments: Any, provider: str | None = None, **options: Any) -> ToolResult:
    registry = registry_of(BINDINGS[name], **options)
    return asyncio.run(registry.execute(name, arguments, provider))


@pytest.mark.parametrize("provider", [*PROVIDERS, None])
def test_what_is_missing_comes_with_the_schema_as_data_alone(provider: str | None) -> None:
    """A model that was offered the full definition has the schema already."""
    required = [name for name, binding in BINDINGS.items() if binding.schema().get("required")]
    assert required
    for name in required:
        result = call(name, {}, provider)
        hint = result.data
        assert isinstance(hint, ArgumentHint)
        assert hint.tool == name
        assert hint.missing == tuple(BINDINGS[name].schema()["required"])
        assert "The full schema" not in result.error
        schema = schema_text(BINDINGS[name], provider)
        assert json.loads(schema) == hint.schema
        if provider is not None:
            assert schema in BINDINGS[name].definition(provider)


def test_missing_parts_of_parts_are_named_by_their_paths() -> None:
    hint = call("multi_edit", {"file_path": "/a", "edits": [{"old_string": "x"}, {}]}, "openai").data
    assert hint.missing == ("edits[0].new_string", "edits[1].old_string", "edits[1].new_string")


@pytest.mark.parametrize(
    "arguments", [{"file_path": "/a", "old_string": 5, "new_string": ""}, "no JSON", "[]"]
)
def test_errors_where_nothing_is_missing_have_no_hint(arguments: Any) -> None:
    result = call("edit", arguments, "openai")
    assert not result.success
    assert result.data is None


def test_a_handler_that_refuses_leaves_none() -> None:
    good = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    assert call("edit", good) == ToolResult.failed("not today")


def test_without_a_provider_the_schema_stands_alone() -> None:
    result = asyncio.run(registry_of(SHAPES).execute("shapes", {}))
    assert isinstance(result.data, ArgumentHint)
    validator = jsonschema_rs.validator_for(dict(result.data.schema))
    assert validator.is_valid({"tags": ["a"]})
    assert not validator.is_valid({"tags": [], "pet": 5})


def test_the_hint_is_frozen_and_a_copy() -> None:
    first, second = (call("edit", {}, "openai").data for _ in range(2))
    assert first == second
    assert first.schema is not second.schema
    with pytest.raises(AttributeError):
        first.tool = "other"
    assert msgspec.json.decode(msgspec.json.encode(first), type=ArgumentHint) == first


@pytest.mark.parametrize("format", FORMATS)
def test_no_answer_carries_the_hint(format: str) -> None:
    """It is for the program: the model reads the same in words."""
    result = call("edit", {}, "openai")
    asked = [Call(id="call_1", name="edit", arguments={}, index=0)]
    message = render(asked, [result], format)
    assert message == render(asked, [msgspec.structs.replace(result, data=None)], format)
    assert "structuredContent" not in message[0]


def test_hooks_get_the_hint_and_no_secrets() -> None:
    watch = Watch()
    secrets = Secrets(EnvironmentSecrets(prefix="APP_"))
    secrets.hide("A", "new_string")
    result = call("edit", {"file_path": "/a"}, "openai", secrets=secrets, hooks=watch)
    assert result.data.missing == ("old_string", "[redacted:A]")
    assert not _holds(result.data.schema, "new_string")
    assert "new_string" not in result.error
    [finished] = [event for event in watch.events if isinstance(event, Finished)]
    assert finished.result.data == result.data


def _holds(value: Any, text: str) -> bool:
    if isinstance(value, Mapping):
        return any(text in key or _holds(item, text) for key, item in value.items())
    if isinstance(value, list):
        return any(_holds(item, text) for item in value)
    return isinstance(value, str) and text in value
