"""The examples in the docstrings of passes are golden cases of theirs, and so are run."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import msgspec
import pytest
from toolcast.providers import passes
from toolcast.providers.node import Pass

from tests.providers.passes.golden import Case, cases_of, expected
from tests.providers.passes.single import ALL, KEYWORDS

MODULES = sorted(module.name for module in pkgutil.iter_modules(passes.__path__))
INDENT = "    "
AXIS = re.compile(r'`([a-z-]+) = ("[a-z-]+"|true|false)`')


def cases_of_module(module: ModuleType) -> Iterator[Case]:
    for each in vars(module).values():
        if isinstance(each, Pass) and ALL.get(each.name) is each:
            yield from cases_of(each.name)
    if module.__name__.endswith(f".{KEYWORDS}"):
        yield from cases_of(KEYWORDS)


def examples(docstring: str) -> list[tuple[Any, Any]]:
    """The schemas in the indented lines of a docstring: in pairs, before and after."""
    lines = "".join(line for line in docstring.splitlines() if line.startswith(INDENT))
    decoder, found = json.JSONDecoder(), list[Any]()
    at = 0
    while at < len(lines.rstrip()):
        at += len(lines[at:]) - len(lines[at:].lstrip())
        value, at = decoder.raw_decode(lines, at)
        found.append(value)
    assert len(found) % 2 == 0
    return list(zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_cases(name: str) -> None:
    module = import_module(f"{passes.__name__}.{name}")
    shown = examples(module.__doc__ or "")
    known = [(case.before, expected(case).after) for case in cases_of_module(module)]
    assert shown, "no example"
    for pair in shown:
        assert pair in known, pair


@pytest.mark.parametrize("name", MODULES)
def test_axes_have_cases(name: str) -> None:
    module = import_module(f"{passes.__name__}.{name}")
    cases = [msgspec.to_builtins(case.dialect) for case in cases_of_module(module)]
    for axis, value in AXIS.findall(module.__doc__ or ""):
        assert any(dialect[axis] == json.loads(value) for dialect in cases), (axis, value)
