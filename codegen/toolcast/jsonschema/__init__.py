"""The exact JSON Schema 2020-12 validator that generated code falls back on. Depends on msgspec only.

Names are imported on first use: most calls need none of them.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports

if TYPE_CHECKING:
    from .document import Document
    from .ecma import translate
    from .schema_compiler import Schemas
    from .validator import Validator
    from .validator_errors import (
        SearchTooLong,
        TooManyBranches,
        UnsupportedPattern,
        UnsupportedSchema,
        Violation,
    )

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

__getattr__ = lazy_exports(
    __name__,
    {
        "Document": ".document",
        "Schemas": ".schema_compiler",
        "SearchTooLong": ".validator_errors",
        "TooManyBranches": ".validator_errors",
        "UnsupportedPattern": ".validator_errors",
        "UnsupportedSchema": ".validator_errors",
        "Validator": ".validator",
        "Violation": ".validator_errors",
        "translate": ".ecma",
    },
)
