"""A tool whose argument is one text: JavaScript decides by its regular expression as decoding does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.languages.typescript.text_grammars import grammar_table
from toolcast.runtime import ArgumentError
from toolcast.runtime.grammars import MAX_TEXT, TextInput, grammar_of

from tests.python.compiled import package as python_package

from .projects import package
from .tools import run_node
from .validators import Judge, judging

SCHEMA = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
EXPRESSIONS = (
    "", "a", "[0-9]{4}-[0-9]{2}", "(a|b)*c", "(a+)+", "a?b?c?", ".*", "(?s).*", r"\d+(\.\d+)?", r"[^\n\"]+",
    r"\w+", "(?i)select .+", r"[\x00-\x1f]", "[[:punct:]]{1,3}", "é|😀", "[a-z&]|~", r"\s*x", "(ab|a)(bc|c)",
    r"\.\^\$", "a*?b", "a+?", "(a{2}?)+b", "a**", "a{0}b", "[]a]", "[^]a]", "[a-]", "[-a]", r"[^\w]",
    r"[\d.]+", "(?i)ks", "(?i:a)B", "(?i-s:a.)", "(?s:.)b", "(?s)a(?-s:.).", "(?P<x>a)b", "(?<x>a)b",
    "(?i:a|(?-i)b|c)x",
    "[[:alpha:]_]+", "[[:^digit:]]", r"\pL", r"\p{Lu}\PL", r"\x41", r"\x{42}", "\\u00e9", r"\u{e9}",
    r"\U0001F600",
    r"\t\n\r\f\v\a", r"\.\*\/\ \-\_", "^a$", "^(a|b)$", r"\Aab\z", "a|^b", "(a*)*b", "()", "}", "]", "[é-ü]",
    r"(?i)\w\d", "a/b", r"\\/", "[a\nb]+",
)  # fmt: skip
ALPHABET = 'abcx019.-^$~& \n\t"é😀\u2028\x00[]SELECTselect/\\\u212a\u017fkü'


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with judging() as found:
        yield found


def told(judge: Judge, expression: str, texts: list[str]) -> list[str | None]:
    options = {"grammar": grammar_table(TextInput(grammar="regex", definition=expression))}
    found = judge.ask("violations", SCHEMA, [{"input": text} for text in texts], options=options)
    assert {(path, keyword) for each in found for path, _, keyword in each} <= {("$.input", "input")}
    return [each[0][1].removeprefix("the text ") if each else None for each in found]


def places(problems: list[str | None]) -> list[str | None]:
    """The problems up to what was expected, which the engine says of bytes and JavaScript of characters."""
    return [None if each is None else each.partition(": expected")[0] for each in problems]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@given(texts=st.lists(st.text(ALPHABET, max_size=40), min_size=1, max_size=20))
def test_it_says_what_decoding_says(judge: Judge, expression: str, texts: list[str]) -> None:
    grammar = grammar_of("regex", expression)
    texts = ["", "2024-13", "abc", "1.5", "select\n1", *texts]
    assert places(told(judge, expression, texts)) == places([grammar.problem(text) for text in texts])


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("(a+)+", "a" * 200_000 + "!"),
        ("(a|aa)*", "a" * 100_000),
        ("(.{1,60}x)*", "axb" * 30_000),
        (".*", "x" * MAX_TEXT),
        (".*", "é" * (MAX_TEXT // 2) + "x"),
    ],
)
def test_long_texts(judge: Judge, expression: str, text: str) -> None:
    assert places(told(judge, expression, [text])) == places([grammar_of("regex", expression).problem(text)])


@pytest.mark.parametrize(
    "expression",
    [
        "[a&&b]",
        "[a--b]",
        "[a[b]]",
        "[[:foo:]]",
        r"\p{Greek}",
        "(?x)a b",
        "(?U)a*",
        "(?i)é",
        "(?i)[[:^digit:]]",
    ],
)
def test_what_has_no_automaton_is_not_checked(expression: str) -> None:
    grammar_of("regex", expression)
    assert grammar_table(TextInput(grammar="regex", definition=expression)) is None


def test_a_generated_tool_refuses_what_its_grammar_lacks(tmp_path: Path) -> None:
    tool: dict[str, Any] = {
        "description": "Books a month.",
        "permission": "write",
        "secrets": [],
        "input": {"grammar": "regex", "definition": "[0-9]{4}-[0-9]{2}"},
    }
    folder = package(tmp_path, {"book.json": tool})
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        'import { book } from "./typescript/index.js";\n'
        "const { parameters } = book;\n"
        'const given = [{ input: "2024-1" }, { input: 1 }, {}, { input: "2024-11" }];\n'
        "console.log(JSON.stringify(given.map((value) => parameters.violations(value))));\n"
        'const { input } = parameters.parseText(\'{"input": "2024-11"}\');\n'
        'console.log(parameters.accepts({ input: "x" }), input);\n'
    )
    first, second = run_node(probe).splitlines()
    assert second == "false 2024-11"
    *refused, accepted = json.loads(first)
    assert accepted == []
    with python_package({"book.json": tool}) as bindings:
        for sent, theirs in zip(({"input": "2024-1"}, {"input": 1}, {}), refused, strict=True):
            with pytest.raises(ArgumentError) as refusal:
                bindings["book"].decode(sent)
            ours = [(each.path, each.message, each.keyword) for each in refusal.value.violations]
            assert [(each["path"], each["message"], each["keyword"]) for each in theirs] == ours
    assert folder.is_dir()
