"""What generated code imports. msgspec and the standard library, nothing else."""

from typing import TYPE_CHECKING, Any

from .binding import Level, ToolBinding
from .bindings_map import LazyBindings
from .checked import checked, decode_hook, one_of, open_object
from .checks import (
    check_bounds,
    check_format,
    check_member,
    check_multiple_of,
    check_properties,
    check_unique,
)
from .context import ToolContext
from .encode import encode_json, to_builtins
from .errors import (
    ArgumentError,
    DuplicateToolError,
    EncodeError,
    FrozenRegistryError,
    MissingDataError,
    UnknownProviderError,
    UnknownToolError,
)
from .handlers import Returns
from .registry import ToolRegistry
from .result import ToolResult

if TYPE_CHECKING:
    from .schema import Violation
    from .ways.guesses import Guesses

__all__ = [
    "ArgumentError",
    "DuplicateToolError",
    "EncodeError",
    "FrozenRegistryError",
    "Guesses",
    "LazyBindings",
    "Level",
    "MissingDataError",
    "Returns",
    "ToolBinding",
    "ToolContext",
    "ToolRegistry",
    "ToolResult",
    "UnknownProviderError",
    "UnknownToolError",
    "Violation",
    "check_bounds",
    "check_format",
    "check_member",
    "check_multiple_of",
    "check_properties",
    "check_unique",
    "checked",
    "decode_hook",
    "encode_json",
    "one_of",
    "open_object",
    "to_builtins",
]


def __getattr__(name: str) -> Any:
    """What most programs load late or never."""
    if name == "Violation":
        from .schema import Violation

        return Violation
    if name == "Guesses":
        from .ways.guesses import Guesses

        return Guesses
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
