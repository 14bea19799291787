"""Schemas met at run time: decoded as a compiled tool would decode, and prepared once."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from toolcast.providers import Normalizer, ProfileError, SchemaError, decode, normalize
from toolcast.runtime import ArgumentError, Guesses

from tests.runtime.helpers import python
from tests.runtime.wire.conftest import ACME, PLAIN, RICH, Binding
from tests.runtime.wire.test_binding import MEANT, SENT

TEXT = json.dumps(RICH).encode()


@pytest.mark.parametrize("schema", [RICH, TEXT, TEXT.decode()])
@pytest.mark.parametrize("write", [json.dumps, lambda value: json.dumps(value).encode(), lambda value: value])
def test_arguments_are_decoded(schema: Any, write: Any) -> None:
    before = copy.deepcopy(schema)
    assert decode(write(SENT), ACME, schema=schema) == MEANT
    assert schema == before


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ArgumentError as problem:
        return str(problem)


@pytest.mark.parametrize("sent", ['{"path": "a", "count": 5.0, "tags": null}', '""', '{"path": ""}', "{"])
def test_as_a_compiled_tool_does(strict: Binding, sent: str) -> None:
    compiled = outcome(lambda: json.loads(strict.encode(strict.decode(sent, "mcp"))))
    assert outcome(lambda: decode(sent, "mcp", schema=PLAIN, tool="strict")) == compiled


def test_validation_is_the_callers_choice() -> None:
    sent = {**SENT, "x_level": "9"}
    with pytest.raises(ArgumentError, match="x-level"):
        decode(sent, ACME, schema=RICH)
    assert decode(sent, ACME, schema=RICH, validate=False) == {**MEANT, "x-level": "9"}
    with pytest.raises(ArgumentError):
        decode("[1]", ACME, schema=RICH, validate=False)


def test_older_drafts_are_read_as_their_draft_defines() -> None:
    schema = {
        "type": "object",
        "definitions": {"n": {"type": "number", "minimum": 1, "exclusiveMinimum": True}},
        "properties": {
            "pair": {"type": "array", "items": [{"$ref": "#/definitions/n"}], "additionalItems": False}
        },
    }
    assert decode('{"pair": [2]}', "openai", schema=schema) == {"pair": [2]}
    for wrong in ("[1]", "[2, 3]"):
        with pytest.raises(ArgumentError):
            decode(f'{{"pair": {wrong}}}', "openai", schema=schema)


def test_what_every_provider_may_send() -> None:
    schema: dict[str, Any] = {"type": "object"}
    assert decode("", "openai", schema=schema) == {}
    assert decode(json.dumps('{"a": "1"}'), "openai", schema=schema) == {"a": "1"}
    assert decode({"a": None}, "openai", schema=schema) == {"a": None}
    for wrong in ("[]", "5", '"x"', "{", "```\n{}\n```"):
        with pytest.raises(ArgumentError):
            decode(wrong, "openai", schema=schema)
    guesses = Guesses("all")
    assert decode('```\n{"a": "1"\n```', "openai", schema=schema, guesses=guesses) == {"a": "1"}
    assert guesses.counts["missing-bracket"] == 1
    with pytest.raises(ProfileError):
        decode("{}", "nobody", schema=schema)


def test_guesses_with_a_schema() -> None:
    guesses = Guesses("all")
    sent = '{"headers": [{"key": "a", "value": "1"}], "x_level": "2"'
    for validate in (True, False):
        found = decode(sent, ACME, schema=TEXT, guesses=guesses, validate=validate)
        assert found == {"headers": {"a": 1}, "x-level": 2}
    assert guesses.counts["missing-bracket"] == 2


def test_a_normalizer_answers_as_normalize() -> None:
    known = Normalizer(4)
    expected = normalize(RICH, ACME)
    for schema in (RICH, TEXT, TEXT.decode()):
        first = known.normalize(schema, ACME)
        assert (first.schema, first.wire_forms, first.ledger) == (
            expected.schema,
            expected.wire_forms,
            expected.ledger,
        )
        assert known.normalize(schema, ACME) is first
    assert known.normalize(RICH, "openai") is not known.normalize(RICH, "openai", strict=False)
    assert known.normalize(bytes(bytearray(TEXT)), ACME) is known.normalize(TEXT, ACME)


def test_a_mapping_is_known_by_its_identity() -> None:
    known = Normalizer()
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    first = known.normalize(schema, "mcp")
    assert known.normalize(dict(schema), "mcp") is not first
    schema["properties"] = {}
    assert known.normalize(schema, "mcp") is first
    known.forget()
    assert known.normalize(schema, "mcp").schema["properties"] == {}


def test_it_is_bounded_and_keeps_what_is_used() -> None:
    known = Normalizer(8)
    kept = known.normalize(TEXT, "mcp")
    for number in range(100):
        known.normalize(json.dumps({"type": "object", "description": str(number)}), "mcp")
        assert known.normalize(TEXT, "mcp") is kept
        assert len(known._known._new) + len(known._known._old) <= 8
    with pytest.raises(ValueError, match="at least 1"):
        Normalizer(0)


def test_what_is_no_schema_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(SchemaError, match=r"not valid JSON: .* line 1 column 2"):
            decode("{}", "mcp", schema=b"{")


def test_a_second_look_finds_the_same_outcome() -> None:
    known = Normalizer()
    for schema in (RICH, TEXT):
        assert known.normalize(schema, "mcp") is known.normalize(schema, "mcp")


def test_it_needs_msgspec_only() -> None:
    code = (
        "import sys, msgspec; before = set(sys.modules); from toolcast.providers import decode; "
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    assert python(code).split() == ["toolcast"]
