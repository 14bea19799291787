"""Native tool calling: calls out of a provider's answer, and results back as its next messages.

Nothing here imports a provider's client; its objects are read by attribute or key.
"""

from ...runtime.result import Content
from .answer_facts import AnswerEnd, read_container, read_end, read_usage
from .assembler import Assembler
from .call import ArgumentsPiece, Call, CallBegun, Discarded, DispatchError, Piece, TextPiece, ThinkingPiece
from .dispatcher import Dispatcher
from .history import assistant_messages
from .parse_answer import parse
from .render_results import render
from .wire_formats import FORMATS

__all__ = [
    "FORMATS",
    "AnswerEnd",
    "ArgumentsPiece",
    "Assembler",
    "Call",
    "CallBegun",
    "Content",
    "Discarded",
    "DispatchError",
    "Dispatcher",
    "Piece",
    "TextPiece",
    "ThinkingPiece",
    "assistant_messages",
    "parse",
    "read_container",
    "read_end",
    "read_usage",
    "render",
]
