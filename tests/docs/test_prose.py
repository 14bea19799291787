"""Patterns of prose that need a second reading. The list is a help; people judge what reads well."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("toolcast", "toolcast_tools")
QUESTION = re.compile(r"(?:What|Whether|That|How|Where|When|Who|Which|Why)\b")
"""A docstring begins with a verb, or with the noun of a class or a value."""
BROAD = re.compile(r"except (?:Base)?Exception(?: as \w+)?:$")
CASE = re.compile(r"\b[Aa]s for `")
"""The case of another name in place of a sentence; in lists of arguments it is short and plain."""


class Read(NamedTuple):
    """Places in all modules of both packages, each read once."""

    docstrings: list[tuple[str, str]]
    """Every docstring, without those of modules that are generated."""
    silent: list[str]
    """Handlers of any exception that neither raise again nor say in a comment what they protect from."""


@pytest.fixture(scope="module")
def read() -> Read:
    found = Read([], [])
    for path in sorted(path for name in PACKAGES for path in (ROOT / "codegen" / name).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        text = path.read_text("utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                if "toolcast_tools/generated/" not in place and (said := ast.get_docstring(node)):
                    found.docstrings.append((f"{place}:{node.body[0].lineno}", said))
            elif isinstance(node, ast.ExceptHandler) and BROAD.search(lines[node.lineno - 1].strip()):
                raises = any(isinstance(each, ast.Raise) for each in ast.walk(node))
                found.silent.extend([] if raises else [f"{place}:{node.lineno}"])
    return found


def test_docstrings_begin_with_a_verb_or_a_noun(read: Read) -> None:
    assert [place for place, text in read.docstrings if QUESTION.match(text)] == []


def test_docstrings_do_not_refer_to_the_case_of_another_name(read: Read) -> None:
    assert [place for place, text in read.docstrings if CASE.search(text.split("\n\n")[0])] == []


def test_broad_excepts_say_what_they_protect_from(read: Read) -> None:
    """One that raises again only cleans up; any other names in a comment what may raise."""
    assert read.silent == []
