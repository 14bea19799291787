"""For those who call: parameters that the program begins or ceases to fill in."""

from typing import Any

import pytest
from toolcast.analysis.diff.audiences.code import code
from toolcast.analysis.diff.audiences.contracts import calls
from toolcast.analysis.diff.audiences.definitions import sent_pairs
from toolcast.analysis.diff.pairs import make_pairs
from toolcast.analysis.diff.rules import RULES, Change
from toolcast.providers import load_profile

from tests.diff.audience_pairs import context, pair, properties, spec

CLOSED = properties("id", "text", id={"type": "integer"}, text={"type": "string"})
OPEN = {key: value for key, value in CLOSED.items() if key != "additionalProperties"}
ID = {"id": "context.id"}
PLAIN = properties("text", text={"type": "string"})


def changes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Change]:
    compared = pair(old, new)
    (remade,) = make_pairs(context([compared]).old, context([compared]).new).pairs
    return {each.rule: each for each in calls(remade, context([compared]))}


@pytest.mark.parametrize("parameters", [CLOSED, OPEN])
def test_a_call_that_sets_what_is_injected_now_is_refused(parameters: Any) -> None:
    found = changes(spec(parameters=parameters), spec(parameters=parameters, inject=ID))
    assert found.keys() == {"parameter-removed", "calls-widened"} or found.keys() == {"parameter-removed"}
    witness = found["parameter-removed"].witness
    assert witness is not None
    assert "id" in witness.value
    assert "`id` is filled in by the program" in witness.refusal


@pytest.mark.parametrize("parameters", [CLOSED, OPEN])
def test_what_models_have_to_send_now_breaks_calls(parameters: Any) -> None:
    found = changes(spec(parameters=parameters, inject=ID), spec(parameters=parameters))
    assert found["parameter-required"].witness is not None
    assert "id" not in found["parameter-required"].witness.value


def test_a_new_parameter_that_is_injected_breaks_no_call() -> None:
    found = changes(spec(parameters=PLAIN), spec(parameters=CLOSED, inject=ID))
    assert [each for each in found if RULES[each].level == "error"] == []


def test_code_that_takes_the_struct_sees_no_change() -> None:
    compared = pair(spec(parameters=CLOSED), spec(parameters=CLOSED, inject=ID))
    assert code(compared, context([compared])) == ()


def test_models_read_another_definition() -> None:
    compared = pair(spec(parameters=CLOSED), spec(parameters=CLOSED, inject=ID))
    (sent,) = sent_pairs([compared], [load_profile("openai")])
    assert sent.differing() == ("openai",)
    assert sent.new is not None
    assert b'"id"' not in sent.new.definitions["openai"]


def test_another_path_is_the_same_to_models() -> None:
    compared = pair(spec(parameters=CLOSED, inject=ID), spec(parameters=CLOSED, inject={"id": "context.x"}))
    assert calls(compared, context([compared])) == ()
    (sent,) = sent_pairs([compared], [load_profile("openai")])
    assert sent.differing() == ()
