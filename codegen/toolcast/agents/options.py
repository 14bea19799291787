"""The options of a run: their names, types and defaults."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict

from ..runtime.binding import AnyBinding
from ..runtime.context import ToolContext
from ..runtime.request_rules import Cache, check_cache
from ..runtime.view import ToolView
from .answers import Answers
from .events import Observer, Telemetry
from .model_calls import AroundModel
from .run_state import RunState
from .usage import Budget

if TYPE_CHECKING:
    from .text_calls import TextFormat

_Adapter: TypeAlias = Callable[[ToolView], Answers]
"""Makes an adapter for the tools that it gets."""
_Checkpoint: TypeAlias = Callable[[RunState], Awaitable[object] | object]
"""Stores the state of a run: plain, or async. What it raises ends the run."""

Claim: TypeAlias = Callable[[RunState], Awaitable[bool] | bool]
"""Takes a state for this process, plain or async: True where no other process has taken it. The state and
what marks it as taken must change in one step of the store."""

MAX_ROUNDS: Final = 10
REPEATS: Final = 3
LIMIT: Final = 8


class RunOptions(TypedDict, total=False):
    """The options of a run, which `run_tools`, `resume` and functions around them take as keyword arguments.

    Each is None by default, where no other default is named.

    Attributes:
        format: a wire format of `toolcast.agents.dispatch`, or "text"; or else `dispatcher`.
        text_format: for "text": the format in which the model is asked to call, is read, and gets results. By
            default it is asked in the canonical form, and read in any with marks.
        dispatcher: a function that makes an adapter of your own for the tools that it gets.
        provider: id of the provider of the definitions; by default the Disclosure's own, else the format's
            name.
        max_rounds: most answers of the model; by default 10.
        budget: most calls, seconds, tokens and cost.
        repeats: failures of the same call with the same arguments that stop the run; by default 3.
        limit: calls that run at once; by default 8.
        context: circumstances for every handler; the id and the tool of each call are filled in.
        on_event: receives every step, and what a stream adds; what it raises is logged. The run waits for an
            async one, and the provider's stream with it.
        pause: whether a call pauses the run that waits for an approval nobody here gives, or for a result
            from outside; else it is answered with that. By default it does, except inside of `delegate`.
        checkpoint: stores the state of the run, plain or async: after each answer of the model, before its
            calls are carried out, and after them. What it raises ends the run.
        around_model: hooks around each call of the model, the outermost first: async functions from a
            `ModelRequest` and `proceed` to the answer. They do not change the messages of the run. By default
            none.
        final: a tool that the model is to call for its final answer, beside `tools`. A call with valid
            arguments ends the run, after all calls of its answer; `output` of the record is its parameters.
        telemetry: what watches the run, such as `toolcast.agents.otel.agent_spans(…)`.
        cache: "last" marks in each round's definitions the last tool that is part of the prompt, so that a
            prompt cache holds all of them; nothing for providers without such a mark.
    """

    format: str | None
    text_format: "str | TextFormat | None"
    dispatcher: _Adapter | None
    provider: str | None
    max_rounds: int
    budget: Budget | None
    repeats: int
    limit: int
    context: ToolContext | None
    on_event: Observer | None
    pause: bool | None
    checkpoint: _Checkpoint | None
    around_model: Sequence[AroundModel]
    final: AnyBinding | None
    telemetry: Telemetry | None
    cache: Cache | None


def check_options(options: RunOptions) -> None:
    """Raise TypeError for an unknown option, ValueError for a limit below 1 or options that contradict."""
    for unknown in options.keys() - RunOptions.__optional_keys__:
        raise TypeError(f"A run has no option {unknown!r}.")
    if (options.get("format") is None) == (options.get("dispatcher") is None):
        raise ValueError("Give one of format= and dispatcher=.")
    if options.get("text_format") is not None and options.get("format") != "text":
        raise ValueError('text_format= is for format="text".')
    rounds, repeats = options.get("max_rounds", MAX_ROUNDS), options.get("repeats", REPEATS)
    if min(rounds, repeats, options.get("limit", LIMIT)) < 1:
        raise ValueError("max_rounds, repeats and limit must be at least 1.")
    check_cache(options.get("cache"))
