"""A defect of a schema costs that defect, and the decoder takes exactly what providers were offered."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.providers import SchemaError, available, decode, normalize, quarantined
from toolcast.runtime import ArgumentError

from tests.providers.strategies import contracts

pytestmark = pytest.mark.corpora
BAD_PATTERNS = ["(?i)abc", r"\A\d+\z", "(", "[", "(?P<x>a)", "*", "a{2,1}", "(" * 3000, r"(?<=a+)b"]
BAD_TYPES = [
    "strnig",
    "widget",
    "",
    [],
    ["string", "widget"],
    {"type": "string"},
    5,
]
BAD_REFERENCES = [
    "#/$defs/nowhere",
    "https://example.com/x.json",
    "other.json#/a",
    "#anchor",
    "#/properties/%zz",
]
UNSATISFIABLE = [
    {"type": "string", "enum": [1, 2], "description": "One or two."},
    {"type": "integer", "minimum": 9, "maximum": 3},
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
]


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {**properties, "rest": {"type": "integer", "minimum": 1}}}


@st.composite
def corrupted(draw: st.DrawFn, schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], str]:
    made = copy.deepcopy(schema)
    places: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), made)]
    for segments, node in places:
        for key in ("properties", "$defs"):
            for name, below in (node.get(key) or {}).items():
                if isinstance(below, dict):
                    places.append(((*segments, key, name), below))
        if isinstance(node.get("items"), dict):
            places.append(((*segments, "items"), node["items"]))
    segments, node = draw(st.sampled_from(places))
    bad = {"pattern": BAD_PATTERNS, "type": BAD_TYPES, "$ref": BAD_REFERENCES}
    keyword = draw(st.sampled_from(sorted(bad)))
    node[keyword] = draw(st.sampled_from(bad[keyword]))
    return made, segments, keyword


def without(schema: dict[str, Any], segments: tuple[str, ...], keyword: str) -> dict[str, Any]:
    made = copy.deepcopy(schema)
    node: Any = made
    for segment in segments:
        node = node[segment]
    del node[keyword]
    return made


@pytest.fixture(scope="module")
def tools(shared_dir: Path) -> list[dict[str, Any]]:
    lines = (line for path in sorted((shared_dir / "corpora").glob("*.jsonl")) for line in path.open("rb"))
    records = [json.loads(line) for line in lines if b'"definitions"' not in line and b"/draft-0" not in line]
    return [
        record
        for record in records
        if record.get("calls") and jsonschema_rs.meta.is_valid(record["parameters"])
        if quarantined(record["parameters"])[0] is record["parameters"]
    ]


@given(data=st.data())
def test_a_corruption_of_a_real_tool_costs_one_keyword(
    tools: list[dict[str, Any]], data: st.DataObject
) -> None:
    record = tools[data.draw(st.integers(0, len(tools) - 1), label="tool")]
    bad, segments, keyword = data.draw(corrupted(record["parameters"]))
    before = copy.deepcopy(bad)
    cleaned, entries = quarantined(bad)
    assert bad == before
    assert cleaned == without(bad, segments, keyword)
    path = "".join("/" + each.replace("~", "~0").replace("/", "~1") for each in segments)
    assert [(entry.path, entry.keyword, entry.action, entry.severity) for entry in entries] == [
        (path, keyword, "dropped", "lost")
    ]
    assert quarantined(cleaned) == (cleaned, ())
    judge = jsonschema_rs.validator_for(cleaned)
    provider = data.draw(st.sampled_from(available()), label="provider")
    result = normalize(bad, provider)
    plain = normalize(cleaned, provider)
    assert (result.schema, result.strict, result.wire_forms) == (plain.schema, plain.strict, plain.wire_forms)
    assert set(result.ledger) == {*entries, *plain.ledger}
    for call in record["calls"][:3]:
        assert judge.is_valid(call)
        decode(call, "mcp", schema=bad)
    for case in (record.get("bad_calls") or [])[:3]:
        try:
            assert judge.is_valid(decode(case["arguments"], "mcp", schema=bad))
        except ArgumentError:
            continue


@given(contract=contracts(), data=st.data())
def test_corruptions_of_composed_schemas_leave_schemas(contract: Any, data: st.DataObject) -> None:
    """Whatever is corrupted, the cleaned schema is one, cleaning it again changes nothing, and it takes what
    the sound one took."""
    contract = json.loads(json.dumps(contract))
    if not isinstance(contract, dict):
        return
    bad = contract
    for _ in range(data.draw(st.integers(1, 3))):
        bad, _, _ = data.draw(corrupted(bad))
    cleaned, entries = quarantined(bad)
    assert jsonschema_rs.meta.is_valid(cleaned)
    assert entries or cleaned is bad
    assert quarantined(cleaned)[0] == cleaned
    for provider in ("openai", "gemini", "anthropic", "mcp"):
        normalize(bad, provider)


DEFECTS = [
    *(("pattern", {"type": "string", "pattern": each}, {"type": "string"}) for each in BAD_PATTERNS),
    *(("$ref", {"$ref": each}, {}) for each in BAD_REFERENCES),
    *(("type", {"type": each}, {}) for each in BAD_TYPES),
    *((word, {word: 5}, {}) for word in ("not", "items", "allOf", "properties", "contains", "$defs")),
    ("$ref", {"$ref": "#/properties/a"}, {}),
    ("$vocabulary", {"$vocabulary": {}}, {}),
    ("$schema", {"$schema": "https://example.com/dialect"}, {}),
]
EVERY = [("mcp", *defect) for defect in DEFECTS]
FIRST = [next(defect for defect in DEFECTS if defect[0] == word) for word in ("pattern", "$ref", "type")]


@pytest.mark.parametrize(
    ("provider", "keyword", "defect", "left"),
    [*EVERY, *((provider, *defect) for provider in available() for defect in FIRST)],
    ids=lambda value: str(value)[:40],
)
def test_every_provider_is_offered_what_is_left(provider: str, keyword: str, defect: Any, left: Any) -> None:
    schema = obj(a={**defect, "maxLength": 9})
    result, plain = normalize(schema, provider), normalize(obj(a={**left, "maxLength": 9}), provider)
    assert (result.schema, result.strict) == (plain.schema, plain.strict)
    (entry,) = set(result.ledger) - set(plain.ledger)
    assert (entry.path, entry.keyword) == ("/properties/a", keyword)
    assert (entry.action, entry.severity) == ("dropped", "lost")
    assert decode({"a": "x", "rest": 1}, "mcp", schema=schema)["a"] == "x"
    for wrong in ({"a": "x" * 10, "rest": 1}, {"rest": 0}):
        with pytest.raises(ArgumentError):
            decode(wrong, "mcp", schema=schema)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("dict", "object"), ("STRING", "string"), (["str", "float", None], ["string", "number", "null"])],
)
def test_types_of_other_languages_are_read_as_those_of_json_schema(written: Any, meant: Any) -> None:
    for provider in available():
        result, plain = (
            normalize(obj(a={"type": kind, "description": "A."}), provider) for kind in (written, meant)
        )
        assert (result.schema, result.strict) == (plain.schema, plain.strict), provider
        told = {(each.path, each.keyword, each.action, each.severity) for each in result.ledger}
        assert ("/properties/a", "type", "rewritten", "changed") in told, provider


@pytest.mark.parametrize("defect", UNSATISFIABLE, ids=str)
def test_an_optional_property_that_no_value_fits_is_forbidden(defect: Any) -> None:
    schema = obj(a=defect)
    cleaned, (entry,) = quarantined(schema)
    assert cleaned == obj(a=False)
    assert (entry.path, entry.keyword) == ("/properties", "a")
    assert entry.reason.startswith("is replaced by false, because no value matches it: ")
    for provider in available():
        assert "One or two" not in json.dumps(normalize(cleaned, provider).schema), provider
        assert decode({"rest": 1}, provider, schema=cleaned) == {"rest": 1}
        for value in (1, "1", []):
            with pytest.raises(ArgumentError):
                decode({"a": value, "rest": 1}, provider, schema=cleaned)


BAD: dict[str, Any] = {"type": "string", "pattern": "(?i)x"}


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ({"not": BAD, "maxLength": 3}, {"maxLength": 3}),
        ({"not": {"anyOf": [{"const": 1}, BAD]}}, {}),
        ({"if": BAD, "then": {"minLength": 2}, "else": {"minLength": 3}}, {}),
        ({"if": {"const": "a"}, "then": BAD}, {"if": {"const": "a"}, "then": {"type": "string"}}),
        ({"oneOf": [BAD, {"const": "a"}]}, {"anyOf": [{"type": "string"}, {"const": "a"}]}),
        ({"oneOf": [BAD, {"const": 1}], "anyOf": [{}]},
         {"anyOf": [{}], "allOf": [{"anyOf": [{"type": "string"}, {"const": 1}]}]}),
        ({"contains": BAD, "maxContains": 2}, {"contains": {"type": "string"}}),
        ({"patternProperties": {"(?i)x": {}, "^y": {}}, "additionalProperties": False},
         {"patternProperties": {"^y": {}}}),
        ({"allOf": [{"$ref": "#/nowhere"}], "unevaluatedProperties": False}, {"allOf": [{}]}),
        ({"properties": {"b": BAD}, "unevaluatedProperties": False},
         {"properties": {"b": {"type": "string"}}, "unevaluatedProperties": False}),
        ({"not": {"$ref": "#/$defs/bad"}}, {}),
        ({"oneOf": [{"$ref": "#/$defs/bad"}, {"type": "null"}]},
         {"anyOf": [{"$ref": "#/$defs/bad"}, {"type": "null"}]}),
        ({"anyOf": [BAD, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [5, {"type": "null"}]}, {"anyOf": [{}, {"type": "null"}]}),
        ({"not": {"minLength": -1}}, {}),
        ({"not": {"properties": {"b": 5}}}, {}),
        ({"oneOf": [{"maxLength": "3"}, {"const": 1}]}, {"anyOf": [{}, {"const": 1}]}),
        ({"oneOf": [5, {"const": 1}]}, {"anyOf": [{}, {"const": 1}]}),
        ({"allOf": [{"$ref": "#/properties/a"}, {"maxLength": 3}]}, {"allOf": [{}, {"maxLength": 3}]}),
        ({"not": {"$ref": "#/properties/a"}, "maxLength": 3}, {"maxLength": 3}),
        ({"anyOf": [{"$anchor": "x"}, {"$anchor": "x", "type": "string"}, {"$ref": "#x"}]},
         {"anyOf": [{"$anchor": "x"}, {"$anchor": "x", "type": "string"}, {}]}),
    ],
)  # fmt: skip
def test_what_would_accept_less_goes_too(bad: Any, left: Any) -> None:
    schema = {**obj(a=bad), "$defs": {"bad": BAD}}
    cleaned, entries = quarantined(schema)
    assert cleaned == {**obj(a=left), "$defs": {"bad": {"type": "string"}}}
    assert entries
    for provider in ("openai", "gemini", "mcp"):
        normalize(schema, provider)


def test_a_reference_to_what_was_left_out_is_left_out_too() -> None:
    schema = obj(a={"not": {"type": "string", "pattern": "("}}, b={"$ref": "#/properties/a/not"})
    cleaned, entries = quarantined(schema)
    assert cleaned == obj(a={}, b={})
    assert {entry.keyword for entry in entries} == {"not", "$ref"}


@pytest.mark.parametrize("schema", [5, [], True, None])
def test_what_is_no_object_is_refused(schema: Any) -> None:
    with pytest.raises(SchemaError, match="is an object"):
        quarantined(schema)


def test_a_sound_schema_comes_back_as_it_is() -> None:
    schema = obj(a={"$ref": "#/$defs/x"}, b=False, c={"not": {}}, d={"type": "string", "pattern": "^a"})
    schema["$defs"] = {"x": {"type": ["string", "null"]}}
    cleaned, entries = quarantined(schema)
    assert cleaned is schema
    assert entries == ()


def test_one_reference_of_a_circle_is_left_out() -> None:
    circle = {"$defs": {"x": {"anyOf": [{"$ref": "#/$defs/y"}]}, "y": {"$ref": "#/$defs/x", "maxLength": 2}}}
    cleaned, entries = quarantined({**obj(a={"$ref": "#/$defs/x"}), **circle})
    assert jsonschema_rs.meta.is_valid(cleaned)
    assert len(entries) == 1
    nested = {"$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}}  # of another value: no circle
    schema = {**obj(a={"$ref": "#/$defs/n"}), **nested}
    assert quarantined(schema)[0] is schema


def test_references_that_circle_through_bad_defects_end() -> None:
    defs: dict[str, Any] = {
        f"d{i}": {"not": {"$ref": f"#/$defs/d{i + 1}"}, "pattern": "("} for i in range(200)
    }
    cleaned, _ = quarantined(
        {**obj(a={"$ref": "#/$defs/d0"}), "$defs": {**defs, "d200": {"$ref": "#/$defs/d0"}}}
    )
    assert jsonschema_rs.meta.is_valid(cleaned)


@pytest.mark.parametrize(
    "part", [{"minLength": "3"}, {"pattern": "("}, {"properties": 5}, {"anyOf": [1]}, {"items": 3}]
)
def test_references_to_what_no_keyword_holds_are_kept_while_that_is_sound(part: Any) -> None:
    schema = {**obj(a={"$ref": "#/components/x"}), "components": {"x": {"type": "string", "maxLength": 2}}}
    assert quarantined(schema)[0] is schema
    with pytest.raises(ArgumentError):
        decode({"a": "xxx"}, "mcp", schema=schema)
    bad = {
        **obj(a={"$ref": "#/components/x", "title": "A"}),
        "components": {"x": {"$ref": "#/components/y"}, "y": part},
    }
    cleaned, entries = quarantined(bad)
    assert cleaned == {**bad, **obj(a={"title": "A"})}
    assert [(entry.path, entry.keyword) for entry in entries] == [("/properties/a", "$ref")]
    for provider in available():
        normalize(bad, provider)
    assert decode({"a": "xxx"}, "mcp", schema=bad) == {"a": "xxx"}
