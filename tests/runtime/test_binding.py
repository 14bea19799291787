"""Decoding: exact, lossless, and with every violation in one message."""

import json
import logging
import pickle
from collections import UserDict, UserList
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError, ToolBinding, UnknownProviderError

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT, EditParams, EditResult

Binding = ToolBinding[Any, Any]
PARAMS = EditParams(file_path="/a", old_string="x", new_string="y")


def refusal(binding: Binding, arguments: Any) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        binding.decode(arguments)
    assert caught.value.tool == binding.name
    return caught.value


@pytest.mark.parametrize(
    "arguments",
    [
        json.dumps(GOOD).encode(),
        json.dumps(GOOD),
        bytearray(json.dumps(GOOD).encode()),
        memoryview(json.dumps(GOOD).encode()),
        GOOD,
        MappingProxyType(GOOD),
        json.dumps(json.dumps(GOOD)),
        json.dumps({**GOOD, "line": None}),
    ],
)
def test_every_form_of_arguments(edit: Binding, arguments: Any) -> None:
    assert edit.decode(arguments) == PARAMS


@pytest.mark.parametrize("blank", ["", b"", "  \n", None, '""', "null", b"null", '"null"', "{}", {}])
def test_blank_text_and_null_are_an_empty_object(blank: Any) -> None:
    class NoParams(msgspec.Struct, frozen=True):
        pass

    binding: Binding = msgspec.structs.replace(EDIT, name="ping", params=NoParams)
    if blank != '""':
        assert binding.decode(blank) == NoParams()
    # A tool with required arguments says so, and does not complain about JSON.
    assert {violation.keyword for violation in refusal(EDIT, blank).violations} == {"required"}


def test_every_violation_is_named_with_its_path(edit: Binding) -> None:
    problem = refusal(edit, json.dumps({"file_path": "", "old_string": 5, "line": 0, "odd": 1}))
    paths = {violation.path for violation in problem.violations}
    assert {"$.file_path", "$.old_string", "$.line"} <= paths
    text = str(problem)
    for word in ("$.file_path", "$.old_string", "$.line", "new_string", "odd", "'edit'", "5 problems"):
        assert word in text
    assert problem.missing


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (b'{"file_path": nope}', "line 1 column 15"),
        (b'{"file_path": "x', "Unterminated string starting at: line 1 column 15"),
        (b"[" * 50_000, "nested too deeply"),
        (b"1e999", "out of range"),
        (5, "int"),
        ([1], "list"),
        ({"file_path": object()}, "object"),
    ],
)
def test_what_is_not_json_is_refused_with_the_reason(edit: Binding, arguments: Any, word: str) -> None:
    problem = refusal(edit, arguments)
    assert not problem.violations
    assert word in str(problem)
    assert "one JSON object" in str(problem)


def test_client_libraries_own_classes_are_plain_values(note: Binding) -> None:
    class Text(str):
        __slots__ = ()

    class Number(float):
        pass

    arguments = MappingProxyType({"a": Text("x"), "b": UserList([Number(1.5), UserDict({"c": True})])})
    assert note.decode(arguments).extra == {"a": "x", "b": [1.5, {"c": True}]}
    assert type(note.decode(arguments).extra["a"]) is str


def test_only_so_many_violations_are_listed(shapes: Binding) -> None:
    problem = refusal(shapes, {"tags": list(range(500))})
    assert len(problem.violations) == 50
    assert "50 or more problems" in str(problem)


def test_a_mapping_that_holds_itself_is_refused(edit: Binding) -> None:
    loop: dict[str, Any] = dict(GOOD)
    loop["file_path"] = loop
    assert "nested too deeply" in str(refusal(edit, loop))


@pytest.mark.parametrize("arguments", ["[]", "5", "true", "[null]", '"text"', '"[1]"', '"{"'])
def test_json_that_is_no_object_is_refused(edit: Binding, arguments: str) -> None:
    refusal(edit, arguments)


def test_arguments_are_not_changed(edit: Binding) -> None:
    arguments = {**GOOD, "line": None, "replace_all": True}
    before = json.dumps(arguments)
    edit.decode(arguments)
    assert json.dumps(arguments) == before


def test_a_provider_must_have_been_generated(edit: Binding) -> None:
    assert edit.decode(json.dumps(GOOD), provider="openai") == PARAMS
    for provider in ("openia", "../contracts", "", "openai/../mcp", "."):
        with pytest.raises(UnknownProviderError, match="Generated: anthropic, bedrock, mcp, openai"):
            edit.decode(json.dumps(GOOD), provider=provider)


def test_contract_wider_than_struct_is_an_error_and_a_warning(
    edit: Binding, caplog: pytest.LogCaptureFixture
) -> None:
    class Narrow(msgspec.Struct):
        file_path: int

    binding: Binding = msgspec.structs.replace(edit, params=Narrow)
    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        problem = refusal(binding, json.dumps(GOOD))
    assert "file_path" in str(problem)
    assert "bug in the generated code" in caplog.text


def test_inexact_structs_are_validated_first(note: Binding) -> None:
    assert note.decode(b'{"text": "a", "more": [1]}').extra == {"more": [1]}
    assert refusal(note, b"{}").violations[0].keyword == "minProperties"


def test_encode_drops_what_only_python_needs(edit: Binding, oracle: Any) -> None:
    encoded = json.loads(edit.encode(PARAMS))
    assert encoded == GOOD
    assert oracle("edit").is_valid(encoded)
    result = json.loads(edit.encode_result(EditResult(replaced=2)))
    assert result == {"replaced": 2}
    assert oracle("edit", "result").is_valid(result)


def test_schema_is_a_copy(edit: Binding) -> None:
    edit.schema()["properties"].clear()
    assert set(edit.schema()["properties"]) >= {"file_path", "line"}


def test_bindings_are_frozen_and_hashable(edit: Binding) -> None:
    with pytest.raises(AttributeError):
        edit.name = "other"  # type: ignore[misc]
    assert {edit: 1}[edit] == 1


def test_argument_errors_survive_pickling(edit: Binding) -> None:
    problem = refusal(edit, "{}")
    again = pickle.loads(pickle.dumps(problem))
    assert str(again) == str(problem)
    assert again.violations == problem.violations


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.text(max_size=2), st.integers(-2, 3), st.booleans(), st.floats(0, 3), st.just([])
)


@given(
    st.dictionaries(
        st.sampled_from(["file_path", "old_string", "new_string", "replace_all", "line", "odd"]), VALUES
    )
)
def test_accepts_what_the_schema_accepts(value: dict[str, Any]) -> None:
    """L1 over both forms of input; no nulls here, so the schema alone decides."""
    from tests.runtime.conftest import SAMPLE

    contract = json.loads((SAMPLE / "contracts" / "edit.json").read_text("utf-8"))
    import jsonschema_rs

    expected = jsonschema_rs.is_valid({"$ref": "#/parameters", **contract}, value)
    for arguments in (value, json.dumps(value)):
        try:
            EDIT.decode(arguments)
            accepted = True
        except ArgumentError:
            accepted = False
        assert accepted == expected


def test_a_changed_binding_answers_for_itself() -> None:
    """What the binding that it was made of has read already is not repeated."""
    assert msgspec.json.decode(EDIT.definition("openai", "brief"))["function"]["description"] == EDIT.summary
    changed = msgspec.structs.replace(EDIT, summary="Another summary.")
    function = msgspec.json.decode(changed.definition("openai", "brief"))["function"]
    assert function["description"] == "Another summary."
    renamed = msgspec.structs.replace(EDIT, name="renamed")
    with pytest.raises(UnknownProviderError):
        renamed.definition("openai")
