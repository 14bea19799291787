"""Tools for models without tool calling: the prompt that says how to call, the parser of what comes back, and
the dispatcher that carries the calls out. docs/reference/text-calls.md lists the forms.
"""

from ...text_formats.text_format import Prompt, Response, TextFormat, known_formats
from .dispatcher import Outcome, TextDispatcher
from .format_file import FormatError, check_format, read_format
from .parse_text import TextStream, collect, parse
from .parsed_text import (
    ArgumentsPiece,
    Call,
    CallBegun,
    Discarded,
    Event,
    Parsed,
    Problem,
    Prose,
    TextAnswer,
)
from .render_text import instructions, render_call, render_results

__all__ = [
    "ArgumentsPiece",
    "Call",
    "CallBegun",
    "Discarded",
    "Event",
    "FormatError",
    "Outcome",
    "Parsed",
    "Problem",
    "Prompt",
    "Prose",
    "Response",
    "TextAnswer",
    "TextDispatcher",
    "TextFormat",
    "TextStream",
    "check_format",
    "collect",
    "instructions",
    "known_formats",
    "parse",
    "read_format",
    "render_call",
    "render_results",
]
