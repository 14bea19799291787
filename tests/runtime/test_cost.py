"""Hostile arguments cost no more than their length. Each case is one that was, or could be, quadratic."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from toolcast.jsonschema.validator import Validator
from toolcast.runtime import ArgumentError, ToolBinding
from toolcast.runtime.support import check_unique

from tests.counting import grows_linearly, lines_executed
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.shapes import SHAPES

PRIME = 2**61 - 1  # Python's hash of an integer is its remainder by this


def nested(levels: int, leaf: Any) -> Any:
    for _ in range(levels):
        leaf = [leaf]
    return leaf


def union(branches: int) -> Any:
    """A recursive union whose branches all look at the whole value."""
    arrays = [{"type": "array", "items": {"$ref": "#"}, "minItems": n} for n in range(branches)]
    return {"anyOf": [*arrays, {"type": "integer"}]}


def chain(length: int, branches: int) -> Any:
    """Unions in unions through references, `branches ** length` ways in all."""
    following = [{"$ref": f"#/$defs/n{level + 1}"} for level in range(length)]
    defs: dict[str, Any] = {
        f"n{level}": {
            "oneOf": [{"type": "array", "items": following[level], "minItems": n} for n in range(branches)]
        }
        for level in range(length)
    }
    return {"$ref": "#/$defs/n0", "$defs": {**defs, f"n{length}": {"type": "integer"}}}


CASES: dict[str, tuple[Any, Callable[[int], Any]]] = {
    "colliding integers": ({"uniqueItems": True}, lambda n: [i * PRIME for i in range(250 * n)]),
    "distinct items": ({"uniqueItems": True}, lambda n: [[i, str(i)] for i in range(600 * n)]),
    "contains": ({"contains": {"const": 5}, "maxContains": 2}, lambda n: [4] * (600 * n)),
    "a wide map": (
        {"additionalProperties": {"type": "integer"}},
        lambda n: dict.fromkeys(map(str, range(250 * n))),
    ),
    "unknown properties": (
        {"additionalProperties": False, "properties": {f"known{i}": {} for i in range(50)}},
        lambda n: {f"knowm{i}": 1 for i in range(80 * n)},
    ),
    "pattern properties": (
        {"patternProperties": {f"^a{i}": {"type": "integer"} for i in range(12)}},
        lambda n: {f"a1{i}": "x" for i in range(150 * n)},
    ),
    "unevaluated properties": (
        {"unevaluatedProperties": False, "anyOf": [{"properties": {f"a{i}": {}}} for i in range(12)]},
        lambda n: {f"b{i}": 1 for i in range(80 * n)},
    ),
    "a long string": ({"pattern": "^[a-z]+(-[a-z]+)*$"}, lambda n: "a" * 100_000 * n + "!"),
    "trailing spaces": ({"pattern": r"\s+$"}, lambda n: " " * 100_000 * n + "!"),
    "a union of 2": (union(2), lambda n: nested(20 * n, "x")),
    "a union of 12": (union(12), lambda n: nested(20 * n, "x")),
    "a union of 12 over floats": (union(12), lambda n: nested(20 * n, 1.0)),
    "a union of 12, wide": (union(12), lambda n: nested(20, [1.0] * 60 * n + ["x"])),
}


@pytest.mark.parametrize("case", CASES)
def test_the_validator_is_linear(case: str) -> None:
    schema, make = CASES[case]
    validator = Validator(schema)

    def work(size: int) -> Callable[[], Any]:
        value = make(size)
        return lambda: validator.violations(validator.settle(value))

    assert grows_linearly(work)


@pytest.mark.parametrize("branches", [2, 12])
def test_unions_in_unions_do_not_multiply(branches: int) -> None:
    """Eight levels of twelve branches are 430 million ways, thirty-two of them beyond counting."""

    def work(size: int) -> Callable[[], Any]:
        validator = Validator(chain(8 * size, branches))
        values = [nested(8 * size, leaf) for leaf in ("x", 1.0)]
        return lambda: [validator.violations(validator.settle(value)) for value in values]

    assert grows_linearly(work)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: [i * PRIME for i in range(250 * n)],
        lambda n: list(range(600 * n)),
        lambda n: [str(i) for i in range(600 * n)],
    ],
)
def test_check_unique_is_linear(make: Callable[[int], list[Any]]) -> None:
    def work(size: int) -> Callable[[], Any]:
        items = make(size)
        return lambda: check_unique("items", items)

    assert grows_linearly(work)


def refused(binding: ToolBinding[Any, Any], text: bytes | str) -> str:
    with pytest.raises(ArgumentError) as caught:
        binding.decode(text)
    return str(caught.value)


TEXTS: dict[str, Callable[[int], str]] = {
    "duplicates": lambda n: "{" + ",".join('"x": 1' for _ in range(500 * n)) + "}",
    "duplicates all over": lambda n: '{"a": [' + ",".join('{"x": 1, "x": {}}' for _ in range(250 * n)) + "]}",
    "one duplicate, deep in": lambda n: '{"a": [' + "[[[{}]]]," * 250 * n + '{"x": 1, "x": 2}]}',
    "colons": lambda n: '{"file_path": "' + "::" * 10_000 * n + '", "x": 1, "x": 2}',
    "unknown properties": lambda n: "{" + ",".join(f'"x{i}": 1' for i in range(250 * n)) + "}",
    "a long integer": lambda n: '{"a": ' + "9" * 50_000 * n + "}",
    "an open string": lambda n: '{"a": "' + "x" * 100_000 * n,
    "open brackets": lambda n: '{"a": ' + "[" * 50_000 * n,
}


@pytest.mark.parametrize("case", TEXTS)
def test_reading_is_linear(case: str) -> None:
    for binding in (EDIT, SHAPES):

        def work(size: int, binding: ToolBinding[Any, Any] = binding) -> Callable[[], Any]:
            text = TEXTS[case](size).encode()
            return lambda: refused(binding, text)

        assert grows_linearly(work)


def test_ten_megabytes_are_not_parsed() -> None:
    text = b'{"file_path": "' + b"x" * 10_000_000 + b'"}'
    assert "too large" in refused(EDIT, text)
    assert lines_executed(lambda: refused(EDIT, text)) < 1000


def test_ten_thousand_levels_are_refused_wherever_they_are() -> None:
    deep = "[" * 10_000 + "]" * 10_000
    for text in (deep, f'{{"tags": {deep}}}', f'{{"tree": {deep}}}', f'{{"x": {deep}}}', json.dumps(deep)):
        for binding in (EDIT, SHAPES):
            assert refused(binding, text)
