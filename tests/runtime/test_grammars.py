"""The boundary to llguidance: what is refused and where, bounded work, and a program without the engine."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError, ToolRegistry, grammars
from toolcast.runtime.grammars import GrammarError, GrammarSyntax, grammar_of
from toolcast.runtime.snapshot import LazyBindings

from tests.python.compiled import package
from tests.sampled import sampled

REFUSED: tuple[tuple[GrammarSyntax, str, int, str], ...] = (
    ("lark", "", 0, "Empty"),
    ("lark", "start: x\n", 7, "unknown name"),
    ("lark", 'start: begin\nbegn: "a"\n', 7, "unknown name"),
    ("lark", 'start: "é" (b)\n', 12, "unknown name"),
    ("lark", 'start: a\na: "é" b\n', 12, "unknown name"),
    ("lark", 'start: X\nX: "a" X\n', 12, "circular"),
    ("lark", "start: a\n// \u2028 é\na: b\n", 19, "unknown name"),
    ("lark", 'start: X\nX.2: "a"\n', 14, "priority"),
    ("lark", "start: x{y}\n", 7, "template"),
    ("lark", "start: 'a'\n", 7, "lexer"),
    ("lark", 'start "a"\n', 6, "Expected token"),
    ("lark", 'start: "é" /é(?=b)/\n', 13, "look-around"),
    ("lark", "start: <|tool|>\n", 7, "tokens of a model"),
    ("lark", '// <|tool|>\nstart: "<x>" <[3]>\n', 25, "tokens of a model"),
    ("lark", "start[max_tokens=3]: /a+/\n", 6, "tokens of a model"),
    ("lark", 'start: "a"\n' + "// c\n" * 20_000, 100_000, "100,000"),
    ("regex", "a(?=b)", 1, "look-around"),
    ("regex", "ab(c", 2, "unclosed group"),
    ("regex", "é[b-a]", 2, "range"),
    ("regex", "a\\b", 0, "WordUnicode"),
    ("regex", "a$b", 0, "End"),
    ("regex", r"(a)\1", 3, "backreferences"),
    ("regex", "a\\", 1, "escapes nothing"),
    ("regex", "a\\\nb", 1, "escapes nothing"),
    ("regex", "a" * 100_001, 100_000, "100,000"),
)


@pytest.mark.parametrize(("syntax", "definition", "offset", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_grammar_is_refused_at_its_place(
    syntax: GrammarSyntax, definition: str, offset: int, words: str
) -> None:
    with pytest.raises(GrammarError) as problem:
        grammar_of(syntax, definition)
    assert (problem.value.offset, words in problem.value.reason) == (offset, True), problem.value
    assert problem.value.hint
    assert "\n" not in problem.value.reason


@pytest.mark.parametrize(
    "definition", ['start: "<x>" /<y>/ # <z>\n', "// max_tokens=1\nstart: max_tokens\nmax_tokens: /a/\n"]
)
def test_what_only_looks_like_a_token_is_read(definition: str) -> None:
    grammar_of("lark", definition)


@given(
    st.sampled_from(grammars.SYNTAXES),
    st.text('startX: "a"|()[]{}*+?~1./\\n%ignore->#<é\ud800>\n', max_size=60),
)
def test_any_definition_is_read_or_refused(syntax: GrammarSyntax, definition: str) -> None:
    try:
        grammar_of(syntax, definition)
    except GrammarError as error:
        problem = error
    else:
        return
    assert 0 <= problem.offset <= len(definition)
    assert problem.reason


def test_the_message_names_the_place_and_what_was_expected() -> None:
    made = grammar_of("lark", 'start: "set " NAME " = " INT ";"\nNAME: /[a-z]+/\n%import common.INT\n')
    assert made.problem("set a = 1;") is None
    for text, words in (
        ("sat a", 'line 1, column 2: expected "et ", but found "at a"'),
        ("set a = x", 'line 1, column 9: expected [0-9], but found "x"'),
        ("set a =\n1", 'line 1, column 8: expected " ", but found "\\n1"'),
        ("set a = 1", "line 1, column 10: expected [0-9;], but the text ends"),
        ("set a = 1;;", 'line 1, column 11: expected the end of the text, but found ";"'),
        ("set é", 'line 1, column 5: expected [a-z], but found "é"'),
    ):
        assert made.problem(text) == f"does not fit the grammar at {words}"
    lines = grammar_of("lark", 'start: ("a" LF)+\n%import common.LF\n')
    assert lines.problem("a\na\nb\n") == (
        'does not fit the grammar at line 3, column 1: expected "a" or the end of the text, but found "b\\n"'
    )


def test_a_character_of_several_bytes_is_one_place() -> None:
    made = grammar_of("regex", "[é-ü]+x")
    assert made.problem("éé日x") == (
        "does not fit the grammar at line 1, column 3: "
        'expected "x" or a character outside of ASCII, but found "日x"'
    )
    assert "column 2" in (made.problem("é\ud800") or "")
    assert "column 1" in (made.problem("\ud800") or "")


HOSTILE = {
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
    "nested": ('start: (("a"*)*)*', "a"),
    "states": (r"start: /([ab]*a[ab]{1000}c)|([ab]*b[ab]{1001}d)/", "abbaabababba"),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(HOSTILE, ["ambiguous", "states"]))
def test_a_hostile_text_ends(name: str) -> None:
    """The engine itself would take hours; a process of its own is given two minutes."""
    definition, unit = HOSTILE[name]
    code = (
        "import sys; from toolcast.runtime.grammars import grammar_of\n"
        "print(grammar_of('lark', sys.argv[1]).problem((sys.argv[2] * 200_000)[:200_000]))"
    )
    command = [sys.executable, "-c", code, definition, unit]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "cannot be checked with reasonable work" in told


def test_a_second_of_the_processor_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made = grammar_of("lark", 'start: ("a" "b")*')
    text = "ab" * 1_000
    assert made.problem(text) is None
    monkeypatch.setattr(grammars, "_MAX_SECONDS", 0.0)
    assert "reasonable work (it was read up to line 1, column " in (made.problem(text) or "")


def test_a_text_has_a_longest_length() -> None:
    made = grammar_of("regex", "(?s).*")
    assert made.problem("x" * grammars.MAX_TEXT) is None
    assert made.problem("é" * (grammars.MAX_TEXT // 2) + "x") == (
        "has 262,145 bytes, too many to be checked: send at most 262,144"
    )


def test_a_hostile_text_leaves_later_texts_alone() -> None:
    definition, unit = HOSTILE["states"]
    made = grammar_of("lark", f"{definition} | /o+k/")
    for _ in range(2):
        assert made.problem("ook") is None
        assert "reasonable work" in (made.problem(unit * 1_000) or "")


def test_threads_share_a_grammar() -> None:
    made = grammar_of("lark", 'start: ("a" "b")*')
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(made.problem, ["ab" * 50, "ab" * 50 + "a"] * 100))
    assert found[::2] == [None] * 100
    assert len(set(found[1::2])) == 1


SPEC = {
    "description": "Books a month.",
    "permission": "write",
    "secrets": [],
    "input": {"grammar": "regex", "definition": "[0-9]{4}-[0-9]{2}"},
}
FREE = {**SPEC, "input": "text"}


@pytest.fixture
def without_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "llguidance", None)
    grammars._engine.cache_clear()
    yield
    grammars._engine.cache_clear()


def echo(params: Any, _: Any) -> str:
    return str(params.input)


def test_without_the_engine_a_tool_of_a_package_is_not_loaded(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    with package({"book.json": SPEC, "free.json": FREE}) as bindings:
        name = bindings["book"].module.rpartition(".")[0]
        table = {each: f".{each}:{each.upper()}" for each in ("book", "free")}
        request.getfixturevalue("without_engine")
        registry = ToolRegistry()
        for each in table:
            registry.register_later(LazyBindings(name, table), each, echo)
        assert not asyncio.run(registry.execute("book", {"input": "2024-11"})).success
        assert "pip install 'toolcast[grammars]'" in caplog.text
        assert asyncio.run(registry.execute("free", {"input": "x"})).success


def test_without_the_engine_no_text_is_accepted(request: pytest.FixtureRequest) -> None:
    with package({"book.json": SPEC}) as bindings:
        request.getfixturevalue("without_engine")
        remedy = r"pip install 'toolcast\[grammars\]'"
        registry = ToolRegistry()
        with pytest.raises(ImportError, match=f"Tool 'book' has a grammar, .*{remedy}"):
            registry.register(bindings["book"], echo)
        assert len(registry) == 0
        for text in ("2024-11", "x"):
            with pytest.raises(ImportError, match=remedy):
                bindings["book"].decode({"input": text})
            with pytest.raises(ImportError, match=remedy):
                bindings["book"].encode(bindings["book"].params(input=text))
        with pytest.raises(ArgumentError):  # what no grammar is needed for
            bindings["book"].decode({"input": 5})
