"""The grammar of a tool whose argument is one text, as data for the check in JavaScript."""

from typing import Any

from ..runtime.grammars.text_grammar import grammar_of
from ..runtime.grammars.text_input import TextInput


def grammar_table(text: TextInput) -> dict[str, Any] | None:
    """A regular expression as an automaton.

    Args:
        text: what the spec states, with a grammar that was checked.

    Returns:
        The members of `Grammar` in `support/text_grammar.js`; None for a grammar in Lark's syntax, which
        no automaton decides.
    """
    if text.grammar != "regex":
        return None
    (terminal,) = grammar_of("regex", text.definition).productions.terminals
    starts, kinds = terminal.alphabet.ranges()
    return {
        "definition": text.definition,
        "empty": terminal.empty,
        "starts": starts,
        "kinds": kinds,
        "accepted": [sorted(each) for each in terminal.accepted],
        "follow": [list(each) for each in terminal.follow],
        "ends": sorted(terminal.ends),
    }
