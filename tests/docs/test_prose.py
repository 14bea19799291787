"""Patterns of prose that need a second reading. The list is a help; people judge what reads well."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTION = re.compile(r"(?:What|Whether|That|How|Where|When|Who|Which|Why)\b")
"""A docstring begins with a verb, or with the noun of a class or a value."""
CASE = re.compile(r"\b[Aa]s for `")
"""The case of another name in place of a sentence; in lists of arguments it is short and plain."""


def docstrings(package: str) -> Iterator[tuple[str, str]]:
    """Every docstring with its place, without the modules that are generated."""
    folder = ROOT / "codegen" / package
    for path in sorted(folder.rglob("*.py")):
        if path.is_relative_to(folder / "generated"):
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text is not None:
                    line = node.body[0].lineno
                    yield f"{path.relative_to(ROOT)}:{line}", text


@pytest.mark.parametrize("package", ["toolcast", "toolcast_tools"])
def test_docstrings_begin_with_a_verb_or_a_noun(package: str) -> None:
    assert [place for place, text in docstrings(package) if QUESTION.match(text)] == []


@pytest.mark.parametrize("package", ["toolcast", "toolcast_tools"])
def test_docstrings_do_not_refer_to_the_case_of_another_name(package: str) -> None:
    assert [place for place, text in docstrings(package) if CASE.search(text.split("\n\n")[0])] == []


def test_broad_excepts_say_what_they_protect_from() -> None:
    """One that raises again only cleans up; any other names in a comment what may raise."""
    bare = re.compile(r"except (?:Base)?Exception(?: as \w+)?:$")
    silent = []
    for package in ("toolcast", "toolcast_tools"):
        folder = ROOT / "codegen" / package
        for path in sorted(folder.rglob("*.py")):
            lines = path.read_text("utf-8").splitlines()
            for node in ast.walk(ast.parse("\n".join(lines))):
                broad = isinstance(node, ast.ExceptHandler) and bare.search(lines[node.lineno - 1].strip())
                if broad and not any(isinstance(each, ast.Raise) for each in ast.walk(node)):
                    silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert silent == []
