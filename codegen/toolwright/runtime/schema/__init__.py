"""The exact JSON Schema 2020-12 validator that generated code falls back on. Depends on msgspec only."""

from .compile import Schemas
from .document import Document
from .ecma import translate
from .errors import UnsupportedPattern, UnsupportedSchema, Violation
from .validator import Validator

__all__ = [
    "Document",
    "Schemas",
    "UnsupportedPattern",
    "UnsupportedSchema",
    "Validator",
    "Violation",
    "translate",
]
