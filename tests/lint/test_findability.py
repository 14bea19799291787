"""Whether a search finds each tool of a set by what its own spec says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.search_index import SearchedTool, SearchIndex
from toolcast.config import load_config
from toolcast.lint.findability import QueryKind, ToolSearch, explained, failure, retrievals
from toolcast.lint.project_tools import load_project
from toolcast.lint.tool_texts import texts, tool_texts

from tests.lint.projects import found, run, spec, write

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "glade", "haven")
SETS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=2, max_size=12
)


@given(SETS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
def test_places_and_margins_are_those_of_the_search_of_programs(listed: list[str], query: str) -> None:
    names = [f"tool_{'abcdefghijkl'[number]}" for number in range(len(listed))]
    search = ToolSearch([texts(name, text, {}) for name, text in zip(names, listed, strict=True)])
    index = SearchIndex(
        SearchedTool(name=name, description=text) for name, text in zip(names, listed, strict=True)
    )
    found = index.find(query, len(names))
    scores = index.scores(query.split())
    for name in names:
        retrieval = search.retrieval(name, "example", query)
        assert retrieval is not None
        equal = [other for other in found if scores[other] == scores.get(name)]
        place = found.index(name) + len(equal) - equal.index(name) if name in found else None  # ties: last
        assert retrieval.rank == (place if place is not None and place <= 10 else None)
        others = [other for other in found if other != name]
        assert retrieval.winner == ("" if place == 1 or not others else others[0])
        assert retrieval.winner or not retrieval.words
        assert -1 <= retrieval.margin <= 1
        assert (retrieval.margin > 0) == (place == 1)
        assert (retrieval.margin == -1) == (place is None)


def test_the_words_by_which_another_tool_leads_are_named_what_counts_most_first() -> None:
    tools = [
        texts("alpha", "Reads a cedar.", {}),
        texts("amber_birch", "Reads a cedar.", {}),
        *(texts(name, "Writes a birch.", {}) for name in ("gamma", "delta")),
    ]
    found = ToolSearch(tools).retrieval("alpha", "example", "birch cedar amber unknown")
    assert found is not None
    assert (found.rank, found.winner) == (None, "amber_birch")
    assert found.words == ("amber", "birch")  # both have the cedar, but the other one is longer


def test_of_two_equal_tools_neither_is_found_first() -> None:
    same = [texts(name, "Reads one file.", {}) for name in ("first", "second")]
    search = ToolSearch(same)
    places = [search.retrieval(name, "parameters", "file") for name in ("first", "second")]
    assert [each and each.rank for each in places] == [2, 2]
    assert [each and each.winner for each in places] == ["second", "first"]
    assert places[0] is not None
    assert explained(places[0]).endswith(" finds 'second' as well as this tool")


def test_a_summary_is_not_found_by_itself() -> None:
    tools = [
        texts("alpha", "Cancels one order.", {}),
        texts("cancel_order", "Stops a delivery.", {}),
    ]
    first, _ = retrievals(tools)
    worst = failure(first, "summary")
    assert worst is not None
    assert worst.rank is None
    assert worst.winner == "cancel_order"
    assert set(worst.words) == {"cancels", "order"}
    assert "cancel_order" in explained(worst)
    assert "order" in explained(worst)


@given(st.text(max_size=300), st.sampled_from(("example", "summary", "parameters")))
def test_any_query_is_words(query: str, kind: QueryKind) -> None:
    search = ToolSearch([texts("a_tool", query, {}), texts("b", "Writes.", {})])
    found = search.retrieval("a_tool", kind, query)
    assert found is None or found.rank in {None, 1, 2}


@pytest.mark.parametrize("language", ["読み込む ファイル", "читает файл", "يقرأ ملفا", "फ़ाइल पढ़ें"])
def test_words_of_any_script_are_found(language: str) -> None:
    tools = [texts("a", f"{language}.", {}), texts("b", "Writes.", {})]
    found = ToolSearch(tools).retrieval("a", "example", language)
    assert found is not None
    assert found.rank == 1


def test_a_query_is_read_up_to_a_bound() -> None:
    tools = [texts("a", "Sorts needles.", {}), texts("b", "Writes.", {})]
    search = ToolSearch(tools)
    for query, rank in (("x" * 900 + " needles", 1), ("x" * 1_100 + " needles", None)):
        found = search.retrieval("a", "example", query)
        assert found is not None
        assert found.rank == rank


@pytest.mark.parametrize("group", ["orders", ""])
def test_words_of_the_group_are_found(group: str, tmp_path: Path) -> None:
    folder = f"{group}/" if group else ""
    project = write(
        tmp_path, {f"{folder}undo": spec(description="Reverts."), "other/b": spec(description="Writes.")}
    )
    config, _ = load_config(project)
    assert config is not None
    subjects = load_project(config, (), lambda _done, _total: None).subjects
    found = ToolSearch([tool_texts(each) for each in subjects]).retrieval("undo", "example", "orders")
    assert found is not None
    assert found.rank == (1 if group else None)


def test_one_tool_needs_no_search() -> None:
    assert retrievals([texts("a", "Reads.", {})]) == ((),)
    assert retrievals([]) == ()


def test_a_tool_that_others_hide_is_a_note_with_score_only(tmp_path: Path) -> None:
    specs = {
        f"cancel_order_{word}": spec(description=f"Cancels an order {word}.") for word in ("a1", "b2", "c3")
    }
    specs["stop"] = spec(description="Cancels an order.")
    project = write(tmp_path, specs)
    notes = found(project, "hard-to-find", score=True)
    assert "stop" in [each.tool for each in notes]
    assert {each.severity for each in notes} == {"note"}
    assert found(project, "hard-to-find") == []
    specs["stop"] = spec(description="Cancels an order.", lint={"ignore": {"hard-to-find": "An alias."}})
    project = write(tmp_path, specs)
    assert "stop" not in [each.tool for each in found(project, "hard-to-find", score=True)]
    assert "unused-ignore" not in [each.code for each in run(project).findings]
