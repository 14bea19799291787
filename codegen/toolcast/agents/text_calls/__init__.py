"""Tools for models without tool calling: the prompt that says how to call, the parser of what comes back,
and the dispatcher that carries the calls out. docs/text-calls.md lists the forms."""

from .dispatcher import Outcome, TextDispatcher
from .instructions import instructions
from .parse_text import parse
from .parsed_text import Call, Parsed, Problem
from .render_text import render_call, render_results

__all__ = [
    "Call",
    "Outcome",
    "Parsed",
    "Problem",
    "TextDispatcher",
    "instructions",
    "parse",
    "render_call",
    "render_results",
]
