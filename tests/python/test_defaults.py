"""Defaults whose objects take defaults of their own: refused where that has no end, else decoded."""

from typing import Any

import pytest
from toolcast.runtime import ArgumentError

from tests.python.compiled import binding, refusal

M = {"$ref": "#/$defs/M"}


def _holding(schema: dict[str, Any], default: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": {**schema, "default": default}}, **more}


def _parameters(**definitions: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"b": M}, "$defs": definitions}


ENDLESS: dict[str, dict[str, Any]] = {
    "reference": {"M": _holding(M, {})},
    "closed": {"M": _holding(M, {}, additionalProperties=False)},
    "open": {"M": _holding(M, {}, additionalProperties={"type": "integer"})},
    "anyOf": {"M": _holding({"anyOf": [M, {"type": "object"}]}, {})},
    "anyOf anything": {"M": _holding({"anyOf": [M, {}]}, {})},
    "oneOf": {"M": _holding({"oneOf": [M, {"type": "string"}]}, {})},
    "nullable": {"M": _holding({"anyOf": [M, {"type": "null"}]}, {})},
    "array": {"M": _holding({"type": "array", "items": M}, [{}])},
    "map": {"M": _holding({"type": "object", "additionalProperties": M}, {"a": {}})},
    "tuple": {"M": _holding({"type": "array", "prefixItems": [M], "items": False, "minItems": 1}, [{}])},
    "list of types": {"M": _holding({"type": ["array", "string"], "items": M}, [{}])},
    "allOf": {"M": _holding({"allOf": [M, {"description": "x"}]}, {})},
    "allOf merged": {"M": _holding({"allOf": [M, {"maxProperties": 3}]}, {})},
    "written out for a while": {"M": _holding(M, {"n": {"n": {}}})},
    "two definitions": {"M": _holding({"$ref": "#/$defs/B"}, {}), "B": _holding(M, {})},
    "further properties": {
        "M": _holding({"$ref": "#/$defs/B"}, {"q": {}}),
        "B": {"type": "object", "additionalProperties": M},
    },
    "tagged": {
        "M": {
            "anyOf": [
                _holding(M, {"k": "a"}) | {"required": ["k"]},
                {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]},
            ]
        }
    },
}
ENDLESS["tagged"]["M"]["anyOf"][0]["properties"]["k"] = {"const": "a"}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_default_that_contains_itself_is_refused(name: str) -> None:
    refused = refusal(_parameters(**ENDLESS[name]))
    assert refused.codes == ["circular-default"]
    assert refused.found[0].line == 1
    assert refused.found[0].column > 1
    assert "contains itself: " in refused.found[0].message
    assert refused.found[0].hint.startswith("leave the default out")


def test_a_default_of_the_whole_parameters_is_refused_where_it_contains_itself() -> None:
    root = {"type": "object", "properties": {"b": {"$ref": "#", "default": {}}}}
    assert refusal(root).codes == ["circular-default"]


def test_a_result_and_a_shared_type_are_held_to_the_same() -> None:
    result = {"type": "object", "properties": {"b": M}, "$defs": {"M": _holding(M, {})}}
    assert refusal({"type": "object"}, result=result).codes == ["circular-default"]
    shared = {"_types/m.json": _holding({"$ref": "#"}, {})}
    uses = {"type": "object", "properties": {"b": {"$ref": "_types/m.json"}}}
    assert set(refusal(uses, shared).codes) == {"circular-default"}


def _chain(length: int, width: int) -> dict[str, Any]:
    """Definitions of which each has defaults of the next: `width` to the power of `length` in all."""
    made: dict[str, Any] = {
        f"D{level}": {
            "type": "object",
            "properties": {f"p{i}": {"$ref": f"#/$defs/D{level + 1}", "default": {}} for i in range(width)},
        }
        for level in range(length)
    }
    return {**made, f"D{length}": {"type": "object", "properties": {"x": {"type": "integer"}}}, "M": M_TOP}


M_TOP = {"$ref": "#/$defs/D0"}


@pytest.mark.parametrize(("length", "width"), [(30, 2), (3, 40), (80, 1)])
def test_a_default_that_holds_too_many_others_is_refused(length: int, width: int) -> None:
    assert set(refusal(_parameters(**_chain(length, width))).codes) == {"large-default"}


@pytest.mark.parametrize(("length", "width"), [(8, 2), (60, 1)])
def test_a_default_that_holds_others_is_decoded_with_them(length: int, width: int) -> None:
    with binding(_parameters(**_chain(length, width))) as tool:
        value = tool.decode('{"b": {}}').b
        for _ in range(length):
            value = value.p0
        assert value.x is None


def test_a_recursive_default_that_ends_is_decoded() -> None:
    ends = _holding({"anyOf": [M, {"type": "null"}]}, {"n": None})
    with binding(_parameters(M=ends)) as tool:
        assert tool.decode('{"b": {}}').b.n.n is None
    empty = _holding({"type": "array", "items": M}, [])
    with binding(_parameters(M=empty)) as tool:
        assert tool.decode('{"b": {}}').b.n == []
    with binding(_parameters(M=_holding({"type": "object", "additionalProperties": M}, {}))) as tool:
        assert tool.decode('{"b": {}}').b.n == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [False]},
        {"enum": [1.5, "a"]},
        {"type": "integer", "multipleOf": 3},
        {"type": "string", "format": "ipv4"},
        {"type": "string", "pattern": "^a(?=b)"},
        {"type": "array", "uniqueItems": True},
    ],
)
def test_a_default_of_null_stands_for_absence(schema: dict[str, Any]) -> None:
    parameters = {"type": "object", "properties": {"n": {**schema, "default": None}}}
    with binding(parameters) as tool:
        for arguments in ({}, {"n": None}):
            assert tool.decode(arguments).n is None, arguments
        with pytest.raises(ArgumentError):
            tool.decode({"n": "x"})
