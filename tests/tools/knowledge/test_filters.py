"""Filters against an oracle, and the rules of values that are compared."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.generated._types.filter import Filter
from toolcast_tools.knowledge.filters import (
    MAX_CONDITIONS,
    MAX_DEPTH,
    check_filter,
    field_value,
    instant,
    matches,
)

RECORD = {
    "title": "Refunds", "author": {"name": "Ada", "email": None}, "updated": "2025-02-03T23:30:00-01:00",
    "reviewed": "2025-02-03", "pages": 3, "archived": False, "tags": ["money", "support"], "a.b": "dotted",
}  # fmt: skip


def made(value: dict[str, Any]) -> Filter:
    return msgspec.convert(value, Filter)


def holds(field: str, op: str, *value: Any) -> bool:
    condition = {"field": field, "op": op, **({"value": value[0]} if value else {})}
    wanted = made({"where": [condition]})
    check_filter(wanted)
    return matches(wanted, RECORD)


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("title", "eq", "Refunds", True), ("title", "eq", "refunds", False), ("title", "ne", "x", True),
        ("author.name", "eq", "Ada", True), ("author.name", "in", ["Grace", "Ada"], True),
        ("author.name", "in", ["Grace"], False), ("author.name.first", "eq", "Ada", False),
        ("missing", "eq", "x", False), ("missing", "ne", "x", True), ("missing", "lt", 1, False),
        ("title", "contains", "fund", True), ("title", "starts_with", "Re", True),
        ("title", "starts_with", "fund", False), ("tags", "contains", "money", True),
        ("tags", "contains", "mon", False), ("pages", "contains", "3", False),
        ("pages", "ge", 3, True), ("pages", "eq", 3.0, True), ("pages", "gt", 3, False),
        ("pages", "eq", "3", False),
        ("pages", "lt", "4", False), ("archived", "eq", False, True), ("archived", "eq", 0, False),
        ("pages", "eq", True, False), ("archived", "lt", True, False), ("a.b", "eq", "dotted", True),
        # 23:30 at one hour behind UTC is the next day there.
        ("updated", "ge", "2025-02-04", True), ("updated", "gt", "2025-02-04", False),
        ("updated", "le", "2025-02-04", True), ("updated", "eq", "2025-02-04", True),
        ("updated", "lt", "2025-02-04T00:30:01Z", True), ("updated", "eq", "2025-02-04T00:30:00Z", True),
        ("updated", "eq", "2025-02-04 00:30", True), ("updated", "eq", "2025-02-04T01:30:00+01:00", True),
        ("reviewed", "ge", "2025-02-03", True), ("reviewed", "lt", "2025-02-03T00:00:01Z", True),
        ("updated", "lt", "tomorrow", True),  # as texts: one of them is no time
    ],
)  # fmt: skip
def test_a_condition(field: str, op: str, value: Any, expected: bool) -> None:
    assert holds(field, op, value) is expected


def test_null_is_what_is_missing() -> None:
    assert holds("author.email", "is_null")
    assert holds("missing.deep", "is_null")
    assert not holds("title", "is_null")


@pytest.mark.parametrize(
    ("op", "value", "reason"),
    [("in", "x", "needs a list"), ("eq", ["x"], "needs a text, a number"),
     ("lt", None, "needs a text, a number"), ("contains", 3, "needs a text"),
     ("starts_with", ["x"], "needs a text"), ("is_null", "x", "takes no value")],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused(op: str, value: Any, reason: str) -> None:
    with pytest.raises(RefusalError, match=reason):
        holds("title", op, *([] if value is None else [value]))


def test_a_date_that_does_not_exist_is_a_text() -> None:
    for text in (
        "2025-02-30",
        "2025-13-01",
        "2025-02-03T25:00:00Z",
        "20250203",
        "2025-W05-1",
        "٢٠٢٥-02-03",
        "x",
    ):
        assert instant(text) is None
    assert instant("0001-01-01T00:00:00+23:59") is None


LEAVES = st.fixed_dictionaries(
    {"field": st.sampled_from(["a", "b", "c.d", "none"]),
     "op": st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
     "value": st.one_of(st.integers(-2, 2), st.sampled_from(["x", "y"]), st.booleans())}
)  # fmt: skip
FILTERS = st.recursive(
    st.lists(LEAVES, min_size=1, max_size=2).map(lambda leaves: {"where": leaves}),
    lambda inner: (
        st.dictionaries(st.sampled_from(["all", "any"]), st.lists(inner, min_size=1, max_size=3), min_size=1)
        | inner.map(lambda each: {"not": each})
        | st.tuples(inner, inner).map(lambda pair: {"any": [pair[0]], "not": pair[1]})
    ),
    max_leaves=8,
)
VALUES = st.one_of(st.integers(-2, 2), st.sampled_from(["x", "y"]), st.booleans(), st.none())
RECORDS = st.fixed_dictionaries({"a": VALUES, "b": VALUES, "c": st.fixed_dictionaries({"d": VALUES})})


def oracle(wanted: dict[str, Any], record: dict[str, Any]) -> bool:
    """The tree as one expression of Python, of conditions that are worked out by type and operator."""
    import operator

    def condition(each: dict[str, Any]) -> bool:
        found: Any = record
        for part in each["field"].split("."):
            found = found.get(part) if isinstance(found, dict) else None
        value = each["value"]
        kind = type(value)
        if each["op"] == "ne":
            return not (type(found) is kind and found == value)
        if type(found) is not kind or (kind is bool and each["op"] != "eq"):
            return False
        return bool(getattr(operator, each["op"])(found, value))

    parts = [condition(each) for each in wanted.get("where", [])]
    parts += [oracle(each, record) for each in wanted.get("all", [])]
    if "any" in wanted:
        parts.append(any(oracle(each, record) for each in wanted["any"]))
    if "not" in wanted:
        parts.append(not oracle(wanted["not"], record))
    return all(parts)


@given(FILTERS, RECORDS)
def test_a_filter_means_what_the_oracle_says(wanted: dict[str, Any], record: dict[str, Any]) -> None:
    tree = made(wanted)
    check_filter(tree)
    assert matches(tree, record) == oracle(wanted, record)


def test_depth_and_size_are_bounded() -> None:
    leaf = {"where": [{"field": "a", "op": "eq", "value": 1}]}
    deep: dict[str, Any] = leaf
    for _ in range(MAX_DEPTH - 1):
        deep = {"not": deep}
    check_filter(made(deep))
    with pytest.raises(RefusalError, match="nested too deeply: 16 levels"):
        check_filter(made({"not": deep}))
    wide = made({"all": [{"any": [{"where": leaf["where"] * 50}] * 20}] * 20})
    with pytest.raises(RefusalError, match=f"too many conditions: {MAX_CONDITIONS}"):
        check_filter(wide)


def test_dots_lead_into_objects_alone() -> None:
    assert field_value({"a": ["x"]}, "a.0") is None
    assert field_value({"a": "x"}, "a.__class__") is None
    assert field_value({"a": {"": 1}}, "a.") == 1
