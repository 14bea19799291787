"""Mistakes that people make: the code, the place, and words that help."""

import pytest

from tests.spec.helper import places, read, refuse

YAML = [
    ("a: b: c", "syntax", 1, 5, "makes a key"),
    ("a: 1\n\tb: 2", "syntax", 2, 1, "tab"),
    ("a: @x", "syntax", 1, 4, "`@` without quotes"),
    ("a: `x`", "syntax", 1, 4, "without quotes"),
    ("pattern: *.py", "syntax", 1, 10, "alias"),
    ("a: [1, 2\nb: 3", "syntax", 1, 4, "not closed"),
    ("a: {b: 1\nc: 3", "syntax", 1, 4, "not closed"),
    ("a: 'x\nb: 1", "syntax", 1, 4, "never closed"),
    ('a: "\\d"', "syntax", 1, 5, "escape does not exist"),
    ('a: "\\xZZ"', "syntax", 1, 7, "hexadecimal"),
    ("a: 1\n  b: 2", "syntax", 2, 4, "makes a key"),
    ("a:\n  - 1\n  b: 2", "syntax", 3, 3, "line up with the list"),
    ("a: 1\nb\nc: 2", "syntax", 2, 1, "`:` is missing"),
    ("a: !x!y 1", "syntax", 1, 4, "tag"),
    ("a: [1,,2]", "syntax", 1, 7, "value was expected"),
    ("a: [", "syntax", 1, 5, "before a `[`"),
    ("a: - 1", "syntax", 1, 4, "list item"),
    ("%YAML 2.0\n---\na: 1", "syntax", 1, 1, "version"),
    ("%YAML 1.1\n---\na: 1", "yaml-version", 1, 1, "YAML 1.1"),
    ("", "empty-document", 1, 1, "nothing"),
    ("# only a comment\n", "empty-document", 1, 1, "nothing"),
    ("a: 1\n---\nb: 2", "several-documents", 2, 1, "second document"),
    ("a: 1\nb: 2\na: 3", "duplicate-key", 3, 1, "line 1, column 1"),
    ("'a': {x: 1, \"x\": 2}", "duplicate-key", 1, 13, "line 1, column 7"),
    ("1: a", "key-not-text", 1, 1, "`1` cannot be a key"),
    ("a: {true: 1}", "key-not-text", 1, 5, "not text"),
    ("~: 1", "key-not-text", 1, 1, "null"),
    ("? [a]\n: 1", "key-not-text", 1, 3, "not text"),
    (
        "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> main\n",
        "merge-conflict",
        2,
        1,
        "git's conflict marker",
    ),
    ("a: |-\n  x\n>>>>>>> main\n", "merge-conflict", 3, 1, "git's conflict marker"),
    ("a: &x {b: 1}\nc:\n  <<: *x", "merge-key", 3, 3, "merge key"),
]

JSON = [
    ("", "empty-document", 1, 1, "empty"),
    (" \n", "empty-document", 2, 1, "empty"),
    ('{"a": 1,\n "a": 2}', "duplicate-key", 2, 2, "line 1, column 2"),
    ('{"a": 1,}', "syntax", 1, 8, "before the closing"),
    ("[1,]", "syntax", 1, 3, "before the closing"),
    ("[1 2]", "syntax", 1, 4, "missing before `2`"),
    ('{"a" 1}', "syntax", 1, 6, "`:` is missing"),
    ("{a: 1}", "syntax", 1, 2, "double quotes"),
    ("{'a': 1}", "syntax", 1, 2, "single quotes"),
    ("{,}", "syntax", 1, 2, "key was expected"),
    ("['a']", "syntax", 1, 2, "single quotes"),
    ('{\n"a": [1', "syntax", 2, 6, "never closed"),
    ('{"a": 1', "syntax", 1, 1, "never closed"),
    ('{"a": ', "syntax", 1, 7, "ends where a value"),
    ('["a\nb"]', "syntax", 1, 2, "not closed"),
    ('["\\d"]', "syntax", 1, 3, "`\\d` is not a whole JSON escape"),
    ('["\\u12"]', "syntax", 1, 3, "escape"),
    ('["\t"]', "control-character", 1, 3, "U+0009"),
    ("[1] x", "syntax", 1, 5, "goes on"),
    ("// c\n1", "syntax", 1, 1, "comments"),
    ("[1, # c\n2]", "syntax", 1, 5, "comments"),
    ("[True]", "syntax", 1, 2, "`True` is not a JSON value"),
    ("[None]", "syntax", 1, 2, "`None`"),
    ("[nullx]", "syntax", 1, 2, "`nullx`"),
    ("[NaN]", "not-a-json-number", 1, 2, "NaN"),
    ("[-Infinity]", "not-a-json-number", 1, 2, "Infinity"),
    ("[01]", "syntax", 1, 2, "`01` is not a JSON number"),
    ("[+1]", "syntax", 1, 2, "`+1`"),
    ("[1.]", "syntax", 1, 2, "`1.`"),
    ("[.5]", "syntax", 1, 2, "`.5`"),
    ("[0x1F]", "syntax", 1, 2, "`0x1F`"),
    ("[1e400]", "number-out-of-range", 1, 2, "too large"),
    ("[1e-400]", "number-out-of-range", 1, 2, "too small"),
    ("[" + "9" * 5000 + "]", "number-out-of-range", 1, 2, "too long"),
    ("[}", "syntax", 1, 2, "value was expected"),
    ('{\r\n<<<<<<< HEAD\r\n"a": 1\r\n=======\r\n', "merge-conflict", 2, 1, "git's conflict marker"),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "words"), YAML)
def test_yaml(text: str, code: str, line: int, column: int, words: str) -> None:
    [found] = refuse(text)
    assert (found.code, found.line, found.column) == (code, line, column)
    assert words in found.message
    assert found.hint


@pytest.mark.parametrize(("text", "code", "line", "column", "words"), JSON)
def test_json(text: str, code: str, line: int, column: int, words: str) -> None:
    [found] = refuse(text, "json")
    assert (found.code, found.line, found.column) == (code, line, column)
    assert words in found.message
    assert found.hint


def test_a_text_that_looks_like_a_conflict_is_none() -> None:
    read("a: |-\n  <<<<<<< HEAD\n  =======\n")
    assert places(refuse("a: '\n>>>>>>> x'\nb: 1\nb: 2")) == [("duplicate-key", 4, 1)]


def test_every_problem_of_a_file() -> None:
    text = "a: .inf\nb: !x 1\na: 2\n3: c\nd: *e\n"
    assert places(refuse(text)) == [
        ("not-a-json-number", 1, 4),
        ("unknown-tag", 2, 4),
        ("duplicate-key", 3, 1),
        ("key-not-text", 4, 1),
        ("unknown-alias", 5, 4),
    ]
    assert places(refuse('{"a": 1e999,\n"a": "\\ud800",\n"b": NaN}', "json")) == [
        ("number-out-of-range", 1, 7),
        ("duplicate-key", 2, 1),
        ("lone-surrogate", 2, 7),
        ("not-a-json-number", 3, 6),
    ]
