"""The key `input` of a spec: a tool whose argument is one text, free or of a grammar."""

from typing import Any, Final

from ..runtime.grammars import SYNTAXES, TextInput
from .reader_problems import quoted
from .spec_checker import SpecChecker, nearest

PARAMETER: Final = "input"
"""The name of the one parameter of such a tool."""
_HINT: Final = "write `input: text`, or below `input:` both `grammar: lark` (or `regex`) and `definition:`"
OF_PARAMETERS: Final = ("parameters", "runtime_enums", "empty_is_absent", "described_by", "inject")
"""Keys that have no meaning where the argument is one text."""


def text_input(checker: SpecChecker, data: dict[str, Any]) -> TextInput | None:
    """What `input` states; the grammar itself is checked with the schemas.

    Args:
        checker: collects what is wrong.
        data: the spec, with that key.

    Returns:
        The value; None where it is none.
    """
    for key in OF_PARAMETERS:
        if key in data:
            message = f"`{key}` is about parameters, and `input` says that the argument is one text"
            checker.report((key,), "input-and-parameters", message, "remove one of the two keys", key=True)
    value = data["input"]
    if value == "text":
        return TextInput()
    if isinstance(value, str):
        checker.report(("input",), "bad-input", f"`input` cannot be {quoted(value)}", _HINT)
        return None
    entries = checker.mapping(("input",), value, _HINT)
    if entries is None:
        return None
    checker.known_keys(("input",), entries, ("grammar", "definition"), {"syntax": "grammar"})
    for key in ("grammar", "definition"):
        if key not in entries:
            checker.report(("input",), "missing-key", f"`{key}` of `input` is missing", _HINT)
    grammar = entries.get("grammar")
    if "grammar" in entries and grammar not in SYNTAXES:
        close = nearest(grammar, SYNTAXES) if isinstance(grammar, str) else None
        hint = f"did you mean `{close}`?" if close else "write `lark` or `regex`"
        checker.report(
            ("input", "grammar"), "bad-input", f"{quoted(str(grammar))} is no syntax of grammars", hint
        )
    definition = entries.get("definition")
    if "definition" in entries:
        definition = checker.text(("input", "definition"), definition)
    if grammar not in SYNTAXES or not isinstance(definition, str):
        return None
    return TextInput(grammar=grammar, definition=definition)


def text_parameters(text: TextInput) -> dict[str, Any]:
    """The parameters of a tool whose argument is one text: a closed object with that text.

    Providers without such tools get them. The grammar stands in the description, which the model reads there.
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
