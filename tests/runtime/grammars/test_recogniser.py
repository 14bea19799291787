"""Recognising texts: against every derivation of small grammars, and with bounded work."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.grammars import recogniser
from toolcast.runtime.grammars.text_grammar import grammar_of

from tests.counting import grows_linearly, lines_executed

NAMES = ("start", "x", "y")
LONGEST = 4

symbols = st.sampled_from(["start", "x", "y", '"a"', '"b"', '"ab"', "/a*/", "/[ab]/"])
sides = st.lists(st.lists(symbols, max_size=3), min_size=1, max_size=3)
grammars = st.tuples(*(sides for _ in NAMES))
TEXTS = ["".join(letters) for length in range(LONGEST + 1) for letters in product("ab", repeat=length)]
TERMINALS = {
    '"a"': {"a"},
    '"b"': {"b"},
    '"ab"': {"ab"},
    "/a*/": {"a" * length for length in range(LONGEST + 1)},
    "/[ab]/": {"a", "b"},
}


def derived(grammar: tuple[list[list[str]], ...]) -> set[str]:
    """All texts of up to LONGEST characters: the least fixed point, by definition."""
    languages: dict[str, set[str]] = {name: set() for name in NAMES}
    while True:
        before = {name: set(found) for name, found in languages.items()}
        for name, alternatives in zip(NAMES, grammar, strict=True):
            for side in alternatives:
                found = {""}
                for symbol in side:
                    ends = languages[symbol] if symbol in languages else TERMINALS[symbol]
                    found = {one + two for one in found for two in ends if len(one + two) <= LONGEST}
                languages[name] |= found
        if languages == before:
            return languages["start"]


@given(grammars)
def test_a_text_is_accepted_where_a_derivation_exists(grammar: tuple[list[list[str]], ...]) -> None:
    definition = "".join(
        f"{name}: {' | '.join(' '.join(side) for side in alternatives)}\n"
        for name, alternatives in zip(NAMES, grammar, strict=True)
    )
    made = grammar_of("lark", definition)
    assert [text for text in TEXTS if made.problem(text) is None] == [
        text for text in TEXTS if text in derived(grammar)
    ]


def test_the_message_names_the_place_and_what_was_expected() -> None:
    made = grammar_of("lark", 'start: "set " NAME " = " INT ";"\nNAME: /[a-z]+/\n%import common.INT\n')
    assert made.problem("set a = 1;") is None
    assert made.problem("set a = x") == (
        'does not fit the grammar at line 1, column 9: expected INT, but found "x"'
    )
    assert made.problem("set a =\n1") == (
        'does not fit the grammar at line 1, column 8: expected " = ", but found "\\n1"'
    )
    assert made.problem("set a = 1") == (
        'does not fit the grammar at line 1, column 10: expected ";" or [0-9], but the text ends'
    )
    assert made.problem("set a = 1;;") == (
        'does not fit the grammar at line 1, column 11: expected the end of the text, but found ";"'
    )
    lines = grammar_of("lark", 'start: ("a" LF)+\n%import common.LF\n')
    assert lines.problem("a\na\nb\n") == (
        'does not fit the grammar at line 3, column 1: expected "a" or the end of the text, but found "b\\n"'
    )


def test_regexes_name_the_characters_that_could_follow() -> None:
    made = grammar_of("regex", "[a-c]x{2}")
    assert made.problem("d") == (
        'does not fit the grammar at line 1, column 1: expected [a-c], but found "d"'
    )
    assert (
        made.problem("ax") == 'does not fit the grammar at line 1, column 3: expected "x", but the text ends'
    )


def test_ignored_text_is_as_long_as_it_can_be() -> None:
    made = grammar_of("lark", "start: NAME+\nNAME: /[a-z]+/\n%ignore /#[^\\n]*/\n%ignore /\\s/\n")
    assert made.problem("a # b\n c") is None
    assert made.problem("# b") is not None


@pytest.mark.parametrize(
    ("definition", "before", "after"),
    [
        ('start: l\nl: "a" l | "a"\n', "a", ""),
        ('start: n\nn: "(" n ")" |\n', "(", ")"),
        ('start: ("a" ",")+\n%ignore " "\n', "a   ,", ""),
        ("start: /[ab]+/+\n", "ab", ""),
        ('start: x*\nx: /[a-z]+/ "," | /[a-z]+/ ";"\n', "abcd;e,", ""),
    ],
)
def test_grammars_without_ambiguity_take_linear_work(definition: str, before: str, after: str) -> None:
    made = grammar_of("lark", definition)

    def of(times: int) -> Callable[[], object]:
        text = before * 60 * times + after * 60 * times
        assert made.problem(text) is None
        return lambda: made.problem(text)

    assert grows_linearly(of)


EXPENSIVE = {
    "ambiguous": ('start: start start start | start start | "a"', "a"),
    "optional": ("start: (a | b)*\n" + "\n".join(f"{name}: " + '"a"? ' * 30 for name in "ab"), "a"),
    "ignored": ("start: item*\nitem: WORD+\nWORD: /[a-z]+/\n%ignore /\\s+/", "ab "),
    "terminals": (
        "start: (" + "|".join(f"T{size}" for size in range(1, 200)) + ")*\n"
        + "\n".join(f"T{size}: /[a-z]{{1,{size}}}/" for size in range(1, 200)),
        "a",
    ),
    "rules": (
        "start: x*\nx: " + " | ".join(f"r{each}" for each in range(300)) + "\n"
        + "\n".join(f'r{each}: "a" r{(each + 1) % 300}?' for each in range(300)),
        "a",
    ),
    "right": ('start: "a" start | "a"', "a"),
    "states": ("start: x+\nx: /a{1,300}/ | /[ab]*a[ab]{200}/", "abb"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPENSIVE)
def test_a_step_is_a_few_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million steps take a second or two, whatever the grammar is."""
    assert recogniser.MAX_STEPS <= 1_000_000
    monkeypatch.setattr(recogniser, "MAX_STEPS", 30_000)
    definition, text = EXPENSIVE[name]
    made = grammar_of("lark", definition)
    assert lines_executed(lambda: made.problem(text * 10_000)) < 25 * recogniser.MAX_STEPS


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recogniser, "MAX_STEPS", 20_000)
    made = grammar_of("lark", 'start: s\ns: s s | "a"\n')
    assert made.problem("a" * 10) is None
    problem = made.problem("a" * 1_000)
    assert problem is not None
    assert "reasonable work" in problem
