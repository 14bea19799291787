"""The key `input` of a spec, its schema and its meaning: the argument is one text, free or of a grammar."""

from collections.abc import Mapping
from typing import Final

from ..jsonschema.json_values import JsonObject
from ..runtime.grammars import SYNTAXES, TextInput
from .spec_checker import TEXT, Names, SpecChecker, Words, closed

PARAMETER: Final = "input"
"""The name of the one parameter of such a tool."""
INPUT_WORDS: Final = {
    "": Words(
        hint="write `input: text`, or below `input:` both `grammar: lark` (or `regex`) and `definition:`",
        names=Names(synonyms={"syntax": "grammar"}),
    ),
    "grammar": Words(hint="write `lark` or `regex`"),
}
_GRAMMAR: Final = closed(
    {
        "grammar": {"enum": list(SYNTAXES), "description": "The syntax of the definition."},
        "definition": {
            **TEXT,
            "description": "The grammar in Lark's syntax, or a regular expression in Rust's.",
        },
    },
    required=("grammar", "definition"),
)
INPUT_SCHEMA: Final[JsonObject] = {
    "anyOf": [{"const": "text"}, _GRAMMAR],
    "examples": ["text", {"grammar": "regex", "definition": "[0-9]{4}-[0-9]{2}"}],
}
OF_PARAMETERS: Final = ("parameters", "runtime_enums", "empty_is_absent", "described_by", "inject")
"""Keys that have no meaning where the argument is one text."""


def text_input(checker: SpecChecker, data: Mapping[str, object], stated: object) -> TextInput | None:
    """Read the key, whose wrong parts are None; the grammar itself is checked with the schemas."""
    for key in OF_PARAMETERS:
        if key in data:
            message = f"`{key}` is about parameters, and `input` says that the argument is one text"
            checker.report((key,), "input-and-parameters", message, "remove one of the two keys", key=True)
    if not isinstance(stated, dict):
        return None if stated is None else TextInput()
    grammar, definition = stated.get("grammar"), stated.get("definition")
    return TextInput(grammar=grammar, definition=definition) if grammar and definition else None


def text_parameters(text: TextInput) -> JsonObject:
    """Return the parameters of a tool whose argument is one text: a closed object with that text. Providers
    without such tools get them. The grammar stands in the description, which the model reads there.
    """
    if text.grammar is None:
        described = "The whole argument, as one text."
    elif text.grammar == "lark":
        described = f"The whole argument, as one text of this grammar in Lark's syntax:\n\n{text.definition}"
    else:
        described = (
            "The whole argument, as one text that this regular expression (Rust's syntax) matches from its "
            f"start to its end: {text.definition}"
        )
    return {
        "type": "object",
        "properties": {PARAMETER: {"type": "string", "description": described}},
        "required": [PARAMETER],
        "additionalProperties": False,
    }
