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
    from .delegation import delegate
    from .disclosure import Disclosure
    from .loop import run_tools
    from .record import Budget, Record
    from .schema import Violation
    from .ways.fragments import FragmentError, Fragments
    from .ways.guesses import Guesses
    from .ways.partial import PartialArguments

__all__ = [
    "ArgumentError",
    "Budget",
    "Content",
    "Disclosure",
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
    "Record",
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
    "delegate",
    "encode_json",
    "one_of",
    "open_object",
    "run_tools",
    "to_builtins",
]


_LATE = {
    "Budget": "record",
    "Disclosure": "disclosure",
    "FragmentError": "ways.fragments",
    "Fragments": "ways.fragments",
    "Guesses": "ways.guesses",
    "PartialArguments": "ways.partial",
    "Record": "record",
    "Violation": "schema",
    "delegate": "delegation",
    "run_tools": "loop",
}


def __getattr__(name: str) -> Any:
    """What most programs load late or never."""
    home = _LATE.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
