"""For code against the generated Python, with mypy as the judge: changes are told where it finds errors."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from toolcast.analysis.diff.audiences.code import code
from toolcast.analysis.diff.pairs import Pair
from toolcast.analysis.diff.rules import Change
from toolcast.analysis.diff.states import State as SpecState

from tests.diff.audience_pairs import context, pair, properties, spec
from tests.diff.generated_pairs import State, type_checked

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
INNER: dict[str, Any] = properties("b", b=TEXT)
MODE = {"$ref": "#/$defs/Mode"}
REF = {"$ref": "_types/place.json"}


def a(schema: Any, *required: str) -> dict[str, Any]:
    return spec(parameters=properties(*required, a=schema))


def result(schema: Any) -> dict[str, Any]:
    return spec(result=schema)


def union(*names: str) -> dict[str, Any]:
    return {"oneOf": [properties("kind", "b", kind={"const": name}, b=TEXT) for name in names]}


def place(schema: Any) -> dict[str, Any]:
    return {"_types/place.json": schema}


PAIRS: dict[str, tuple[Any, Any]] = {
    "same": (a(TEXT), a(TEXT)),
    "description": (a(TEXT), a({**TEXT, "description": "Another."})),
    "bound": (a(TEXT, "a"), a({**TEXT, "minLength": 3, "pattern": "^x"}, "a")),
    "type": (a(TEXT, "a"), a(WHOLE, "a")),
    "int to number": (a(WHOLE, "a"), a({"type": "number"}, "a")),
    "boolean to integer": (a({"type": "boolean"}, "a"), a(WHOLE, "a")),
    "optional to required": (a(TEXT), a(TEXT, "a")),
    "default": (a({**TEXT, "default": "x"}), a(TEXT, "a")),
    "another default": (a({**TEXT, "default": "x"}), a({**TEXT, "default": "y"})),
    "list default": (
        a({"type": "array", "items": TEXT, "default": ["x"]}),
        a({"type": "array", "items": TEXT}, "a"),
    ),
    "nullable": (a(TEXT, "a"), a({"type": ["string", "null"]}, "a")),
    "unset": (a({"type": ["string", "null"]}), a({"type": ["string", "null"], "default": None})),
    "new optional": (a(TEXT), spec(parameters=properties(a=TEXT, b=TEXT))),
    "new required": (a(TEXT), spec(parameters=properties("b", a=TEXT, b=TEXT))),
    "enum": (a({"enum": ["x", "y"]}, "a"), a({"enum": ["x", "y", "z"]}, "a")),
    "enum order": (a({"enum": ["x", "y"]}, "a"), a({"enum": ["y", "x"]}, "a")),
    "enum to text": (a({"enum": ["x", "y"]}, "a"), a(TEXT, "a")),
    "whole enum": (a({"enum": [1, 2]}, "a"), a({"enum": [1, 2.5]}, "a")),
    "enum of ones": (a({"enum": [1, "1"]}, "a"), a({"enum": ["1", 1]}, "a")),
    "array": (a({"type": "array", "items": TEXT}, "a"), a({"type": "array", "items": WHOLE}, "a")),
    "array of more": (
        a({"type": "array", "items": TEXT}, "a"),
        a({"type": "array", "items": {"type": ["string", "null"]}}, "a"),
    ),
    "array of numbers": (
        a({"type": "array", "items": {"type": "number"}}, "a"),
        a({"type": "array", "items": {"type": "number", "minimum": 1}}, "a"),
    ),
    "map": (
        a({"type": "object", "additionalProperties": TEXT}, "a"),
        a({"type": "object", "additionalProperties": WHOLE}, "a"),
    ),
    "tuple": (
        a({"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "minItems": 2}, "a"),
        a({"type": "array", "prefixItems": [TEXT, TEXT], "items": False, "minItems": 2}, "a"),
    ),
    "tuple to list": (
        a({"type": "array", "prefixItems": [TEXT, TEXT], "items": False, "minItems": 2}, "a"),
        a({"type": "array", "items": TEXT}, "a"),
    ),
    "anything": (a({}, "a"), a(TEXT, "a")),
    "list of anything": (a({"type": "array"}, "a"), a({"type": "array", "items": TEXT}, "a")),
    "object": (a(INNER, "a"), a(properties("b", b=WHOLE), "a")),
    "object to map": (a(INNER, "a"), a({"type": "object"}, "a")),
    "object of more": (a(INNER, "a"), a(properties("b", b=TEXT, c=TEXT), "a")),
    "object in a list": (
        a({"type": "array", "items": INNER}, "a"),
        a({"type": "array", "items": properties("c", c=TEXT)}, "a"),
    ),
    "open object": (
        a({**INNER, "additionalProperties": WHOLE}, "a"),
        a({**INNER, "additionalProperties": TEXT}, "a"),
    ),
    "opened object": (a(INNER, "a"), a({**INNER, "additionalProperties": True}, "a")),
    "union": (a(union("x", "y"), "a"), a(union("x", "y", "z"), "a")),
    "union of less": (a(union("x", "y", "z"), "a"), a(union("x", "y"), "a")),
    "odd name": (spec(parameters=properties(**{"a-b": TEXT})), spec(parameters=properties(a_b=TEXT))),
    "odd required": (
        spec(parameters=properties(**{"a-b": TEXT})),
        spec(parameters=properties("a-b", **{"a-b": TEXT})),
    ),
    "python type": (
        a({**TEXT, "format": "date"}, "a"),
        a({**TEXT, "format": "date", "x-python": "date"}, "a"),
    ),
    "python types": (
        a({**TEXT, "format": "date-time", "x-python": "datetime"}, "a"),
        a({**TEXT, "format": "date", "x-python": "date"}, "a"),
    ),
    "no result": (result(properties("n", n=WHOLE)), spec()),
    "result": (spec(), result(properties("n", n=WHOLE))),
    "another result": (result(properties("n", n=WHOLE)), result(properties("n", n=TEXT))),
    "a list as result": (result({"type": "array", "items": TEXT}), result({"type": "array", "items": WHOLE})),
    "a text as result": (result(TEXT), result(WHOLE)),
    "a wider result": (result(WHOLE), result({"type": "number"})),
    "an object as result": (result({"type": "array", "items": TEXT}), result(INNER)),
    "not an object as result": (result(INNER), result({"type": "array", "items": TEXT})),
    "definition": (
        spec(parameters={**properties("a", a={"$ref": "#/$defs/Place"}), "$defs": {"Place": INNER}}),
        spec(parameters={**properties("a", a={"$ref": "#/$defs/Spot"}), "$defs": {"Spot": INNER}}),
    ),
    "alias": (
        spec(parameters={**properties("a", a=MODE), "$defs": {"Mode": {"enum": ["x", "y"]}}}),
        spec(parameters={**properties("a", a=MODE), "$defs": {"Mode": {"enum": ["x"]}}}),
    ),
    "alias with another name": (
        spec(parameters={**properties("a", a=MODE), "$defs": {"Mode": {"enum": ["x", "y"]}}}),
        a({"enum": ["x", "y"]}, "a"),
    ),
    "recursion": (
        spec(
            parameters={
                **properties("a", a={"$ref": "#/$defs/Tree"}),
                "$defs": {"Tree": properties(b={"type": "array", "items": {"$ref": "#/$defs/Tree"}})},
            }
        ),
        spec(
            parameters={
                **properties("a", a={"$ref": "#/$defs/Tree"}),
                "$defs": {"Tree": properties(b={"type": "array", "items": {"$ref": "#/$defs/Tree"}}, c=TEXT)},
            }
        ),
    ),
}
"""Two specs each; both ways are judged."""

MOVED: dict[str, tuple[State, State]] = {
    "group": (State(a(TEXT)), State(a(TEXT), "deep/find.json")),
    "shared": (
        State(a(REF, "a"), types=place(INNER)),
        State(a(REF, "a"), types=place(properties("b", b=WHOLE))),
    ),
    "shared is own": (State(a(REF, "a"), types=place(INNER)), State(a(INNER, "a"))),
    "shared elsewhere": (
        State(a(REF, "a"), types=place(INNER)),
        State(a({"$ref": "_types/geo/place.json"}, "a"), types={"_types/geo/place.json": INNER}),
    ),
    "shared alias": (
        State(a(REF, "a"), types=place({"enum": ["x"]})),
        State(a(REF, "a"), types=place({"enum": ["x", "y"]})),
    ),
    "shared and same": (
        State(a(REF, "a"), types=place(INNER)),
        State(a({**REF, "description": "Where."}, "a"), types=place(INNER)),
    ),
}


def told(old: State, new: State) -> tuple[Change, ...]:
    compared = Pair(old=old.side, new=new.side)
    return code(compared, context([compared]))


def judge(folder: Path, step: int) -> list[bool]:
    """Hold every pair to mypy, and every `step`-th back; for each, whether mypy finds errors."""
    both = {name: (State(old), State(new)) for name, (old, new) in PAIRS.items()} | MOVED
    back = {f"{name}, back": (new, old) for name, (old, new) in list(both.items())[::step]}
    cases = {**both, **back}
    errors = type_checked(folder, list(cases.values()))
    wrong = {
        name: (found, [each.message for each in told(*states)])
        for (name, states), found in zip(cases.items(), errors, strict=True)
        if bool(found) != bool(told(*states))
    }
    assert wrong == {}
    return [bool(found) for found in errors]


def test_changes_are_told_where_mypy_finds_errors(tmp_path: Path) -> None:
    broken = judge(tmp_path, 8)
    assert broken.count(True) > 25
    assert broken.count(False) > 12


@pytest.mark.thorough
def test_changes_both_ways(tmp_path: Path) -> None:
    broken = judge(tmp_path, 1)
    assert broken.count(True) > 50
    assert broken.count(False) > 20


def rules(old: Any, new: Any, **changes: Any) -> list[tuple[str, str]]:
    compared = pair(old, new, **changes)
    return [(each.rule, each.message) for each in code(compared, context([compared]))]


def test_what_is_told_of_a_field() -> None:
    b = "/parameters/properties/b"
    compared = pair(
        spec(parameters=properties("a", a=TEXT, b={"enum": ["x"]})),
        spec(parameters=properties("c", b={"enum": ["x", "y"]}, c=TEXT)),
        renamed_parameters={"c": "a"},
    )
    assert [(each.rule, each.pointer, each.old) for each in code(compared, context([compared]))] == [
        ("field-removed", "/parameters/properties/a", True),
        ("field-read-type", b, False),
        ("field-required", "/parameters/properties/c", False),
    ]
    messages = [each.message for each in code(compared, context([compared]))]
    assert messages == [
        "the field `a` of `FindParams` is gone; its parameter is called `c` now",
        '`b` of `FindParams` was Literal["x"] | None and is Literal["x", "y"] | None: what reads it may meet'
        " further values",
        "the field `c` of `FindParams` is new, and has no default",
    ]
    back = rules(a({"enum": ["x", "y"]}, "a"), a({"enum": ["x"]}, "a"))
    assert [each[0] for each in back] == ["field-written-type"]


def test_who_carries_out_the_calls() -> None:
    """`register_all` has a parameter for a tool, or none."""
    inside, outside = a(TEXT), {**a(TEXT), "external": True}
    assert rules(None, outside) == []
    (change,) = rules(inside, outside)
    assert change[0] == "handler-refused"
    assert [each[0] for each in rules(outside, inside)] == ["handler-required"]
    assert [each[0] for each in rules(outside, {**inside, "external": False})] == ["handler-required"]
    assert rules(inside, {**inside, "external": False}) == []
    assert [each[0] for each in rules(outside, {**a(WHOLE), "external": True})] == [
        each[0] for each in rules(inside, a(WHOLE))
    ]


def test_what_runs_beside_a_handler() -> None:
    beside, alone = a(TEXT), {**a(TEXT), "parallel": False}
    assert [each[0] for each in rules(beside, alone)] == ["calls-alone"]
    assert [each[0] for each in rules(alone, beside)] == ["calls-overlap"]
    assert [each[0] for each in rules(alone, {**beside, "parallel": True})] == ["calls-overlap"]
    assert rules(beside, {**beside, "parallel": True}) == []
    outside = {"external": True}
    assert rules({**beside, **outside}, {**alone, **outside}) == []  # it has no handler


def test_tools_that_are_new_gone_or_renamed() -> None:
    assert [each[0] for each in rules(None, a(TEXT))] == ["handler-needed"]
    assert rules(a(TEXT), None) == [("module-removed", "the module `find` is gone")]
    in_time = {**a(TEXT), "deprecated": {"remove_after": "2026-01-01"}}
    assert rules(in_time, None) == [("module-removed-in-time", "the module `find` is gone")]
    early = {**a(TEXT), "deprecated": {"remove_after": "2027-01-01"}}
    assert [each[0] for each in rules(early, None)] == ["module-removed"]
    renamed = {**a(TEXT), "name": "search"}
    assert rules({**a(TEXT), "name": "find"}, renamed, renamed_from="find") == [
        ("module-moved", "the module was `find` with `FIND`, and is `search` with `SEARCH`")
    ]
    nested = {**a(properties("b", b=WHOLE)), "name": "search"}
    found = rules({**a(INNER), "name": "find"}, nested, renamed_from="find")
    assert [each[0] for each in found] == ["module-moved", "field-read-type", "field-written-type"]


def test_another_name_that_gives_the_same_module_is_no_move() -> None:
    assert rules({**a(TEXT), "name": "find-it"}, {**a(TEXT), "name": "find_it"}, renamed_from="find-it") == []


def test_nobody_writes_code_against_a_list() -> None:
    compared = pair(a(TEXT), a(WHOLE))
    for state in ("old", "new"):
        whole = context([compared])
        listed = SpecState(label="l", tools={}, types={}, listed=True)
        assert code(compared, structs.replace(whole, **{state: listed})) == ()


def test_types_that_contain_themselves_end() -> None:
    """Two definitions that refer to each other, as a list and as a map, in states that differ deep inside."""

    def tree(leaf: Any) -> dict[str, Any]:
        below = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Tree"}}, leaf]}
        return spec(parameters={**properties("a", a={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": below}})

    assert rules(tree(TEXT), tree(TEXT)) == []
    assert [each[0] for each in rules(tree(TEXT), tree(WHOLE))] == ["field-read-type", "field-written-type"]


def test_deep_types_take_no_longer_than_they_are_long() -> None:
    def deep(leaf: Any, depth: int) -> Any:
        for _ in range(depth):
            leaf = {"type": "array", "items": leaf}
        return a(leaf, "a")

    assert len(rules(deep(TEXT, 40), deep(WHOLE, 40))) == 2


def test_long_enums_take_no_longer_than_they_are_long() -> None:
    old, new = ([f"v{number}" for number in range(start, start + 5_000)] for start in (0, 2_500))
    assert len(rules(a({"enum": old}, "a"), a({"enum": new}, "a"))) == 2
    assert rules(a({"enum": old}, "a"), a({"enum": old[::-1]}, "a")) == []
