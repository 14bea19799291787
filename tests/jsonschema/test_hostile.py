"""Values and schemas made to hurt: depth, width, recursion, repetition."""

import sys
from typing import Any

import pytest
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import UnsupportedSchema

LINKED = {
    "type": "object",
    "properties": {
        "next": {"anyOf": [{"type": "null"}, {"allOf": [{"$ref": "#"}]}]},
        "n": {"type": "integer"},
    },
    "required": ["n"],
    "additionalProperties": False,
}


def linked(depth: int, last: Any = 1) -> Any:
    value: Any = {"n": last, "next": None}
    for _ in range(depth - 1):
        value = {"n": 1.0, "next": value}
    return value


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("schema", [LINKED, {"items": {"$ref": "#"}}, {}, {"uniqueItems": True}])
@pytest.mark.parametrize("depth", [201, 1000, 100_000])
def test_values_too_deep_are_one_violation(schema: Any, depth: int) -> None:
    validator = Validator(schema)
    value = nested(depth)
    assert not validator.accepts(value)
    assert [one.keyword for one in validator.violations(value)] == ["depth"]
    assert "nested too deeply" in validator.violations(value)[0].message
    assert validator.settle(value) is value


def test_values_of_200_levels_are_judged() -> None:
    validator = Validator(LINKED)
    assert validator.accepts(linked(200))
    assert not validator.accepts(linked(200, "x"))
    (violation,) = validator.violations(linked(200, "x"))
    assert violation.path == "$" + ".next" * 199 + ".n"
    settled = validator.settle(linked(200))
    for _ in range(199):
        assert type(settled["n"]) is int
        settled = settled["next"]


def test_also_from_a_nearly_full_stack() -> None:
    validator = Validator(LINKED)
    value = linked(150)

    def fall(frames: int) -> bool:
        return validator.accepts(value) if frames == 0 else fall(frames - 1)

    assert fall(sys.getrecursionlimit() - 250)


@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf", "items", "not"])
def test_schemas_nest_up_to_100(word: str) -> None:
    def build(depth: int) -> Any:
        schema: Any = {"type": ["integer", "array"]}
        for _ in range(depth - 1):
            schema = {word: [schema] if word.endswith("Of") else schema}
        return schema

    validator = Validator(build(99))
    value = nested(99) if word == "items" else 1
    assert validator.accepts(value) == (validator.violations(value) == [])
    assert validator.settle(value) is value
    for depth in (110, 5000):
        with pytest.raises(UnsupportedSchema, match="deep"):
            Validator(build(depth))


def test_deep_schema_around_a_recursive_reference() -> None:
    inner: Any = {"$ref": "#"}
    for _ in range(40):
        inner = {"allOf": [inner]}
    validator = Validator({"items": inner, "maxItems": 1})
    value = nested(200)
    assert validator.accepts(value)
    deepest = value
    while deepest:
        deepest = deepest[0]
    deepest += [1, 2]
    assert not validator.accepts(value)
    assert len(validator.violations(value)) == 1


def test_nested_unions_are_not_exponential() -> None:
    """Every level offers two branches that both descend."""
    branches = [{"properties": {"n": {"$ref": "#"}}, "required": [name]} for name in ("a", "b", "c")]
    value: Any = {"z": 1}
    for _ in range(60):
        value = {"n": value, "b": 1}
    for word in ("anyOf", "oneOf"):
        validator = Validator({word: branches})
        assert not validator.accepts(value)
        assert validator.violations(value)
        validator.settle(value)


def test_twelve_nested_unions_without_references() -> None:
    schema: Any = {"type": "integer"}
    for _ in range(12):
        schema = {
            "anyOf": [{"properties": {"n": schema}, "required": ["n"]}, {"properties": {"n": {"not": {}}}}]
        }
    value: Any = "x"
    for _ in range(12):
        value = {"n": value}
    assert not Validator(schema).accepts(value)
    assert Validator(schema).violations(value)
    Validator(schema).settle(value)


def test_references_that_double_at_every_step() -> None:
    defs: dict[str, Any] = {"d0": {"properties": {"a": {"type": "string"}}}}
    for index in range(1, 40):
        ref = {"$ref": f"#/$defs/d{index - 1}"}
        defs[f"d{index}"] = {"allOf": [ref, ref], "unevaluatedProperties": {"type": "integer"}}
    validator = Validator({"$ref": "#/$defs/d39", "$defs": defs})
    assert validator.accepts({"a": "x", "b": 1})
    assert not validator.accepts({"a": 1})
    assert validator.violations({"a": 1})
    assert validator.settle({"a": None}) == {}


def test_long_chains_of_references_compile() -> None:
    defs: dict[str, Any] = {f"d{index}": {"$ref": f"#/$defs/d{index + 1}"} for index in range(150)}
    defs["d150"] = {"type": "integer"}
    validator = Validator({"$ref": "#/$defs/d0", "$defs": defs})
    assert validator.accepts(1)
    assert not validator.accepts("x")
    assert validator.settle(1.0) == 1


def test_wide_enums_and_arrays_stay_fast() -> None:
    members = [f"m{index}" for index in range(10_000)]
    items = [{"k": index, "v": [index]} for index in range(20_000)]
    validator = Validator({"items": {"enum": members}})
    unique = Validator({"uniqueItems": True})
    assert validator.accepts(members)
    assert len(validator.violations(["x"] * 10_000)) == 50
    assert len(validator.violations(["x"])[0].message) < 1000
    assert unique.accepts(items)
    assert not unique.accepts([*items, {"v": [7.0], "k": 7}])


def test_huge_numbers() -> None:
    huge = 10**5000
    validator = Validator({"type": "integer", "maximum": 10, "multipleOf": 0.1, "enum": [huge + 1]})
    assert not validator.accepts(huge)
    assert all(len(one.message) < 300 for one in validator.violations(huge))
    assert Validator({"multipleOf": 1e-300}).accepts(1e300)
    assert not Validator({"multipleOf": 2}).accepts(float("inf"))
    assert not Validator({"type": "integer"}).accepts(float("nan"))
    assert Validator({"type": "integer"}).settle(float("inf")) == float("inf")


def test_equality_is_json_equality() -> None:
    validator = Validator({"enum": [[1, {"a": True}], 2**53 + 1]})
    assert validator.accepts([1.0, {"a": True}])
    assert not validator.accepts([1, {"a": 1}])
    assert not validator.accepts([True, {"a": True}])
    assert not validator.accepts(float(2**53))
    assert Validator({"uniqueItems": True}).accepts([1, True, "1", [1], [True], {"a": 0}, {"a": False}])
    assert Validator({"multipleOf": 0.1}).accepts(0.3)


def test_odd_names_and_lone_surrogates() -> None:
    validator = Validator({"additionalProperties": False, "properties": {"a": {"enum": ["\ud800"]}}})
    paths = [
        one.path for one in validator.violations({'x"y': 1, "": 1, "a b": 1, "\ud83d": 1, "a": "\udfff"})
    ]
    assert paths[:3] == ["$.a", '$["x\\"y"]', '$[""]']
    assert validator.accepts({"a": "\ud800"})


@pytest.mark.parametrize("value", [[{1}, {2}], {1: 2}, [b"a"], {"a": object()}, 1j])
@pytest.mark.parametrize(
    "schema",
    [
        {"uniqueItems": True, "items": {"type": "string"}},
        {"patternProperties": {"a": False}, "additionalProperties": False},
        {"enum": [1]},
        {"type": ["number", "string"], "minimum": 1},
        {"propertyNames": {"pattern": "a"}, "additionalProperties": {"const": {}}, "items": False},
    ],
)
def test_what_is_not_json_is_refused_not_raised(schema: Any, value: Any) -> None:
    validator = Validator(schema)
    if validator.accepts(value):  # an unconstrained part
        assert validator.violations(value) == []
    else:
        assert validator.violations(value)
    assert validator.settle(value) is value


def nested_unions(width: int, depth: int) -> dict[str, Any]:
    """A union of `width` objects that each hold such a union, all written out: `width ** depth` branches."""
    if not depth:
        return {"type": "integer"}
    names = [f"n{i}" for i in range(width)]
    return {
        "anyOf": [
            {
                "type": "object",
                "required": ["x"],
                "properties": {"x": nested_unions(width, depth - 1), name: {"const": 1}},
            }
            for name in names
        ]
    }


def nested_objects(depth: int, last: Any, **beside: Any) -> Any:
    value = last
    for _ in range(depth):
        value = {"x": value, **beside}
    return value


@pytest.mark.thorough
def test_the_branches_tried_are_bounded() -> None:
    validator = Validator({"items": nested_unions(12, 3)})
    only_the_last = {f"n{i}": "x" for i in range(11)}
    assert validator.accepts([nested_objects(3, 1) for _ in range(1_000)]), "the first branches fit"
    assert validator.accepts([nested_objects(3, 1, **only_the_last) for _ in range(10)])
    value = [nested_objects(3, 1, **only_the_last) for _ in range(100)]
    assert not validator.accepts(value)
    assert validator.settle(value) is value
    (violation,) = validator.violations(value)
    assert (violation.path, violation.keyword) == ("$", "branches")
    assert "too many forms" in violation.message


def test_verdicts_of_unions_are_not_asked_for_again_and_again() -> None:
    """Settling and explaining ask each union once: so many levels of branches cost little more than one."""
    validator = Validator(nested_unions(6, 4))
    (violation,) = validator.violations(nested_objects(4, "no integer"))
    assert violation.keyword == "anyOf"
    assert validator.settle(nested_objects(4, 2.0)) == nested_objects(4, 2)


def test_a_large_value_may_try_more() -> None:
    types = ["null", "boolean", "string", "object", "array", "integer"]
    validator = Validator({"type": "array", "items": {"oneOf": [{"type": name} for name in types]}})
    value: list[Any] = [1] * 100_000
    assert validator.accepts(value)
    assert validator.settle(value) is value
    assert validator.violations([*value, 1.5])[0].path == "$[100000]"
