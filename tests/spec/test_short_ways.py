"""What reading YAML leaves out for quoted scalars and plain keys says what the long way says."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolcast.spec import yaml12
from toolcast.spec.problems import Problem, RefusedError

PIECES = st.sampled_from(
    [
        *(
            "a",
            "key",
            "true",
            "null",
            "Null",
            "~",
            "yes",
            "no",
            "<<",
            "=",
            "1",
            "-1",
            "+1",
            "0x1f",
            "0o7",
            "1e3",
        ),
        *(
            ".5",
            "1.",
            ".inf",
            "-.INF",
            ".nan",
            "-",
            "--",
            "+",
            ".",
            "..",
            "1_000",
            "2001-01-01",
            "1:30",
            "012",
        ),
        *(
            '"a"',
            "'a'",
            '""',
            "''",
            '"1"',
            "'null'",
            '"<<"',
            '"\\u0041\\n"',
            "'it''s'",
            '"a\n  b"',
            '"\\x85"',
        ),
        *(
            "|\n  a\n",
            ">-\n  a\n  b\n",
            "|2+\n   a\n\n",
            "!!str 1",
            "!!int '1'",
            "!!float 1",
            "!!null ''",
            "! 1",
        ),
        *("!x a", "&a 1", "&a x", "*a", "*b", '&b "x"', "[1, 'a', b]", "{a: 1, 'b': 2, ? c}", "[]", "{}"),
        *(
            "é",
            "\u2028",
            "\x85",
            "\ufeff",
            "😀",
            "",
            " ",
            "#c",
            "a b",
            "a#b",
            "a: b",
            "- a",
            "? a",
            "%a",
            "@a",
            "`a",
        ),
    ]
)
LINES = st.tuples(
    st.sampled_from(["", "- ", "  "]), PIECES, st.sampled_from([": ", ":\n  ", " : ", ":", " "]), PIECES
)
TEXTS = st.lists(LINES.map("".join), min_size=1, max_size=6).map("\n".join)


def short(text: str) -> tuple[Any, list[Problem]]:
    return yaml12.parse_yaml(text)


def long(text: str) -> tuple[Any, list[Problem]]:
    """As if every scalar might be anything."""
    problems: list[Problem] = []
    try:
        reader = yaml12._Reader(text, problems)
        reader._literal = False
        return reader.document(), problems
    except RefusedError as error:
        return None, [*problems, error.problem]


@settings(max_examples=600, deadline=None)
@given(TEXTS | st.text(max_size=12))
@example(": 1\n")
@example("? \n: 1\n")
@example("a: 1\n'a': 2\n")
@example('"<<": {a: 1}\n<<: {b: 2}\n')
@example("&k a: 1\n*k : 2\n")
@example("'': 1\n~: 2\n")
def test_scalars_and_keys(text: str) -> None:
    found, meant = short(text), long(text)
    assert repr(found[0]) == repr(meant[0])
    assert found[1] == meant[1]


@pytest.mark.parametrize("most", range(8))
@pytest.mark.parametrize(
    "text", ["{a: 1, 'b': 2, c: [3, d]}", "a:\n  b:\n    'c': x\n'd': [e]", "[a, {'b': c}]"]
)
def test_the_most_values_are_the_same(monkeypatch: pytest.MonkeyPatch, text: str, most: int) -> None:
    monkeypatch.setattr(yaml12, "MAX_VALUES", most)
    assert short(text) == long(text)
