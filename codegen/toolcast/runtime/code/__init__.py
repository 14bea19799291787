"""Tools for code that a model writes: its calls come out of a sandbox, and are carried out like any other."""

from ..declaration_text.names import Language
from .clients import client_source
from .protocol import CodeCall, CodeLimits, CodeRun, Ended, ErrorKind, Reader, Writer
from .server import CodeServer

__all__ = [
    "CodeCall",
    "CodeLimits",
    "CodeRun",
    "CodeServer",
    "Ended",
    "ErrorKind",
    "Language",
    "Reader",
    "Writer",
    "client_source",
]
