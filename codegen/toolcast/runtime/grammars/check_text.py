"""The text of a call, by the grammar of its tool."""

from typing import Any

from ...jsonschema import Violation
from ..tool import Tool
from .text_grammar import Syntax, grammar_of


def text_violations(tool: Tool[Any], text: str) -> tuple[Violation, ...]:
    """Check the text of a call.

    Args:
        tool: the tool, which keeps its grammar once it was read.
        text: the argument of the call.

    Returns:
        The violation, if there is one; none where any text is valid.
    """
    stated = tool.input
    if stated is None or isinstance(stated, str):
        return ()
    grammar = tool._lazy.grammar
    if grammar is None:
        syntax: Syntax = "lark" if stated["grammar"] == "lark" else "regex"
        grammar = tool._lazy.grammar = grammar_of(syntax, stated["definition"])
    problem = grammar.problem(text)
    return (
        ()
        if problem is None
        else (Violation("$.input", f"the text {problem}", "input", stated["definition"]),)
    )
