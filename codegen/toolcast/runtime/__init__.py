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
    check_pattern,
    check_properties,
    check_unique,
)
from .content import Content
from .context import ToolContext
from .encode import encode_json, to_builtins
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
    "LazyBindings",
    "Level",
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
    "check_bounds",
    "check_format",
    "check_member",
    "check_multiple_of",
    "check_pattern",
    "check_properties",
    "check_unique",
    "checked",
    "decode_hook",
    "encode_json",
    "one_of",
    "open_object",
    "to_builtins",
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
