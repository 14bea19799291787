"""Unions of generated modules make msgspec touch no memory but its own; `make native-unions` tries more."""

import sys
from pathlib import Path

import pytest

from bench.unions.processes import events
from bench.unions.writing import CASES
from tests.python.compiled import source


@pytest.mark.parametrize(
    ("forms", "step"),
    [
        pytest.param("types", 1, marks=pytest.mark.thorough),
        pytest.param("anyOf", 3, marks=pytest.mark.thorough),
        ("references", 10),
    ],
)
def test_compiled_unions_neither_kill_a_process_nor_judge_otherwise_than_the_schema(
    tmp_path: Path, forms: str, step: int
) -> None:
    """In processes of their own, under CPython's and glibc's checks of memory."""
    compiled = events(sys.executable, "writing", [str(tmp_path), "2", str(step), forms])
    assert list(compiled) == []
    assert len(list((tmp_path / CASES).iterdir())) > 30
    assert list(events(sys.executable, "decoding", [str(tmp_path)])) == []


def test_an_enum_of_several_kinds_is_one_literal_for_each() -> None:
    """`msgspec.inspect`, before 0.22, fails at a Literal whose values Python cannot sort."""
    text = source(
        {"type": "object", "required": ["x"], "properties": {"x": {"enum": ["a", 1, None, "b", 2]}}}
    )
    assert '    x: Literal["a", "b"] | Literal[1, 2] | None\n' in text
