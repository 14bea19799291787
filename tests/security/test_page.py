"""docs/explanation/security.md names a test for each promise, and each attack for some promise."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "security.md"
HEAD = "| promise | tests |"


class Promise(Struct, frozen=True):
    """One row of a table of the page.

    Attributes:
        text: what is promised.
        modules: the modules that its section names, in which its tests are.
        tests: names of tests.
    """

    text: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


def promises(page: str) -> Iterator[Promise]:
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        modules = tuple(re.findall(r"`(tests/[\w/]+\.py)`", section.partition(HEAD)[0]))
        for line in section.partition(HEAD)[2].splitlines()[2:]:
            if line.startswith("|"):
                text, tests = line.strip("| ").rsplit(" | ", 1)
                yield Promise(text, modules, tuple(re.findall(r"`(test_\w+)`", tests)))


@cache
def attacks_in(module: str) -> frozenset[str]:
    return frozenset(
        node.name
        for node in ast.parse((ROOT / module).read_bytes()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


def attacks() -> set[tuple[str, str]]:
    """The tests that are attacks, by where they stand: each with its module."""
    tests = ROOT / "tests"
    found = {*tests.rglob("test_attacks.py"), *(tests / "security").glob("test_*.py")} - {Path(__file__)}
    modules = [path.relative_to(ROOT).as_posix() for path in found]
    return {(module, test) for module in modules for test in attacks_in(module)}


PROMISES = tuple(promises(PAGE.read_text("utf-8")))


def test_every_promise_has_tests_that_exist() -> None:
    assert len(PROMISES) > 50
    assert [each.text for each in PROMISES if not each.tests] == []
    missing = [
        (each.text, test)
        for each in PROMISES
        for test in each.tests
        if not any(test in attacks_in(module) for module in each.modules)
    ]
    assert missing == [], "docs/explanation/security.md names tests that no module of their section has"


def test_every_module_that_a_section_names_has_a_test_in_it() -> None:
    unused = {
        module
        for each in PROMISES
        for module in each.modules
        if not any(
            test in attacks_in(module)
            for other in PROMISES
            if other.modules == each.modules
            for test in other.tests
        )
    }
    assert unused == set()


def test_every_attack_stands_for_a_promise() -> None:
    named = {(module, test) for each in PROMISES for module in each.modules for test in each.tests}
    missing = sorted(attacks() - named)
    assert missing == [], "name these tests in docs/explanation/security.md, with what they show"


def test_every_promise_is_made_once() -> None:
    texts = [(each.modules, each.text) for each in PROMISES]
    assert len(texts) == len({*texts})
    for each in PROMISES:
        assert len(each.tests) == len({*each.tests})
