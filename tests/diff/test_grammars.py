"""What `toolcast diff` says of a grammar that is another one now."""

from typing import Any

from tests.diff.audience_pairs import spec
from tests.diff.test_spec_keys import changes

LIST = 'start: ITEM ("," ITEM)*\nITEM: /[a-z]+/\n'
LONGER = 'start: ITEM ("," ITEM)+\nITEM: /[a-z]+/\n'
WIDER = 'start: ITEM ("," ITEM)*\nITEM: /[a-z0-9]+/\n'


def tool(input: Any, **keys: Any) -> dict[str, Any]:
    made = spec(**keys)
    made.pop("parameters", None)
    return {**made, "input": input}


def lark(definition: str) -> dict[str, str]:
    return {"grammar": "lark", "definition": definition}


def test_a_text_that_the_new_grammar_lacks_is_the_witness() -> None:
    (change,) = changes(tool(lark(LIST)), tool(lark(LONGER)))
    assert (change.rule, change.audience) == ("grammar-narrowed", "calls")
    assert change.witness is not None
    text = change.witness.value["input"]
    assert text.isalpha()
    assert "column" in change.witness.refusal


def test_an_example_may_be_the_witness() -> None:
    old = tool({"grammar": "regex", "definition": "[a-z]*x{900}"}, examples=[{"input": "x" * 900}])
    (change,) = changes(old, tool({"grammar": "regex", "definition": "[a-z]*x{900}y?z"}))
    assert change.rule == "grammar-narrowed"


def test_what_cannot_be_decided_is_told_so() -> None:
    (change,) = changes(tool(lark(LIST)), tool(lark(WIDER)))
    assert (change.rule, change.undecided) == ("grammar-undecided", True)


def test_a_grammar_for_any_text_and_back() -> None:
    (change,) = changes(tool("text"), tool(lark(LIST)))
    assert change.rule == "grammar-narrowed"
    (change,) = changes(tool(lark(LIST)), tool("text"))
    assert change.rule == "calls-widened"
    assert changes(tool("text"), tool("text")) == []
    assert changes(tool(lark(LIST)), tool(lark(LIST))) == []


def test_a_parameter_becomes_the_whole_argument() -> None:
    parameters = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    assert changes(spec(parameters=parameters), tool("text")) == []
    assert [each.rule for each in changes(spec(parameters=parameters), tool(lark(LIST)))] == [
        "grammar-narrowed"
    ]
