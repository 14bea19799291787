"""Parts of descriptions that say only what the schema says."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.lint.descriptions import repeated_parts

from tests.lint.projects import found, spec, write

REPEATED: list[tuple[dict[str, Any], str]] = [
    ({"default": 10}, "How many rows to return. Defaults to 10."),
    ({"default": 10}, "How many rows to return (default: 10)."),
    ({"default": 10}, "How many rows to return, default value is 10"),
    ({"minimum": 1, "maximum": 100}, "Rows of a page (min 1, max 100)."),
    (
        {"minimum": 1, "maximum": 100, "default": 10},
        "The limit can range between 1 and 100, and the default is 10.",
    ),
    ({"enum": ["asc", "desc"]}, "How rows are sorted: newest first (asc or desc)."),
    ({"enum": ["create", "delete"]}, "Operation to perform: 'create' or 'delete'"),
    ({"default": False}, "Whether hidden files count. Default is false"),
    ({"anyOf": [{"enum": ["low", "high"]}, {"type": "null"}]}, "Detail. Either low or high."),
]
INFORMATIVE: list[tuple[dict[str, Any], str]] = [
    ({"default": 10}, "How many rows to return (default 20)."),
    ({"default": 100}, "How many rows to return. Maximum: 100"),
    ({"enum": ["asc", "desc"]}, "How rows are sorted. Default is asc"),
    ({"enum": ["asc", "desc"]}, "'asc' (oldest first) or 'desc' (newest first)"),
    ({"enum": ["C", "F"]}, "Either Celsius (C) or Fahrenheit (F)."),
    ({"minimum": 0, "maximum": 1}, "0 is silence, 1 is the loudest."),
    ({"enum": ["asc", "desc"]}, "Sort order"),
    ({}, "Defaults to 10."),
    ({"default": "北京"}, "默认值为北京"),
]


@pytest.mark.parametrize(("schema", "text"), REPEATED)
def test_what_the_schema_states_is_repeated(schema: dict[str, Any], text: str) -> None:
    assert repeated_parts("rows", schema, text)


@pytest.mark.parametrize(("schema", "text"), INFORMATIVE)
def test_what_tells_more_is_not(schema: dict[str, Any], text: str) -> None:
    assert repeated_parts("rows", schema, text) == ()


@given(st.text(max_size=80), st.text(max_size=80))
def test_without_values_in_the_schema_nothing_is_repeated(name: str, text: str) -> None:
    assert repeated_parts(name, {"type": "string"}, text) == ()


@given(st.integers(-1000, 1000), st.text(alphabet="bcdfgh ", min_size=3, max_size=40).filter(str.strip))
def test_a_sentence_with_a_word_of_its_own_is_not_repeated(value: int, words: str) -> None:
    assert repeated_parts("rows", {"default": value}, f"Defaults to {value} qzx{words}") == ()
    assert repeated_parts("rows", {"default": value}, f"Qzx{words}. Defaults to {value}.")


def test_one_finding_names_the_parameters_of_a_tool(tmp_path: Path) -> None:
    limit = {"type": "integer", "default": 10, "description": "How many rows to return. Defaults to 10."}
    order = {"type": "string", "enum": ["asc", "desc"], "description": "How to sort (asc or desc)."}
    project = write(tmp_path, {"rows": spec(properties={"limit": limit, "order": order})})
    (note,) = found(project, "repeats-schema")
    assert note.severity == "note"
    assert note.line > 0
    assert "`limit`" in note.message
    assert "`order`" in note.message
