"""The laws of a tool whose argument is a text of a grammar, and that they can fail."""

from collections.abc import Mapping
from typing import Any

import pytest
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.analysis.verify.verified_tool import ToolReport
from toolcast.project.core.compiled import Options
from toolcast.providers import spec_ledger
from toolcast.runtime import grammars

from tests.spec.helper import tool

SPEC = """\
name: calculate
description: Computes the value of an arithmetic expression.
permission: read
secrets: []
input:
  grammar: lark
  definition: |
    start: NUMBER ("+" NUMBER)*
    %import common.NUMBER
"""


def report() -> ToolReport:
    spec, found = tool(SPEC, "calculate.yaml")
    assert spec is not None, found
    return check_laws(spec, {}, Options(providers=("openai", "anthropic", "mcp")), Effort(examples=40))


def laws() -> set[str]:
    return {each.law for each in report().counterexamples}


def test_they_hold() -> None:
    made = report()
    assert made.counterexamples == ()
    assert made.valid > 15
    assert made.warnings == ()


def test_a_decoder_that_takes_any_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_stated: Mapping[str, str], _text: str) -> tuple[()]:
        return ()

    monkeypatch.setattr(grammars, "text_violations", nothing)
    assert "L1" in laws()


def test_a_ledger_without_the_grammar_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcast.project.core import tool_definitions

    def without(*arguments: Any) -> tuple[Any, ...]:
        return tuple(each for each in spec_ledger(*arguments) if each.keyword != "input")

    monkeypatch.setattr(tool_definitions, "spec_ledger", without)
    assert {"L3", "L4"} <= laws()
