"""Undeclared properties that a second schema looks at are kept; all others are dropped, as always."""

import re
from typing import Any

import msgspec
import pytest
from toolcast.runtime import EncodeError

from tests.python.compiled import binding, compile_files, source, spec

OPEN: dict[str, Any] = {"type": "object", "properties": {"b": {}}}
ASKS: dict[str, Any] = {"properties": {"k": {}}, "required": ["k"]}


def value(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": schema}, **more}


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        # A declared property that a pattern covers as well.
        ({"type": "object", "properties": {"v": OPEN}, "patternProperties": {".": ASKS}}, {"v": {"k": 1}}),
        (
            {
                "type": "object",
                "properties": {"v": OPEN},
                "patternProperties": {"v": {"properties": {"k": {}}}},
            },
            {"v": {"k": 1}},
        ),
        # A branch that takes no property at all.
        (value({"oneOf": [{"maxProperties": 0}, OPEN]}), {"v": {"k": None}}),
        # Items that differ in nothing else.
        (value({"type": "array", "uniqueItems": True, "items": OPEN}), {"v": [{}, {"k": 1}]}),
        (
            value({"type": "array", "uniqueItems": True, "items": {"anyOf": [OPEN, {"type": "string"}]}}),
            {"v": [{}, {"\u0660": True}]},
        ),
        (
            value({"type": "array", "uniqueItems": True, "items": value(OPEN)}),
            {"v": [{"v": {"k": 1}}, {"v": {"k": 2}}]},
        ),
        # Branches that are references to open objects.
        (
            value(
                {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
                **{
                    "$defs": {
                        "A": OPEN,
                        "B": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]},
                    }
                },
            ),
            {"v": {"k": "text"}},
        ),
        (
            value(
                {"oneOf": [value(OPEN), value({"not": {"required": ["k"]}}, required=["v"])]},
            ),
            {"v": {"v": {"b": 1, "k": 2}}},
        ),
        # What `contains`, `not`, `if` and `allOf` ask for, one level down.
        (value({"type": "array", "items": OPEN, "contains": ASKS}), {"v": [{}, {"k": 1}]}),
        (value(OPEN, **{"not": {"properties": {"v": {"not": ASKS}}}}), {"v": {"k": 1}}),
        (
            value(OPEN, **{"if": {"required": ["v"]}, "then": {"properties": {"v": ASKS}}}),
            {"v": {"k": 1}},
        ),
        (value(OPEN, allOf=[{"properties": {"v": ASKS}}]), {"v": {"k": 1}}),
        (value(OPEN, dependentSchemas={"v": {"properties": {"v": ASKS}}}), {"v": {"k": 1}}),
        # What stands beside a reference, and acts on none but what it refers to.
        (
            value(
                {"$ref": "#/$defs/A", "additionalProperties": {"required": ["k"]}},
                **{"$defs": {"A": value(OPEN)}},
            ),
            {"v": {"v": {"k": ""}}},
        ),
        # A reference that goes round.
        (
            value(
                {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/Node"}},
                **{"$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}},
            ),
            {"v": [{"next": {"next": {"k": 1}}}, {"next": {"next": {"k": 2}}}]},
        ),
    ],
)
def test_what_a_second_schema_looks_at_comes_back(schema: Any, instance: Any) -> None:
    with binding(schema) as tool:
        assert msgspec.json.decode(tool.encode(tool.decode(instance))) == instance


TAGGED = {
    "A": {"type": "object", "properties": {"kind": {"const": "a"}, "x": {}}, "required": ["kind"]},
    "B": {"type": "object", "properties": {"kind": {"const": "b"}, "y": {}}, "required": ["kind"]},
}


@pytest.mark.parametrize(
    "schema",
    [
        value(OPEN),
        value({"anyOf": [OPEN, {"type": "object", "required": ["k"]}]}),
        value({"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}, **{"$defs": TAGGED}),
        value({"type": "array", "items": OPEN, "contains": {"required": ["b"]}}),
        {"type": "object", "properties": {"v": OPEN}, "patternProperties": {"^x-": {"required": ["k"]}}},
        value({"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"z": OPEN}}]}, **{"$defs": TAGGED}),
    ],
)
def test_a_class_stays_plain_where_nothing_else_looks(schema: Any) -> None:
    classes = re.split(r"^(?=class )", source(schema), flags=re.MULTILINE)
    keeping = [text.split("(")[0] for text in classes if "__toolcast_extra__" in text]
    assert [name for name in keeping if name != "class ToolParams"] == []


def test_a_shared_type_is_the_same_class_whoever_uses_it() -> None:
    types = {"_types/pet.json": OPEN}
    plain = value({"$ref": "../_types/pet.json"})
    unique = value({"type": "array", "uniqueItems": True, "items": {"$ref": "../_types/pet.json"}})
    pets = []
    for parameters in (plain, unique):
        files, _, _ = compile_files({"group/tool.json": spec(parameters)}, types)
        pets.append(files["_types/pet.py"])
    assert pets[0] == pets[1]
    with binding({**unique, "properties": {"v": {**unique["properties"]["v"], "items": OPEN}}}) as tool:
        assert tool.decode({"v": [{}, {"k": 1}]}).v[1].additional_properties == {"k": 1}


def test_what_cannot_be_written_is_refused() -> None:
    """A Struct takes what its checks let pass; made by hand, not all of that is the contract's."""
    schema = value({"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}})
    with binding(schema) as tool:
        params = tool.params(v=[1, 2])
        with pytest.raises(EncodeError, match="at least 1 matching") as caught:
            tool.encode(params)
        assert [violation.path for violation in caught.value.violations] == ["$.v"]
        assert tool.encode(tool.params(v=[1, 7])) == b'{"v":[1,7]}'


def test_a_shared_open_object_that_cannot_come_back_is_refused_when_written() -> None:
    types = {"_types/pet.json": OPEN}
    unique = value({"type": "array", "uniqueItems": True, "items": {"$ref": "_types/pet.json"}})
    with binding(unique, types) as tool:
        params = tool.decode({"v": [{}, {"k": 1}]})
        with pytest.raises(EncodeError, match="must not repeat items"):
            tool.encode(params)


@pytest.mark.parametrize(
    ("schema", "whole"),
    [
        (value({**OPEN, "default": {"k": 1}}), {"v": {"k": 1}}),
        (value(value(OPEN, default={"v": {"k": 1}})), {"v": {"v": {"k": 1}}}),
        (value({"type": "array", "items": OPEN, "default": [{"k": 1}]}), {"v": [{"k": 1}]}),
    ],
)
def test_a_default_that_says_more_than_is_declared_is_kept(schema: Any, whole: Any) -> None:
    with binding(schema) as tool:
        assert msgspec.json.decode(tool.encode(tool.decode({}))) in ({}, whole)
