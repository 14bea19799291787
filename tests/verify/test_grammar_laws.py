"""The laws of a tool whose argument is a text of a grammar, and that they can fail."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from toolcast.project.core.compiled import Options
from toolcast.providers import spec_ledger
from toolcast.runtime.grammars import check_text
from toolcast.runtime.grammars.text_grammar import grammar_of
from toolcast.verify.grammar_texts import GrammarTexts
from toolcast.verify.tool_laws import Settings, check_laws
from toolcast.verify.verify_report import ToolReport

from tests.grammars.lark_grammars import CASES, Case
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
    return check_laws(spec, {}, Options(providers=("openai", "anthropic", "mcp")), Settings(examples=40))


def laws() -> set[str]:
    return {each.law for each in report().counterexamples}


def test_they_hold() -> None:
    made = report()
    assert made.counterexamples == ()
    assert made.valid > 15
    assert made.warnings == ()


def test_a_decoder_that_takes_any_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_tool: Any, _stated: Mapping[str, str], _params: Any) -> tuple[()]:
        return ()

    monkeypatch.setattr(check_text, "text_violations", nothing)
    assert "L1" in laws()


def test_a_ledger_without_the_grammar_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcast.project.core import tool_definitions

    def without(*arguments: Any) -> tuple[Any, ...]:
        return tuple(each for each in spec_ledger(*arguments) if each.keyword != "input")

    monkeypatch.setattr(tool_definitions, "spec_ledger", without)
    assert {"L3", "L4"} <= laws()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_texts_that_a_grammar_derives_are_its_own(case: Case) -> None:
    grammar = grammar_of("lark", case.grammar)
    texts = list(GrammarTexts(grammar).made(random.Random(case.name), 30))
    assert len(texts) == 30
    assert [text for text in texts if grammar.problem(text)] == []


def test_a_grammar_without_texts_derives_none() -> None:
    grammar = grammar_of("lark", 'start: "a" start\n')
    assert list(GrammarTexts(grammar).made(random.Random(0), 5)) == []
