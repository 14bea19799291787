"""Steps against the same steps in plain Python, over small random tables."""

import statistics
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.tools.data.analyst import analysed, inline

Row = list[Any]
Rows = list[Row]
COLUMNS = ["n", "x", "t", "b"]
CELLS = [
    st.none() | st.integers(-3, 3),
    st.none() | st.sampled_from([-1.5, -0.25, 0.5, 2.75, 10.125]),
    st.none() | st.sampled_from(["", "a", "b", "ab", "B", "é", "a'\"b", "%"]),
    st.none() | st.booleans(),
]
TABLES = st.lists(st.tuples(*CELLS).map(list), max_size=12)
FULL = [[1, 0.5, "a", True]]
"""A row that decides the types of every column."""


def values_of(column: str) -> st.SearchStrategy[Any]:
    by_name = {
        "n": st.integers(-3, 3) | st.sampled_from([0.5, 2.0]),
        "x": st.sampled_from([-1.5, 0.5, 2.75, 10.125]) | st.integers(0, 3),
        "t": st.sampled_from(["", "a", "ab", "b", "é", "%"]),
        "b": st.booleans(),
    }
    return by_name[column]


@st.composite
def conditions(draw: Callable[..., Any]) -> dict[str, Any]:
    column = draw(st.sampled_from(COLUMNS))
    words = ["contains", "starts_with"] if column == "t" else []
    operator = draw(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge", "in", "is_null", *words]))
    condition = {"field": column, "op": operator}
    if operator == "in":
        condition["value"] = draw(st.lists(values_of(column), min_size=1, max_size=3))
    elif operator != "is_null":
        condition["value"] = draw(values_of(column))
    return condition


def filters() -> st.SearchStrategy[dict[str, Any]]:
    leaves = st.fixed_dictionaries({"where": st.lists(conditions(), min_size=1, max_size=2)})

    def nested(inner: Any) -> Any:
        some = st.lists(inner, min_size=1, max_size=2)
        return st.fixed_dictionaries({}, optional={"all": some, "any": some, "not": inner}).filter(bool)

    return st.recursive(leaves, nested, max_leaves=4)


def holds(filter: dict[str, Any], row: Row) -> bool:
    """The oracle of filters."""
    parts = [
        *(meets(each, row[COLUMNS.index(each["field"])]) for each in filter.get("where", [])),
        *(holds(each, row) for each in filter.get("all", [])),
    ]
    if "any" in filter:
        parts.append(any(holds(each, row) for each in filter["any"]))
    if "not" in filter:
        parts.append(not holds(filter["not"], row))
    return all(parts)


def meets(condition: dict[str, Any], cell: Any) -> bool:
    operator, value = condition["op"], condition.get("value")
    if operator == "is_null":
        return cell is None
    if operator == "ne":
        return cell is None or cell != value
    if cell is None:
        return False
    checks: dict[str, Callable[[], bool]] = {
        "eq": lambda: cell == value,
        "lt": lambda: cell < value,
        "le": lambda: cell <= value,
        "gt": lambda: cell > value,
        "ge": lambda: cell >= value,
        "in": lambda: cell in value,
        "contains": lambda: value in cell,
        "starts_with": lambda: cell.startswith(value),
    }
    return checks[operator]()


def rows_after(rows: Rows, *steps: dict[str, Any], columns: list[str] = COLUMNS) -> Rows:
    reply = analysed(inline(columns, FULL + rows), {"op": "limit", "count": 1000, "offset": 1}, *steps)
    assert reply.refusal == ""
    assert reply.rows is not None
    assert len(reply.rows) == reply.row_count
    return reply.rows


@given(TABLES, filters())
def test_filter(rows: Rows, filter: dict[str, Any]) -> None:
    assert rows_after(rows, {"op": "filter", "filter": filter}) == [row for row in rows if holds(filter, row)]


@given(TABLES, st.permutations(COLUMNS), st.integers(1, 4))
def test_select_and_rename(rows: Rows, order: list[str], count: int) -> None:
    kept = order[:count]
    step = {"op": "select", "columns": kept, "rename": {kept[0]: 'new "name"'}}
    reply = analysed(inline(COLUMNS, FULL + rows), step)
    assert [column.name for column in reply.columns] == ['new "name"', *kept[1:]]
    assert reply.rows == [[row[COLUMNS.index(name)] for name in kept] for row in FULL + rows]


def sort_key(cell: Any, descending: bool) -> tuple[bool, Any]:
    if cell is None:
        return True, 0
    if isinstance(cell, str):
        points = [*cell.encode(), -1]
        return False, [-each for each in points] if descending else points
    return False, -cell if descending else cell


@given(
    TABLES,
    st.lists(st.tuples(st.sampled_from(COLUMNS), st.booleans()), min_size=1, max_size=3),
    st.integers(1, 9),
    st.integers(0, 6),
)
def test_sort_keeps_the_order_of_equal_rows_and_limit_takes_some(
    rows: Rows, keys: list[tuple[str, bool]], count: int, offset: int
) -> None:
    numbered = [[*row, number] for number, row in enumerate(rows)]
    reply = analysed(
        inline([*COLUMNS, "place"], [[*FULL[0], 99], *numbered]),
        {"op": "filter", "filter": {"where": [{"field": "place", "op": "lt", "value": 99}]}},
        {"op": "sort", "keys": [{"column": name, "descending": down} for name, down in keys]},
        {"op": "limit", "count": count, "offset": offset},
    )
    expected = sorted(
        numbered, key=lambda row: [sort_key(row[COLUMNS.index(name)], down) for name, down in keys]
    )
    assert reply.rows == expected[offset : offset + count]


@given(TABLES, st.sampled_from(COLUMNS), st.booleans(), st.data())
def test_fill(rows: Rows, column: str, last: bool, data: Any) -> None:
    place = COLUMNS.index(column)
    value = None if last else data.draw(values_of(column))
    expected, seen = [], None
    for row in rows:
        seen = row[place] if row[place] is not None else seen
        cell = row[place] if row[place] is not None else seen if last else value
        expected.append([*row[:place], cell, *row[place + 1 :]])
    assert rows_after(rows, {"op": "fill", "column": column, "value": value}) == expected


AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "sum": lambda cells: sum(cells) if cells else None,
    "mean": lambda cells: statistics.fmean(cells) if cells else None,
    "median": lambda cells: statistics.median(cells) if cells else None,
    "min": lambda cells: min(cells, default=None),
    "max": lambda cells: max(cells, default=None),
    "std": lambda cells: statistics.stdev(cells) if len(cells) > 1 else None,
    "distinct": lambda cells: len(set(cells)),
}


@given(TABLES, st.lists(st.sampled_from(["n", "t", "b"]), unique=True, max_size=2), st.sampled_from("nx"))
def test_group(rows: Rows, by: list[str], column: str) -> None:
    assume(rows)  # without rows and groups there is one row of nothing
    step = {
        "op": "group",
        "by": by,
        "aggregates": [{"function": name, "column": column, "as": f"r_{name}"} for name in AGGREGATES],
    }
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        key = tuple(row[COLUMNS.index(name)] for name in by)
        groups.setdefault(key, []).append(row[COLUMNS.index(column)])
    expected = [
        [*key, *(compute([cell for cell in cells if cell is not None]) for compute in AGGREGATES.values())]
        for key, cells in sorted(groups.items(), key=lambda item: [sort_key(cell, False) for cell in item[0]])
    ]
    found = rows_after(rows, step)
    assert [row[: len(by)] for row in found] == [row[: len(by)] for row in expected]
    for got, wanted in zip(found, expected, strict=True):
        assert got[len(by) :] == pytest.approx(wanted[len(by) :], abs=1e-4)


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["n", "x", '"n"', "2", "0.5", "3"])

    def nested(inner: Any) -> Any:
        binary = st.tuples(inner, st.sampled_from("+-*"), inner)
        return binary.map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})") | inner.map(
            lambda part: f"(- {part})"
        )

    return st.recursive(leaves, nested, max_leaves=6)


@given(TABLES, expressions())
def test_derive(rows: Rows, expression: str) -> None:
    """Python is the oracle: the arithmetic is written alike."""
    expected = []
    for n, x, *_ in rows:
        missing = (n is None and "n" in expression) or (x is None and "x" in expression)
        value = None if missing else eval(expression.replace('"', ""), {"n": n, "x": x})
        expected.append(value)
    found = rows_after(rows, {"op": "derive", "column": "new", "expression": expression})
    assert [row[:-1] for row in found] == rows
    for row, wanted in zip(found, expected, strict=True):
        assert row[-1] == (None if wanted is None else pytest.approx(wanted, abs=1e-4))


def test_a_query_sees_the_table_of_its_step() -> None:
    query = {"op": "sql", "query": "SELECT count(*) AS rows, count(n) AS numbers FROM data -- all of it"}
    kept = {"op": "filter", "filter": {"where": [{"field": "t", "op": "eq", "value": "a"}]}}
    rows = [[1, None, "a", None], [None, None, "a", None], [2, None, "b", None]]
    assert rows_after(rows, kept, query) == [[2, 1]]


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, min_size=1, max_size=4))
def test_a_column_may_have_any_name(names: list[str]) -> None:
    """Each name, and one with quotes, comments and statements, reaches no statement."""
    names = [*names, '"; DROP TABLE data; --']
    assume(len(set(names)) == len(names))
    row = [*range(len(names))]
    reply = analysed(
        inline(names, [row]),
        {"op": "filter", "filter": {"where": [{"field": names[0], "op": "eq", "value": 0}]}},
        {"op": "fill", "column": names[-1], "value": 1},
        {"op": "select", "columns": names[::-1]},
        {"op": "sort", "keys": [{"column": names[0]}]},
        {"op": "group", "by": names, "aggregates": [{"function": "count", "column": names[0], "as": "!"}]},
    )
    if "!" in names:
        assert "would be named" in reply.refusal
        return
    assert reply.refusal == ""
    assert [column.name for column in reply.columns] == [*names, "!"]
    assert reply.rows == [[*row, 1]]
