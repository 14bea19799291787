"""The runtime of tools, for programs. Generated code also imports `support`. Needs msgspec only."""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports
from .binding import ToolBinding
from .context import Framework, Principal, ToolContext
from .errors import (
    ArgumentError,
    CallDeferred,
    DuplicateToolError,
    EncodeError,
    FrozenRegistryError,
    InjectionError,
    MissingDataError,
    RefusalError,
    RetryError,
    UnknownProviderError,
    UnknownToolError,
)
from .failure_results import ArgumentHint, RetryHint
from .handlers import Returns
from .registry import ToolRegistry
from .result import Content, ToolResult
from .workers import Workers, abandoned

if TYPE_CHECKING:
    from ..jsonschema.validator_errors import Violation
    from .functions.adapt import AdaptError, adapt
    from .questions import ElicitationRequest, Elicited, Message, Root, Sampled, SamplingRequest
    from .repairs.repair import Repair
    from .wire.fragments import FragmentError, Fragments, PartialArguments
    from .wire.guesses import Guesses, RecordedGuesses

__all__ = [
    "AdaptError",
    "ArgumentError",
    "ArgumentHint",
    "CallDeferred",
    "Content",
    "DuplicateToolError",
    "ElicitationRequest",
    "Elicited",
    "EncodeError",
    "FragmentError",
    "Fragments",
    "Framework",
    "FrozenRegistryError",
    "Guesses",
    "InjectionError",
    "Message",
    "MissingDataError",
    "PartialArguments",
    "Principal",
    "RecordedGuesses",
    "RefusalError",
    "Repair",
    "RetryError",
    "RetryHint",
    "Returns",
    "Root",
    "Sampled",
    "SamplingRequest",
    "ToolBinding",
    "ToolContext",
    "ToolRegistry",
    "ToolResult",
    "UnknownProviderError",
    "UnknownToolError",
    "Violation",
    "Workers",
    "abandoned",
    "adapt",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "AdaptError": ".functions.adapt",
        "ElicitationRequest": ".questions",
        "Elicited": ".questions",
        "FragmentError": ".wire.fragments",
        "Fragments": ".wire.fragments",
        "Guesses": ".wire.guesses",
        "Message": ".questions",
        "PartialArguments": ".wire.fragments",
        "RecordedGuesses": ".wire.guesses",
        "Repair": ".repairs.repair",
        "Root": ".questions",
        "Sampled": ".questions",
        "SamplingRequest": ".questions",
        "Violation": "..jsonschema.validator_errors",
        "adapt": ".functions.adapt",
    },
)
