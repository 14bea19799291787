"""The options of a run, as `run_tools` and `resume` take them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from msgspec import Struct

from ..runtime.binding import ToolBinding
from ..runtime.context import ToolContext
from ..runtime.request_rules import Cache, check_cache
from ..runtime.view import ToolView
from .answers import Answers
from .budget import Budget
from .events import Observer
from .model_calls import AroundModel
from .run_state import RunState
from .telemetry import Telemetry

if TYPE_CHECKING:
    from .text_calls import TextFormat

Adapter: TypeAlias = Callable[[ToolView], Answers]
"""Makes an adapter for the tools that it gets."""
Checkpoint: TypeAlias = Callable[[RunState], Awaitable[object] | object]
"""Stores the state of a run: plain, or async. What it raises ends the run."""

Claim: TypeAlias = Callable[[RunState], Awaitable[bool] | bool]
"""Takes a state for this process, plain or async: True where no other process has taken it. The state and
what marks it as taken must change in one step of the store."""


class RunOptions(TypedDict, total=False):
    """The options of `run_tools`, for functions that pass them on."""

    format: str | None
    text_format: "str | TextFormat | None"
    dispatcher: Adapter | None
    provider: str | None
    max_rounds: int
    budget: Budget | None
    repeats: int
    limit: int
    context: ToolContext | None
    on_event: Observer | None
    pause: bool | None
    checkpoint: Checkpoint | None
    around_model: Sequence[AroundModel]
    final: ToolBinding[Any, Any] | None
    telemetry: Telemetry | None
    cache: Cache | None


class Options(Struct, frozen=True, kw_only=True):
    """The options of one run, with their defaults.

    Raises:
        ValueError: a limit is below 1, not exactly one of `format` and `dispatcher` is set, `text_format` is
            set without "text", or `cache` is neither "last" nor None.
    """

    format: str | None = None
    text_format: "str | TextFormat | None" = None
    dispatcher: Adapter | None = None
    provider: str | None = None
    max_rounds: int = 10
    budget: Budget | None = None
    repeats: int = 3
    limit: int = 8
    context: ToolContext | None = None
    on_event: Observer | None = None
    pause: bool | None = None
    checkpoint: Checkpoint | None = None
    around_model: Sequence[AroundModel] = ()
    final: ToolBinding[Any, Any] | None = None
    telemetry: Telemetry | None = None
    cache: Cache | None = None

    def __post_init__(self) -> None:
        if (self.format is None) == (self.dispatcher is None):
            raise ValueError("Give one of format= and dispatcher=.")
        if self.text_format is not None and self.format != "text":
            raise ValueError('text_format= is for format="text".')
        if self.max_rounds < 1 or self.repeats < 1 or self.limit < 1:
            raise ValueError("max_rounds, repeats and limit must be at least 1.")
        check_cache(self.cache)
