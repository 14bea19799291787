"""What programs import to run tools. Generated code also imports `support`. msgspec only."""

from typing import TYPE_CHECKING, Any

from .binding import ToolBinding
from .content import Content
from .context import ToolContext
from .errors import (
    ArgumentError,
    DuplicateToolError,
    EncodeError,
    FrozenRegistryError,
    MissingDataError,
    RefusalError,
    UnknownProviderError,
    UnknownToolError,
)
from .handlers import Returns
from .registry import ToolRegistry
from .result import ToolResult
from .workers import Workers, abandoned

if TYPE_CHECKING:
    from ..jsonschema import Violation
    from .wire.fragments import FragmentError, Fragments
    from .wire.guesses import Guesses
    from .wire.partial import PartialArguments

__all__ = [
    "ArgumentError",
    "Content",
    "DuplicateToolError",
    "EncodeError",
    "FragmentError",
    "Fragments",
    "FrozenRegistryError",
    "Guesses",
    "MissingDataError",
    "PartialArguments",
    "RefusalError",
    "Returns",
    "ToolBinding",
    "ToolContext",
    "ToolRegistry",
    "ToolResult",
    "UnknownProviderError",
    "UnknownToolError",
    "Violation",
    "Workers",
    "abandoned",
]


_LATE = {
    "FragmentError": ".wire.fragments",
    "Fragments": ".wire.fragments",
    "Guesses": ".wire.guesses",
    "PartialArguments": ".wire.partial",
    "Violation": "..jsonschema",
}


def __getattr__(name: str) -> Any:
    """What most programs load late or never."""
    home = _LATE.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home, __name__), name)
