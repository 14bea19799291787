"""The loop of an agent: ask the model, carry out what it calls, answer, ask again.

The model is any async callable, or one that streams; no provider's client is imported.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Unpack

import msgspec

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.definitions import DefinitionBytes
from ..runtime.request_rules import Cache, mark_list_cached
from ..runtime.view import ToolView
from .answers import Answers, WireAnswers
from .delegation import depth
from .disclosure import TEXT, Disclosure
from .events import UNWATCHED, LoopEvent, Observer, Stopped
from .model_calls import Model
from .options import LIMIT, REPEATS, Claim, RunOptions, check_options
from .record import Record, attach_record
from .run import FinalOutput, Run, RunSetup
from .run_state import ClaimedError, RunState, StateError, conversation
from .tool_calls import ToolCalls
from .usage import Budget
from .waiting import Decision, Settled, settle

if TYPE_CHECKING:
    from .text_calls import TextFormat


async def run_tools(
    model: Model,
    tools: ToolView | Disclosure,
    messages: Sequence[object],
    **options: Unpack[RunOptions],
) -> Record:
    """Ask a model, carry out its calls and answer them, until it calls no tool or something stops the run.

    A run is a turn of a Disclosure: it begins with `next_turn`. Cancellation, and what the model or the
    dispatcher raises, pass through, with the record on the exception (`record_of`) and in `Stopped`.

    Args:
        model: an async function from the messages and the JSON array of definitions to the provider's
            response, or to a stream of it: an async iterable of its chunks, or a manager of one; also an
            async generator of chunks. For "text" it gives a str, a `TextAnswer` with the reason to stop, or a
            stream of these.
        tools: a registry, a selection, or a Disclosure.
        messages: the conversation so far; it is not changed.
        **options: `format`, or `dispatcher`, and what else differs from its default.

    Returns:
        The record of the run; `resume` goes on from its `state`.

    Raises:
        ValueError: a limit is below 1, not exactly one of `format` and `dispatcher` is set, `text_format` is
            set without "text", unknown, or without a prompt, `final` has the name of a tool of the run, or
            `cache` is neither "last" nor None.
        TypeError: `messages` is no list of messages; an option is unknown.
        MissingDataError: `cache` is set, and the rules of the provider's requests are missing.
    """
    return await _run(model, tools, RunState(messages=conversation(messages)), options)


async def resume(
    model: Model,
    tools: ToolView | Disclosure,
    state: RunState,
    *,
    decisions: Mapping[str, Decision] | None = None,
    results: JsonMapping | None = None,
    claim: Claim | None = None,
    **options: Unpack[RunOptions],
) -> Record:
    """Go on with a run from its state, in this process or another one.

    What has a result does not run again. A call that an ended process had begun runs again only where its
    tool reads or is idempotent; else the model is told that it may have taken effect.

    Calls without a decision or a result wait on, and the run pauses again after the others. What the policy
    forbids stays forbidden, whatever was decided; a call of a tool that is gone, or has another contract now,
    is answered with that. Limits count over the whole run. A run that ended with an answer ends with it
    again.

    Args:
        model: as for `run_tools`.
        tools: as for `run_tools`; a Disclosure goes on in the turn where the other one was.
        state: from where to go on; use it once.
        decisions: for calls that wait for an approval, by key: "yes", "no", "always", or an `Answer` with a
            reason.
        results: for calls that wait for a result, by key: a ToolResult, text, or what a handler of the tool
            may return.
        claim: called with `state` when all is checked and nothing is done yet. What it raises ends the run.
        **options: the options of `run_tools`, as the run began with them.

    Returns:
        The record of what happened from there on; `messages` is the whole conversation.

    Raises:
        ValueError: as for `run_tools`; a key is unknown, or of a call that waits for something else; a result
            breaks the contract of its tool; the state is of a run in another format, or its calls differ from
            those of its answer.
        ClaimedError: `claim` answered False.
        TypeError: as for `run_tools`; a decision is no answer of an approver, or `claim` answered no bool.
    """
    view = tools.tools if isinstance(tools, Disclosure) else tools

    def settled(state: RunState, provider: str | None) -> Settled:
        return settle(state.waiting, view, provider, decisions or {}, results or {})

    async def claimed() -> None:
        taken = True if claim is None else claim(state)
        if isawaitable(taken):
            taken = await taken
        if not isinstance(taken, bool):
            raise TypeError(f"claim must answer True or False, not {type(taken).__name__}.")
        if not taken:
            raise ClaimedError("Another process goes on with this run: nothing was done here.")

    return await _run(model, tools, state, options, _Resumption(settled, claimed))


class _Resumption(NamedTuple):
    """The steps of a resumed run before its first round: `settle` states what became of waiting calls, and
    `claim` takes the state for this process, when all is checked and nothing is done yet."""

    settle: Callable[[RunState, str | None], Settled]
    claim: Callable[[], Awaitable[None]]


async def _run(
    model: Model,
    tools: ToolView | Disclosure,
    state: RunState,
    options: RunOptions,
    resumption: _Resumption | None = None,
) -> Record:
    settle, claim = resumption or (None, None)
    check_options(options)
    pause, final = options.get("pause"), options.get("final")
    waits = depth() == 0 if pause is None else pause
    view = tools.tools if isinstance(tools, Disclosure) else tools
    output = None if final is None else FinalOutput(final, view)
    if output is not None:
        view = output.tools
    calls = ToolCalls(view, options.get("budget") or Budget(), options.get("repeats", REPEATS), state, waits)
    calls.uncounted = "" if output is None else output.binding.name
    answers, provider = _answers(tools, calls, options)
    if state.format not in (None, answers.name):
        raise StateError(
            f"The state is of a run in the format {state.format!r}: it cannot go on in {answers.name!r}."
        )
    pending = state.pending
    if pending is not None:
        pending = msgspec.structs.replace(pending, response=answers.restore(pending.response))
    state = msgspec.structs.replace(state, format=answers.name, pending=pending)
    settled = Settled(left=state.waiting) if settle is None else settle(state, provider)
    definitions = _definitions(tools, options, state, output)
    disclosure = tools if isinstance(tools, Disclosure) else None
    telemetry = options.get("telemetry") or UNWATCHED
    format = options.get("format")
    named = options.get("provider") if format in (None, TEXT) else format
    with telemetry.run(named or "") as watched:
        setup = RunSetup(answers, definitions, disclosure, output, watched)
        return await Run(model, setup, calls, state, options).to_end(settled, claim)


def _answers(
    tools: ToolView | Disclosure, calls: ToolCalls, options: RunOptions
) -> tuple[Answers, str | None]:
    dispatcher, format = options.get("dispatcher"), options.get("format")
    provider, limit = options.get("provider"), options.get("limit", LIMIT)
    if dispatcher is not None:
        return dispatcher(calls.tools), _dialect(tools, provider, None)
    if format == TEXT:
        from .text_answers import TextAnswers

        return TextAnswers(calls.tools, limit, options.get("text_format")), None
    dialect = _dialect(tools, provider, format)
    return WireAnswers(calls.tools, str(format), dialect, limit), dialect


def _dialect(tools: ToolView | Disclosure, provider: str | None, format: str | None) -> str:
    if isinstance(tools, Disclosure):
        if provider is not None and provider != tools.provider:
            raise ValueError(f"The tools are disclosed to {tools.provider!r}, not {provider!r}.")
        return tools.provider
    chosen = provider if provider is not None else format
    if chosen is None:
        raise ValueError("A dispatcher of your own needs provider=, for the definitions.")
    return chosen


def _definitions(
    tools: ToolView | Disclosure, options: RunOptions, state: RunState, output: FinalOutput | None
) -> Callable[[], bytes]:
    """Make the function that gives the definitions of each round; for text, the block of the prompt."""
    disclosed = tools if isinstance(tools, Disclosure) else None
    format, cache = options.get("format"), options.get("cache")
    in_text = format == TEXT
    dialect = TEXT if disclosed is None and in_text else _dialect(tools, options.get("provider"), format)
    if disclosed is not None and format is not None and in_text != (dialect == TEXT):
        needed = f"Disclosure(registry, {TEXT!r})" if in_text else "a Disclosure for its provider"
        raise ValueError(f"The tools are disclosed to {dialect!r}; format={format!r} needs {needed}.")
    if dialect == TEXT:
        shown = _block(tools, output, options.get("text_format") or "toolcast")
        shown()  # refused before the first round
    elif isinstance(tools, ToolView):
        view = tools if output is None else output.tools
        shown = partial(view.definitions, dialect, cache=cache)
    elif output is not None:
        shown = partial(_with_output, tools, output, cache)
    else:
        shown = partial(tools.definitions, cache=cache)
    if disclosed is not None and state.shown is None:
        disclosed.next_turn()
    elif disclosed is not None and state.shown is not None:
        disclosed.restore(state.shown)
    return shown


def _with_output(disclosure: Disclosure, output: FinalOutput, cache: Cache | None) -> bytes:
    whole = output.defined(disclosure.definitions(), disclosure.provider)
    if cache is None:
        return whole
    rules = disclosure.tools.request_rules(disclosure.provider, required=True)
    return DefinitionBytes(mark_list_cached(whole, rules))


def _block(
    tools: ToolView | Disclosure, output: FinalOutput | None, format: "str | TextFormat"
) -> Callable[[], bytes]:
    from .text_calls.render_text import instructions, tools_block

    if output is None:
        return lambda: instructions(tools, format=format).encode()
    if isinstance(tools, ToolView):
        return lambda: instructions(output.tools, format=format).encode()
    return lambda: tools_block([(output.binding, "full"), *tools.shown()], format).encode()


P = ParamSpec("P")


def _streamed(run: Callable[P, Coroutine[object, object, Record]]) -> Callable[P, AsyncGenerator[LoopEvent]]:
    """Make a function of a run an async generator of its events, which starts the run at the first one."""

    start: Callable[..., Coroutine[object, object, Record]] = run

    def stream(*args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[LoopEvent]:
        options: JsonObject = {**kwargs}
        events = _Events(options.pop("on_event", None))
        return events.of(lambda on_event: start(*args, **options, on_event=on_event))

    return stream


stream_tools = _streamed(run_tools)
"""Run tools as `run_tools` does, with the same arguments; an async generator of the events of the run as they
happen. `Stopped` is the last one, and has the record; what `run_tools` would have raised is raised after it.

The run goes on only as fast as its events are taken: one waits at most, and the provider's stream with it.
Closing the generator cancels the run, and waits until it is over. `async for` alone does not close it on
`break`: use `contextlib.aclosing`.
"""
stream_resume = _streamed(resume)
"""Go on with a run as `resume` does, with the same arguments; an async generator of its events."""


class _Events:
    def __init__(self, also: Observer | None) -> None:
        self._also = also  # the program's own observer
        self._waiting: asyncio.Queue[LoopEvent | None] = asyncio.Queue(maxsize=1)
        self._taken = True  # whether anybody still takes events
        self._record: Record | None = None

    async def of(self, run: Callable[[Any], Coroutine[Any, Any, Record]]) -> AsyncGenerator[LoopEvent]:
        task = asyncio.create_task(self._run(run))
        try:
            while (event := await self._waiting.get()) is not None:
                yield event
            await task
        except asyncio.CancelledError as problem:
            await self._stop(task)
            if self._record is not None:
                attach_record(problem, self._record)
            raise
        finally:
            await self._stop(task)

    async def _run(self, run: Callable[[object], Coroutine[object, object, Record]]) -> None:
        try:
            await run(self._put)
        finally:
            await self._pass_on(None)

    async def _put(self, event: LoopEvent) -> None:
        if isinstance(event, Stopped):
            self._record = event.record
        try:
            waits = None if self._also is None else self._also(event)
            if isawaitable(waits):
                await waits
        finally:
            await self._pass_on(event)

    async def _pass_on(self, event: LoopEvent | None) -> None:
        if self._taken:
            await self._waiting.put(event)

    async def _stop(self, task: asyncio.Task[None]) -> None:
        self._taken = False
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # was raised, or is of no interest to a program that closed the generator
