"""The text of a call, by the grammar of its tool."""

from collections.abc import Mapping
from typing import Any

from ...jsonschema import Violation
from ..tool import Tool
from .text_grammar import grammar_of
from .text_input import GrammarSyntax


def text_violations(tool: Tool[Any], stated: Mapping[str, str], text: str) -> tuple[Violation, ...]:
    """Check the text of a call.

    Args:
        tool: the tool, which keeps its grammar once it was read.
        stated: the grammar, as its `input` has it.
        text: the argument of the call.

    Returns:
        The violation, if there is one.
    """
    grammar = tool._lazy.grammar
    if grammar is None:
        syntax: GrammarSyntax = "lark" if stated["grammar"] == "lark" else "regex"
        grammar = tool._lazy.grammar = grammar_of(syntax, stated["definition"])
    problem = grammar.problem(text)
    if problem is None:
        return ()
    return (Violation("$.input", f"the text {problem}", "input", stated["definition"]),)
