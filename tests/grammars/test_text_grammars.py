"""Our recogniser beside llguidance, which is what OpenAI's API constrains the texts of custom tools with.

What llguidance lets a model write, ours accepts, without exception. The reverse holds but for grammars whose
texts a greedy lexer divides wrongly, and for what `%ignore` names at the ends of a text: there ours is wider,
as Lark itself is.
"""

import random
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.grammars.text_grammar import TextGrammar, grammar_of

from tests.grammars.engine import Engine, Grammar
from tests.grammars.lark_grammars import CASES, Case

WALKS = 15
LONGEST = 400
IGNORED = re.compile(r"(?:\s|#[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*")
"""What the cases have under `%ignore`."""
BY_NAME = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def walked(grammar: Grammar, rng: random.Random) -> str | None:
    """A text that llguidance wrote, byte by byte; None where it came to no end."""
    matcher = grammar.copy()
    out = bytearray()
    while len(out) < LONGEST and not matcher.is_stopped():
        if matcher.is_accepting() and rng.random() < 0.1:
            break
        mask = matcher.compute_bitmask()
        allowed = [byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1]
        plain = [byte for byte in allowed if byte < 0x80]
        byte = rng.choice(plain if plain and rng.random() < 0.95 else allowed)
        if not matcher.consume_token(byte):
            break
        out.append(byte)
    return out.decode() if matcher.is_accepting() else None


def mutated(texts: tuple[str, ...], rng: random.Random) -> str:
    """One text of a case with a few characters changed, or two of them joined."""
    text = rng.choice(texts)
    letters = "".join(texts) + ' \n"a0é'
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + rng.choice(letters) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1 :]
        elif kind == 2:
            text = text[:at] + rng.choice(letters) + text[at + 1 :]
        else:
            other = rng.choice(texts)
            text = text[:at] + other[rng.randint(0, len(other)) :]
    return text


def agrees(case: Case, ours: TextGrammar, theirs: Grammar, text: str) -> bool:
    """Whether both say the same, or ours is wider where it may be."""
    fits, refused = ours.problem(text) is None, theirs.refuses(text)
    if refused is None:
        return fits
    if not fits or case.divided:
        return True
    inner = text[IGNORED.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty text
    return "%ignore" in case.grammar and any(
        IGNORED.fullmatch(inner, end) and theirs.refuses(inner[:end]) is None for end in range(len(inner) + 1)
    )


@BY_NAME
def test_the_texts_of_a_grammar(case: Case, engine: Engine) -> None:
    ours, theirs = grammar_of("lark", case.grammar), engine.compile_lark(case.grammar)
    for text in case.texts:
        assert ours.problem(text) is None, text
        assert agrees(case, ours, theirs, text), text
    for text in case.others:
        assert ours.problem(text) is not None, text
        assert theirs.refuses(text) is not None, text


@BY_NAME
def test_what_llguidance_writes_is_accepted(case: Case, engine: Engine) -> None:
    ours, theirs = grammar_of("lark", case.grammar), engine.compile_lark(case.grammar)
    rng = random.Random(case.name)
    texts = [text for text in (walked(theirs, rng) for _ in range(WALKS)) if text is not None]
    assert [(text, problem) for text in texts if (problem := ours.problem(text))] == []


@BY_NAME
@given(st.randoms(use_true_random=False))
def test_changed_texts_are_judged_alike(case: Case, engine: Engine, rng: random.Random) -> None:
    ours, theirs = grammar_of("lark", case.grammar), engine.compile_lark(case.grammar)
    for _ in range(10):
        text = mutated(case.texts or ("az",), rng)
        assert agrees(case, ours, theirs, text), text


def test_where_a_greedy_lexer_refuses_more(engine: Engine) -> None:
    """The ways in which ours is wider, each in its smallest case."""
    for grammar, text in (
        ('start: NAME "x"\nNAME: /[a-z]+/\n', "abx"),
        ('start: "a" "b" | "ab" "c"\n', "ab"),
        ('start: "a"\n%ignore " "\n', " a"),
        ('start: "a"\n%ignore " "\n', "a "),
    ):
        assert grammar_of("lark", grammar).problem(text) is None
        assert engine.compile_lark(grammar).refuses(text) is not None


PARTS = (
    '"a"', '"b"', '"ab"i', "/a*/", "/[ab]/", "/a|b+/", "x", "y", "X", "Y", '("a" | x)', '["b"]', "x?", "X*",
    '"a"+', "x~2", "X~0..1", '"a".."c"', '""', "(x Y)*", "INT", "/./s", "|",
)  # fmt: skip
OF_TERMINALS = tuple(
    part for part in PARTS if not {"x", "y"} & {*part} and part not in ("X", "Y", "X*", "X~0..1")
)
SHORT = ["".join(letters) for length in range(4) for letters in product("ab1 ", repeat=length)]


def sides(parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), min_size=1, max_size=4).map(" ".join)


@given(sides(PARTS), sides(PARTS), sides(PARTS), sides(OF_TERMINALS), sides(OF_TERMINALS), st.booleans())
def test_composed_grammars_compile_and_are_never_stricter(
    engine: Engine, start: str, x: str, y: str, first: str, second: str, ignores: bool
) -> None:
    definition = f"start: {start}\nx: {x}\n?y: {y}\nX: {first}\nY: {second}\n%import common.INT\n"
    definition += '%ignore " "\n' if ignores else ""
    ours, theirs = grammar_of("lark", definition), engine.compile_lark(definition)
    assert [text for text in SHORT if theirs.refuses(text) is None and ours.problem(text)] == []
