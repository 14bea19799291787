"""The key `input`: what it may be, and what the tool has for parameters then."""

import pytest

from tests.spec.helper import tool

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"


def test_any_text() -> None:
    spec, found = tool(HEAD + "input: text\n")
    assert found == ()
    assert spec is not None
    assert spec.input is not None
    assert (spec.input.grammar, spec.input.as_written()) == (None, "text")
    assert spec.parameters == {
        "type": "object",
        "properties": {"input": {"type": "string", "description": "The whole argument, as one text."}},
        "required": ["input"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("syntax", ["lark", "regex"])
def test_a_grammar_is_read_to_models_by_the_description(syntax: str) -> None:
    spec, found = tool(HEAD + f"input: {{grammar: {syntax}, definition: 'start: /a/'}}\n")
    assert found == ()
    assert spec is not None
    assert spec.input is not None
    assert spec.input.as_written() == {"grammar": syntax, "definition": "start: /a/"}
    assert spec.parameters["properties"]["input"]["description"].endswith("start: /a/")


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "words"),
    [
        ("input: texts", "bad-input", 4, 8, "texts"),
        ("input: 5", "wrong-type", 4, 8, "a mapping"),
        ("input:", "wrong-type", 4, 7, "a mapping"),
        ("input: {grammar: lark}", "missing-key", 4, 8, "definition"),
        ("input: {grammar: larc, definition: a}", "bad-input", 4, 18, "larc"),
        (
            "input: {grammar: [lark], definition: a}",
            "wrong-type",
            4,
            18,
            "`grammar` must be text, not a list",
        ),
        ("input: {grammar: lark, definition: ''}", "empty-text", 4, 36, "definition"),
        ("input: {syntax: lark, definition: a}", "unknown-key", 4, 9, "syntax"),
        ("input: text\nparameters: {type: object}", "input-and-parameters", 5, 1, "parameters"),
        ("runtime_enums: {input: a}\ninput: text", "input-and-parameters", 4, 1, "runtime_enums"),
    ],
)
def test_what_it_cannot_be(text: str, code: str, line: int, column: int, words: str) -> None:
    spec, found = tool(HEAD + text + "\n")
    assert spec is None
    assert (code, line, column) in [(each.code, each.line, each.column) for each in found]
    assert any(words in each.message and each.hint for each in found if each.code == code)
