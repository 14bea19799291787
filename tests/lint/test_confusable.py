"""Pairs of tools that may be taken for each other."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.lint.confusable import ALIKE, by_tool, confused_pairs
from toolcast.lint.tool_texts import NEUTRAL, ToolTexts, texts

from tests.lint.projects import found, spec, write

WORDS = (
    "order",
    "refund",
    "ticket",
    "invoice",
    "cancel",
    "export",
    "merge",
    "shelf",
    "cargo",
    "lemon",
    "planet",
)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
TOOLS = st.lists(
    st.tuples(TEXTS, TEXTS, st.lists(st.sampled_from(WORDS), max_size=3)), min_size=2, max_size=12
)


def _tool(name: str, description: str, *parameters: str) -> ToolTexts:
    return texts(name, description, {"type": "object", "properties": {each: {} for each in parameters}})


def _tools(listed: list[tuple[str, str, list[str]]]) -> list[ToolTexts]:
    named = enumerate(listed)
    return [_tool(f"{name.replace(' ', '_')}_{number}", text, *rest) for number, (name, text, rest) in named]


def _judged(listed: list[tuple[str, str, list[str]]]) -> dict[tuple[int, int], float]:
    """Similarity of all pairs by definition, without an index: the judge."""
    bags: list[dict[str, float]] = []
    for number, (name, text, parameters) in enumerate(listed):
        bag = {**dict.fromkeys(text.split(), 1.0), **dict.fromkeys(name.split(), 1.0), str(number): 1.0}
        bags.append({**bag, **dict.fromkeys(parameters, 2.0)})
    rare = {
        word: math.log((len(bags) + 5) / sum(word in bag for bag in bags)) for bag in bags for word in bag
    }
    found: dict[tuple[int, int], float] = {}
    for one, other in combinations(range(len(bags)), 2):
        words = bags[one].keys() | bags[other].keys()
        both = [
            (rare[word] * bags[one].get(word, 0), rare[word] * bags[other].get(word, 0)) for word in words
        ]
        found[one, other] = math.fsum(map(min, both)) / math.fsum(map(max, both))
    return found


@given(TOOLS)
def test_the_index_finds_the_pairs_that_comparing_all_finds(listed: list[tuple[str, str, list[str]]]) -> None:
    tools = _tools(listed)
    numbers = {tool.name: number for number, tool in enumerate(tools)}
    pairs = {
        (numbers[each.first], numbers[each.second]): each.similarity for each in confused_pairs(tools, 0.001)
    }
    judged = {pair: value for pair, value in _judged(listed).items() if value >= 0.002}
    assert pairs.keys() >= judged.keys()
    assert all(abs(pairs[pair] - value) <= 0.001 for pair, value in judged.items())


@given(TOOLS, st.randoms(use_true_random=False))
def test_no_order_of_the_tools_changes_the_pairs(
    listed: list[tuple[str, str, list[str]]], random: Any
) -> None:
    tools = _tools(listed)
    shuffled = random.sample(tools, len(tools))
    as_sets = [
        {(frozenset((each.first, each.second)), each.similarity) for each in confused_pairs(order, 0.01)}
        for order in (tools, shuffled)
    ]
    assert as_sets[0] == as_sets[1]


@given(TOOLS, st.lists(st.sampled_from(sorted(NEUTRAL)), max_size=20), st.text(max_size=200))
def test_neither_neutral_words_nor_later_sentences_make_tools_less_alike(
    listed: list[tuple[str, str, list[str]]], words: list[str], later: str
) -> None:
    before = _tools(listed)
    name, text, parameters = listed[0]
    longer = f"{text} {' '.join(words)}".strip() + f".\n\n{later}"
    after = _tools([(name, longer, parameters), *listed[1:]])
    for one, other in zip(confused_pairs(before, 0.01), confused_pairs(after, 0.01), strict=True):
        assert (one.first, one.second, one.similarity) == (other.first, other.second, other.similarity)


def test_a_pair_has_the_words_that_make_it_alike_and_those_that_do_not() -> None:
    tools = [
        _tool("exchange_items", "Exchange items of a delivered order.", "order_id", "item_ids"),
        _tool("modify_items", "Modify items of a pending order.", "order_id", "item_ids"),
        _tool("weather", "Tell the weather of a city.", "city"),
    ]
    (pair,) = confused_pairs(tools)
    assert {pair.first, pair.second} == {"exchange_items", "modify_items"}
    assert {"order", "item"} <= set(pair.words)
    assert "exchange" in pair.only_first
    assert "pending" in pair.only_second
    assert "exchange" in pair.suggestion
    assert not pair.stated


def test_of_two_tools_of_which_one_holds_the_other_the_poorer_says_when_to_use_it() -> None:
    tools = [
        _tool("list_folder", "List the files of a folder.", "path"),
        _tool("list_folder_sizes", "List the files of a folder.", "path"),
    ]
    (pair,) = confused_pairs(tools)
    suggestion = "say when to use 'list_folder' rather than 'list_folder_sizes', which alone has size"
    assert pair.suggestion.startswith(suggestion)
    assert not pair.distinct


def test_tools_of_equal_words_are_a_pair_however_many_share_them() -> None:
    tools = [_tool(f"same{'_' * number}", "Reads one file.", "path") for number in range(300)]
    tools += [_tool(f"other_{number}", f"Does task {number}.", f"key_{number}") for number in range(50)]
    assert sum(each.similarity == 1 for each in confused_pairs(tools)) >= 299


def test_a_thousand_equal_tools_need_no_million_comparisons() -> None:
    assert (
        len(confused_pairs([_tool(f"same{'_' * number}", "Reads one file.") for number in range(1_000)]))
        == 999
    )


def test_who_names_the_other_tool_states_the_difference(tmp_path: Path) -> None:
    alike = {"read_lines": "Reads lines of a file.", "read_file": "Reads all lines of a file."}
    specs = {name: spec(description=text) for name, text in alike.items()}
    silent = write(tmp_path / "a", specs) if (tmp_path / "a").mkdir() is None else None
    assert silent is not None
    notes = found(silent, "confusable-tools", score=True)
    assert [each.tool for each in notes] == ["read_file", "read_lines"]
    assert {each.severity for each in notes} == {"note"}
    (tmp_path / "b").mkdir()
    specs["read_file"] = spec(description="Reads all lines of a file. For a part use read_lines.")
    assert found(write(tmp_path / "b", specs), "confusable-tools", score=True) == []
    assert found(silent, "confusable-tools") == []


@pytest.mark.parametrize(
    ("names", "differ"),
    [
        (("delete_user", "delete_role"), True),
        (("start_trace", "stop_trace"), True),
        (("list_items", "list_items_of_user"), False),  # one name holds the other: both fit
        (("list_items", "fetch_items"), False),  # both read "Lists …"
        (("time_zone", "timezones"), False),
        (("get_x", "get_xylophone"), True),  # one letter begins too many words
    ],
)
def test_names_differ_where_each_has_a_word_that_the_other_tool_lacks(
    names: tuple[str, str], differ: bool
) -> None:
    summary = "Lists time." if "list_items" in names else "Does it."
    (pair,) = confused_pairs([_tool(name, summary, "zoom") for name in names], 0.01)
    assert pair.names_differ is differ
    assert pair.distinct is differ
    assert by_tool([pair]) == ({} if differ else {names[0]: [pair], names[1]: [pair]})


@given(TOOLS)
def test_names_differ_by_words_that_just_one_tool_has(listed: list[tuple[str, str, list[str]]]) -> None:
    tools = _tools(listed)
    names = {tool.name: {*tool.name.split("_")} for tool in tools}
    texts = zip(tools, listed, strict=True)
    words = {tool.name: {*names[tool.name], *text.split(), *keys} for tool, (_, text, keys) in texts}
    for pair in confused_pairs(tools, 0.01):
        first, second = pair.first, pair.second
        assert pair.names_differ == bool(names[first] - words[second] and names[second] - words[first])


def test_the_threshold_is_a_share() -> None:
    assert 0 < ALIKE < 1
