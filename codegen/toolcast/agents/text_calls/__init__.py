"""Tools for models without tool calling: the prompt that says how to call, the parser of what comes back, and
the dispatcher that carries the calls out. docs/reference/text-calls.md lists the forms.

Parts are imported at first use: a program that only parses needs no dispatcher.
"""

from typing import TYPE_CHECKING

from ...lazy_exports import lazy_exports

if TYPE_CHECKING:
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
    from .render_text import render_call, render_results
    from .system_prompt import instructions
    from .text_format import Prompt, Response, TextFormat, known_formats

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

__getattr__ = lazy_exports(
    __name__,
    {
        "ArgumentsPiece": ".parsed_text",
        "Call": ".parsed_text",
        "CallBegun": ".parsed_text",
        "Discarded": ".parsed_text",
        "Event": ".parsed_text",
        "FormatError": ".format_file",
        "Outcome": ".dispatcher",
        "Parsed": ".parsed_text",
        "Problem": ".parsed_text",
        "Prompt": ".text_format",
        "Prose": ".parsed_text",
        "Response": ".text_format",
        "TextAnswer": ".parsed_text",
        "TextDispatcher": ".dispatcher",
        "TextFormat": ".text_format",
        "TextStream": ".parse_text",
        "check_format": ".format_file",
        "collect": ".parse_text",
        "instructions": ".system_prompt",
        "known_formats": ".text_format",
        "parse": ".parse_text",
        "read_format": ".format_file",
        "render_call": ".render_text",
        "render_results": ".render_text",
    },
)
