"""A binding undoes what was sent in another form to the provider that is named, and to no other."""

import importlib
import json
from typing import Any

import jsonschema_rs
import pytest
from toolcast.runtime import ArgumentError, MissingDataError, ToolRegistry, UnknownProviderError

from tests.python.compiled import imported
from tests.runtime.wire.conftest import RICH, Binding

SENT = {
    "headers": [{"key": "a", "value": 1}, {"key": "b c", "value": 2}],
    "x_level": "true",
    "point": {"item_1": 7, "item_2": None},
    "body": '{"any": [1, "x"]}',
}
MEANT = {"headers": {"a": 1, "b c": 2}, "x-level": True, "point": [7], "body": {"any": [1, "x"]}}


def plainly(binding: Binding, arguments: Any, provider: str | None = "acme") -> Any:
    return json.loads(binding.encode(binding.decode(arguments, provider)))


def test_the_binding_says_what_is_decoded(rich: Binding, strict: Binding) -> None:
    assert rich.wire_forms == ("acme",)
    assert strict.wire_forms == ()


def test_the_provider_accepts_what_is_sent_here(rich: Binding) -> None:
    schema = json.loads(rich.definition("acme"))["spec"]["args"]["schema"]
    jsonschema_rs.validate(schema, SENT)
    jsonschema_rs.validate(RICH, MEANT)


@pytest.mark.parametrize("write", [json.dumps, lambda value: json.dumps(value).encode(), lambda value: value])
def test_arguments_are_decoded(rich: Binding, write: Any) -> None:
    assert plainly(rich, write(SENT)) == MEANT


def test_arguments_encoded_twice_are_opened_first(rich: Binding) -> None:
    assert plainly(rich, json.dumps(json.dumps(SENT))) == MEANT


def test_the_contracts_own_form_stays_good(rich: Binding) -> None:
    assert plainly(rich, json.dumps(MEANT)) == MEANT
    assert plainly(rich, json.dumps(MEANT), None) == MEANT
    assert plainly(rich, json.dumps(MEANT), "mcp") == MEANT


def test_null_is_left_out(rich: Binding) -> None:
    sent = {"headers": [], "x_level": "auto", "point": None, "body": None}
    assert plainly(rich, sent) == {"headers": {}, "x-level": "auto"} | {"body": None}


def test_only_for_the_provider_that_is_named(rich: Binding) -> None:
    for provider in (None, "mcp"):
        with pytest.raises(ArgumentError):
            rich.decode(json.dumps(SENT), provider)
    with pytest.raises(UnknownProviderError):
        rich.decode(json.dumps(SENT), "gemini")


def test_properties_given_twice_are_refused(rich: Binding) -> None:
    text = json.dumps(SENT)
    with pytest.raises(ArgumentError, match="duplicate property `x_level`"):
        rich.decode(text[:-1] + ', "x_level": "1"}', "acme")


@pytest.mark.parametrize(
    ("name", "value", "stated"),
    [
        ("headers", [{"key": "a", "value": 1}, {"key": "a", "value": 2}], "the key `a` twice"),
        ("headers", [{"key": "a", "value": 1, "x": 2}], "nothing else"),
        ("headers", [{"key": "a", "value": "x"}], "`headers.a` must be an integer"),
        ("point", {"item_2": "x", "item_1": None}, "point"),
        ("point", {"item_2": "x"}, "array"),
        ("x_level", "3", "x-level"),
    ],
)
def test_errors_speak_of_what_was_sent(rich: Binding, name: str, value: Any, stated: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        rich.decode({**SENT, name: value}, "acme")
    assert stated in str(caught.value)


async def run(binding: Binding, arguments: Any) -> Any:
    registry = ToolRegistry()
    registry.register(binding, lambda params, _: json.loads(binding.encode(params)))
    return await registry.execute(binding.name, arguments, "acme")


def test_a_call_is_decoded(rich: Binding) -> None:
    import asyncio

    result = asyncio.run(run(rich, json.dumps(SENT)))
    assert json.loads(result.output) == MEANT


@pytest.mark.parametrize("content", [None, b"", b"[", b'{"root": 5}', b'{"root": {}, "parameters": "/gone"}'])
def test_a_file_that_is_not_as_it_was_generated(files: dict[str, bytes], content: bytes | None) -> None:
    path = "wire_forms/acme/rich.json"
    broken = {name: data for name, data in files.items() if name != path}
    if content is not None:
        broken[path] = content
    with imported(broken) as name:
        binding = importlib.import_module(f"{name}.rich").RICH
        with pytest.raises(MissingDataError, match="toolcast generate"):
            binding.decode(SENT, "acme")
        binding.decode(MEANT, "mcp")


def test_brief_definitions_of_an_unknown_envelope(rich: Binding) -> None:
    full = json.loads(rich.definition("acme"))
    brief = json.loads(rich.definition("acme", "brief"))
    assert "description" in json.dumps(full["spec"]["args"])
    assert "description" not in json.dumps(brief["spec"]["args"])
    assert brief["spec"]["about"] == rich.summary
    assert brief["spec"]["name"] == "rich"
    assert rich.envelopes == {"acme": ("/spec/args/schema", "/spec/about")}


def test_an_empty_string_that_means_left_out(plain: Binding, strict: Binding) -> None:
    assert strict.decode('{"path": "a", "cursor": ""}').cursor == ""
    assert plain.empty_is_absent == ("cursor",)
    for provider in (None, "mcp", "acme"):
        for text in ('{"path": "a", "cursor": ""}', b'{"cursor":"","path":"a"}', {"path": "a", "cursor": ""}):
            for _ in range(2):  # the first call makes the plan
                params = plain.decode(text, provider)
                assert (params.path, params.cursor) == ("a", None)
    assert plain.decode('{"path": "a", "cursor": "x"}').cursor == "x"
    with pytest.raises(ArgumentError):
        plain.decode('{"path": ""}')
