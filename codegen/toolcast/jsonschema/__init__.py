"""The exact JSON Schema 2020-12 validator that generated code falls back on. Depends on msgspec only.

Its parts are imported when asked for: most calls need none of them, and checks only `values` or `formats`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .document import Document
    from .ecma import translate
    from .errors import SearchTooLong, TooManyBranches, UnsupportedPattern, UnsupportedSchema, Violation
    from .schema_compiler import Schemas
    from .validator import Validator

__all__ = [
    "Document",
    "Schemas",
    "SearchTooLong",
    "TooManyBranches",
    "UnsupportedPattern",
    "UnsupportedSchema",
    "Validator",
    "Violation",
    "translate",
]

_HOMES = {
    "Document": "document",
    "Schemas": "schema_compiler",
    "SearchTooLong": "errors",
    "TooManyBranches": "errors",
    "UnsupportedPattern": "errors",
    "UnsupportedSchema": "errors",
    "Validator": "validator",
    "Violation": "errors",
    "translate": "ecma",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value
