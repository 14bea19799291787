"""Names that may be meant: as difflib finds them, at a cost that stays small for many names."""

from difflib import get_close_matches
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ToolRegistry
from toolcast.runtime.snapshot import unknown_tool
from toolcast.runtime.tool_names import near_names

from tests.counting import lines_executed

VERBS = ("get", "list", "create", "update", "delete", "search", "find", "open", "close", "merge")
NOUNS = ("issue", "file", "order", "refund", "ticket", "branch", "commit", "message", "channel", "user")
MANY = tuple("_".join(words) for words in product(VERBS, NOUNS, NOUNS))
NAMES = st.text("abc_", max_size=8)


@given(NAMES, st.lists(NAMES, max_size=24))
def test_a_few_names_are_those_of_difflib(name: str, names: list[str]) -> None:
    assert near_names(name, names) == get_close_matches(name, names)


@pytest.mark.parametrize("name", MANY[::111])
def test_the_best_of_many_names_is_that_of_difflib(name: str) -> None:
    middle = len(name) // 2
    written = f"{name[: middle - 1]}{name[middle]}{name[middle - 1]}{name[middle + 1 :]}"
    assert near_names(written, MANY)[0] == get_close_matches(written, MANY, 1)[0] == name


@pytest.mark.parametrize("name", ["get_isue_branch", "a" * 64, ""])
def test_each_of_many_names_costs_little(name: str) -> None:
    assert len(MANY) == 1_000
    assert lines_executed(lambda: near_names(name, MANY)) < 40 * len(MANY)  # difflib alone: up to 450
    assert lines_executed(lambda: unknown_tool(name, MANY)) < 40 * len(MANY)


def test_a_registry_names_the_nearest_tools() -> None:
    assert "Tools" not in unknown_tool("get_isue_file", MANY)
    assert "get_issue_file" in unknown_tool("get_isue_file", MANY)
    assert ToolRegistry().execute_sync("edit", "{}").error == (
        "There is no tool 'edit'. No tool is registered."
    )
