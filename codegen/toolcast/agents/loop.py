"""The loop of an agent: ask the model, carry out what it calls, answer, ask again.

The model is any async callable, or one that streams; no provider's client is imported.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..runtime.binding import ToolBinding
from ..runtime.context import ToolContext
from ..runtime.request_rules import Cache
from ..runtime.view import ToolView
from .budget import Budget
from .disclosure import Disclosure
from .events import Observer
from .model_calls import AroundModel, Model
from .options import Adapter, Checkpoint, Options
from .record import Record
from .run_start import run_from
from .run_state import RunState, conversation
from .telemetry import Telemetry

if TYPE_CHECKING:
    from .text_calls import TextFormat


async def run_tools(
    model: Model,
    tools: ToolView | Disclosure,
    messages: Sequence[Any],
    *,
    format: str | None = None,
    text_format: "str | TextFormat | None" = None,
    dispatcher: Adapter | None = None,
    provider: str | None = None,
    max_rounds: int = 10,
    budget: Budget | None = None,
    repeats: int = 3,
    limit: int = 8,
    context: ToolContext | None = None,
    on_event: Observer | None = None,
    pause: bool | None = None,
    checkpoint: Checkpoint | None = None,
    around_model: Sequence[AroundModel] = (),
    final: ToolBinding[Any, Any] | None = None,
    telemetry: Telemetry | None = None,
    cache: Cache | None = None,
) -> Record:
    """Ask a model, carry out its calls and answer them, until it calls no tool or something stops the run.

    A run is a turn of a Disclosure: it begins with `next_turn`. Cancellation, and what the model or the
    dispatcher raises, pass through; the record is on the exception (`record_of`), and `on_event` gets it in
    `Stopped`.

    Args:
        model: an async function from the messages and the JSON array of definitions to the provider's
            response, or to a stream of it: an async iterable of its chunks, or a manager of one. For "text"
            to a str, or a `TextAnswer`, which also has the reason to stop, or a stream of these. An async
            generator of chunks is one, too.
        tools: a registry, a selection, or a Disclosure.
        messages: the conversation so far; it is not changed.
        format: a wire format of `toolcast.agents.dispatch`, or "text"; or else `dispatcher`.
        text_format: for "text": the text format in which the model is asked to call, is read, and gets
            results; by default it is asked in the canonical form, and read in any with marks.
        dispatcher: a function that makes an adapter of your own for the tools that it gets.
        provider: id of the provider of the definitions; by default the Disclosure's own, else the format's
            name.
        max_rounds: answers of the model at most.
        budget: calls, seconds, tokens and cost at most.
        repeats: failures of the same call with the same arguments that stop the run.
        limit: calls that run at once.
        context: circumstances for every handler; the id and the tool of each call are filled in.
        on_event: receives every step, and what a stream adds; what it raises is logged. The run waits for an
            async one, and the provider's stream with it.
        pause: whether a call that needs an approval for which the policy has no approver, or whose result
            comes from outside, pauses the run; else it is answered with that. By default it does, except
            inside of `delegate`, where nobody sees the state.
        checkpoint: stores the state of the run, plain or async: after each answer of the model, before its
            calls are carried out, and after them. What it raises ends the run.
        around_model: hooks around each call of the model, the outermost first: async functions from a
            `ModelRequest` and `proceed` to the answer. The conversation of the run keeps its own messages,
            whatever they ask with.
        final: a tool that the model is to call for its final answer, beside `tools`. A call with valid
            arguments ends the run, after all calls of its answer; `output` of the record is its parameters.
        telemetry: what watches the run, such as `toolcast.agents.otel.agent_spans(…)`.
        cache: "last" marks in each round's definitions the last tool that is part of the prompt, so that a
            prompt cache holds all of them; nothing for providers whose requests have no such mark.

    Returns:
        The record of the run; `resume` goes on from its `state`.

    Raises:
        ValueError: a limit is below 1, not exactly one of `format` and `dispatcher` is set, or `text_format`
            is set without "text", unknown, or without a prompt; `final` has the name of a tool of the run;
            `cache` is neither "last" nor None.
        TypeError: `messages` is one text or one message instead of a list of messages.
        MissingDataError: `cache` is set, and the rules of the provider's requests are missing.
    """
    options = Options(
        format=format,
        text_format=text_format,
        dispatcher=dispatcher,
        provider=provider,
        max_rounds=max_rounds,
        budget=budget,
        repeats=repeats,
        limit=limit,
        context=context,
        on_event=on_event,
        pause=pause,
        checkpoint=checkpoint,
        around_model=around_model,
        final=final,
        telemetry=telemetry,
        cache=cache,
    )
    return await run_from(model, tools, RunState(messages=conversation(messages)), options)
