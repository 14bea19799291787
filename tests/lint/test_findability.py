"""Whether a search finds each tool of a set by what its own spec says."""

import math
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.lint import findability
from toolcast.lint.findability import SearchUnavailableError, ToolSearch, explained, failure, retrievals
from toolcast.lint.tool_texts import texts

from tests.lint.projects import found, run, spec, write

WORDS = ("qab", "qbc", "qcd", "qdf", "qfg", "qgh", "qhj", "qjk")  # no stem changes them
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
SETS = st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=8)
WEIGHTS = (3.0, 1.0, 1.0, 2.0, 1.0)


def _bm25(rows: list[tuple[str, ...]], query: list[str]) -> list[float]:
    """BM25 with k1 = 1.2 and b = 0.75 after Robertson and Zaragoza, over weighted columns: the judge."""
    lengths = [sum(len(text.split()) for text in row) for row in rows]
    average = sum(lengths) / len(rows)
    scores = [0.0] * len(rows)
    for word in query:
        having = sum(any(word in text.split() for text in row) for row in rows)
        rarity = max(1e-6, math.log((len(rows) - having + 0.5) / (having + 0.5)))
        for number, row in enumerate(rows):
            count = sum(weight * text.split().count(word) for weight, text in zip(WEIGHTS, row, strict=True))
            norm = count + 1.2 * (1 - 0.75 + 0.75 * lengths[number] / average)
            scores[number] += rarity * count * 2.2 / norm
    return scores


@given(SETS, TEXTS)
def test_the_rank_is_that_of_bm25(listed: list[tuple[str, str]], query: str) -> None:
    names = [f"{name.replace(' ', '_')}_{number}" for number, (name, _) in enumerate(listed)]
    tools = [texts(name, text, {"type": "object"}) for name, (_, text) in zip(names, listed, strict=True)]
    rows = [
        (name.replace("_", " "), tool.summary, "", "", "") for name, tool in zip(names, tools, strict=True)
    ]
    words = list(dict.fromkeys(query.split()))
    scores = _bm25(rows, words)
    with ToolSearch(tools) as search:
        for number, own in enumerate(scores):
            found = search.retrieval(number, "example", query)
            assert found is not None
            better = sum(score > own * (1 + 1e-9) for score in scores)
            equal = sum(abs(score - own) <= own * 1e-9 for score in scores) - 1
            if own == 0:
                assert found.rank is None
            else:
                assert found.rank is not None
                assert better < found.rank <= better + 1 + equal


def test_of_two_equal_tools_neither_is_found_first() -> None:
    same = [texts(name, "Reads one file.", {"type": "object"}) for name in ("first", "second")]
    with ToolSearch(same) as search:
        places = [search.retrieval(number, "parameters", "file") for number in (0, 1)]
    assert [each and each.rank for each in places] == [2, 2]
    assert [each and each.winner for each in places] == ["second", "first"]


def test_a_summary_is_not_found_by_itself() -> None:
    tools = [
        texts("alpha", "Cancels one order.", {"type": "object"}),
        texts("cancel_order", "Stops a delivery.", {"type": "object"}),
    ]
    first, _ = retrievals(tools)
    worst = failure(first, "summary")
    assert worst is not None
    assert worst.rank is None
    assert worst.winner == "cancel_order"
    assert set(worst.words) == {"cancel", "order"}
    assert "cancel_order" in explained(worst)
    assert "order" in explained(worst)


def test_queries_have_no_syntax() -> None:
    tools = [
        texts("a_tool", 'Reads "x" OR * NEAR(', {"type": "object"}),
        texts("b", "Writes.", {"type": "object"}),
    ]
    with ToolSearch(tools) as search:
        for query in ('"', "a AND", "NEAR(", "x*", "name:x", "'; DROP TABLE tools", "\0", "\ud800"):
            search.retrieval(0, "example", query)
            search.retrieval(0, "summary", query)


@pytest.mark.parametrize("language", ["読み込む ファイル", "читает файл", "يقرأ ملفا"])
def test_words_of_any_script_are_found(language: str) -> None:
    tools = [texts("a", f"{language}.", {"type": "object"}), texts("b", "Writes.", {"type": "object"})]
    with ToolSearch(tools) as search:
        found = search.retrieval(0, "example", language)
    assert found is not None
    assert found.rank == 1


def test_one_tool_needs_no_search() -> None:
    assert retrievals([texts("a", "Reads.", {"type": "object"})]) == ((),)
    assert retrievals([]) == ()


def test_without_fts5_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Without(sqlite3.Connection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
            raise sqlite3.OperationalError(f"no such module: fts5, in {sql} of {values}")

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path: connect(path, factory=Without))
    with pytest.raises(SearchUnavailableError, match="FTS5"):
        findability.ToolSearch([texts("a", "Reads.", {"type": "object"})])


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
