"""Contracts of strangers: any size and shape ends soon, with a verdict or with `undecided`."""

from itertools import pairwise
from typing import Any

import pytest
from toolcast.analysis.containment.compare import Comparison, compare

from bench.containment.contracts import built_schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def compared(old: Any, new: Any) -> Comparison:
    first, second = built_schema(old), built_schema(new)
    assert first is not None
    assert second is not None
    return compare(first, second, "parameters")


def one(schema: Any, **others: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"], **others}


def nested(schema: Any, depth: int, keyword: str = "properties") -> Any:
    for _ in range(depth):
        schema = (
            {"type": "array", "items": schema}
            if keyword == "items"
            else {"type": "object", "properties": {"n": schema}, "required": ["n"]}
        )
    return schema


def doubling(schema: Any, count: int) -> dict[str, Any]:
    names = [f"d{number}" for number in range(count)]
    defs: dict[str, Any] = {
        name: {
            "type": "object",
            "properties": {"x": {"$ref": f"#/$defs/{after}"}, "y": {"$ref": f"#/$defs/{after}"}},
        }
        for name, after in pairwise(names)
    }
    return one({"$ref": "#/$defs/d0"}, **{"$defs": {**defs, names[-1]: schema}})


def branches(count: int, value: Any) -> list[Any]:
    return [
        {"type": "object", "properties": {f"p{number}": value}, "required": [f"p{number}"]}
        for number in range(count)
    ]


def crossed(count: int, word: str, value: Any) -> dict[str, Any]:
    return one({"type": "object", "allOf": [{word: branches(3, value)} for _ in range(count)]})


def mutual(value: Any) -> dict[str, Any]:
    defs = {
        name: {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"l": {"$ref": f"#/$defs/{left}"}, "r": {"$ref": f"#/$defs/{right}"}},
                },
                {"type": "array", "items": {"$ref": f"#/$defs/{right}"}},
                value,
            ]
        }
        for name, left, right in (("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B"))
    }
    return one({"$ref": "#/$defs/A"}, **{"$defs": defs})


def wide(count: int, value: Any) -> dict[str, Any]:
    names = [f"p{number}" for number in range(count)]
    return {"type": "object", "properties": dict.fromkeys(names, value), "required": names}


def thorough(old: Any, new: Any) -> Any:
    """A pair that differs in size only from the one before it."""
    return pytest.param(old, new, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (one(nested(WHOLE, 25)), one(nested(TEXT, 25))),
        (one(nested(WHOLE, 60, "items")), one(nested({"type": "number"}, 60, "items"))),
        (doubling(WHOLE, 40), doubling({"type": "number"}, 40)),
        (doubling(WHOLE, 40), doubling(TEXT, 40)),
        thorough(doubling(WHOLE, 150), doubling(TEXT, 150)),
        thorough(doubling(WHOLE, 300), doubling({"type": "number"}, 300)),
        thorough(doubling(WHOLE, 900), doubling({"type": "number"}, 900)),
        (
            one({"enum": [f"v{number}" for number in range(10_000)]}),
            one({"enum": [f"v{number}" for number in range(9_999)]}),
        ),
        (one({"enum": list(range(2_000))}), one({"type": "integer", "maximum": 1_000})),
        (one({"anyOf": branches(20, WHOLE)}), one({"anyOf": branches(20, {"type": "number"})})),
        thorough(one({"anyOf": branches(40, WHOLE)}), one({"anyOf": branches(40, {"type": "number"})})),
        thorough(one({"anyOf": branches(80, WHOLE)}), one({"anyOf": branches(80, {"type": "number"})})),
        (one({"oneOf": branches(5, WHOLE)}), one({"oneOf": branches(5, TEXT)})),
        thorough(one({"oneOf": branches(25, WHOLE)}), one({"oneOf": branches(25, TEXT)})),
        (crossed(6, "anyOf", WHOLE), crossed(6, "anyOf", TEXT)),
        thorough(crossed(8, "anyOf", WHOLE), crossed(8, "anyOf", TEXT)),
        (crossed(3, "oneOf", WHOLE), crossed(3, "oneOf", TEXT)),
        thorough(crossed(6, "oneOf", WHOLE), crossed(6, "oneOf", TEXT)),
        (mutual(WHOLE), mutual({"type": "number"})),
        (mutual(WHOLE), mutual(TEXT)),
        (
            one({"type": "string", "pattern": "^(a|b|ab)*c{1,200}$"}),
            one({"type": "string", "pattern": "^(?:[ab]{1,3})*c{1,199}$"}),
        ),
        (one({"type": "string", "pattern": "(a?){30}b"}), one({"type": "string", "pattern": "a{0,30}bc?"})),
        (one({"type": "string", "minLength": 10**9}), one({"type": "string", "minLength": 2 * 10**9})),
        (one({"type": "array", "minItems": 10**9}), one({"type": "array", "minItems": 10**9 + 1})),
        (one({"type": "number", "multipleOf": 1e-300}), one({"type": "number", "multipleOf": 1e300})),
        (wide(40, WHOLE), wide(40, TEXT)),
        thorough(wide(300, WHOLE), wide(300, TEXT)),
        (
            one({"not": {"not": {"not": {"oneOf": branches(5, WHOLE)}}}}),
            one({"not": {"not": {"not": {"oneOf": branches(5, TEXT)}}}}),
        ),
        thorough(
            one({"not": {"not": {"not": {"oneOf": branches(8, WHOLE)}}}}),
            one({"not": {"not": {"not": {"oneOf": branches(8, TEXT)}}}}),
        ),
    ],
)
def test_any_contract_ends_with_a_verdict(old: Any, new: Any) -> None:
    assert compared(old, new).verdict in ("contained", "escapes", "undecided")
    assert compared(new, old).verdict in ("contained", "escapes", "undecided")


def test_what_is_too_large_is_undecided_and_never_contained() -> None:
    found = compared(
        one({"type": "string", "minLength": 10**9}), one({"type": "string", "minLength": 2 * 10**9})
    )
    assert found.verdict == "undecided"
    assert found.undecided[0].pointer == "/parameters/properties/a"


def test_a_contract_that_did_not_change_is_contained_however_deep_it_is() -> None:
    assert compared(doubling(WHOLE, 900), doubling(WHOLE, 900)) == Comparison()


def test_the_same_comparison_gives_the_same_witnesses() -> None:
    old, new = mutual({"type": ["integer", "null"]}), mutual(TEXT)
    assert compared(old, new) == compared(old, new)
