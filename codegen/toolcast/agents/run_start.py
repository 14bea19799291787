"""How a run begins: what reads the model's answers, and what the model sees of the tools."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ..runtime.definitions import DefinitionBytes
from ..runtime.request_rules import Cache, mark_list_cached
from ..runtime.view import ToolView
from .answers import Answers, WireAnswers
from .budget import Budget
from .delegation import depth
from .disclosure import TEXT, Disclosure
from .final_output import FinalOutput
from .model_calls import Model
from .options import Options
from .record import Record
from .run import Run, RunSetup
from .run_state import RunState, StateError
from .telemetry import UNWATCHED
from .tool_calls import ToolCalls
from .waiting import Settled

if TYPE_CHECKING:
    from .text_calls import TextFormat


async def run_from(
    model: Model,
    tools: ToolView | Disclosure,
    state: RunState,
    options: Options,
    settle: Callable[[RunState, str | None], Settled] | None = None,
    claim: Callable[[], Awaitable[None]] | None = None,
) -> Record:
    """Go on with a run, from its beginning or from where it was.

    Args:
        model: as for `run_tools`.
        tools: as for `run_tools`.
        state: from where to go on.
        options: the options of the run.
        settle: what became of the calls that wait in a state, for the provider that results go to; by default
            all of them wait on.
        claim: takes the state for this process, when all is checked and nothing is done yet.

    Returns:
        The record, of what happened from there on.

    Raises:
        ValueError: as for `run_tools`.
        StateError: the state is of a run in another format.
    """
    waits = depth() == 0 if options.pause is None else options.pause
    view = tools.tools if isinstance(tools, Disclosure) else tools
    output = None if options.final is None else FinalOutput(options.final, view)
    if output is not None:
        view = output.tools
    calls = ToolCalls(view, options.budget or Budget(), options.repeats, state, waits)
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
    telemetry = options.telemetry or UNWATCHED
    named = options.provider if options.format in (None, "text") else options.format
    with telemetry.run(named or "") as watched:
        run = Run(model, answers, RunSetup(definitions, disclosure, output, watched), calls, state, options)
        return await run.to_end(settled, claim)


def _answers(tools: ToolView | Disclosure, calls: ToolCalls, options: Options) -> tuple[Answers, str | None]:
    """What reads the model's answers, and the provider whose form results have."""
    if options.dispatcher is not None:
        return options.dispatcher(calls.tools), _dialect(tools, options.provider, None)
    if options.format == "text":
        from .text_answers import TextAnswers

        return TextAnswers(calls.tools, options.limit, options.text_format), None
    dialect = _dialect(tools, options.provider, options.format)
    return WireAnswers(calls.tools, str(options.format), dialect, options.limit), dialect


def _dialect(tools: ToolView | Disclosure, provider: str | None, format: str | None) -> str:
    """The provider whose definitions the model sees."""
    if isinstance(tools, Disclosure):
        if provider is not None and provider != tools.provider:
            raise ValueError(f"The tools are disclosed to {tools.provider!r}, not {provider!r}.")
        return tools.provider
    chosen = provider if provider is not None else format
    if chosen is None:
        raise ValueError("A dispatcher of your own needs provider=, for the definitions.")
    return chosen


def _definitions(
    tools: ToolView | Disclosure, options: Options, state: RunState, output: FinalOutput | None
) -> Callable[[], bytes]:
    """What makes each round's definitions; for text the block for the system prompt."""
    disclosed = tools if isinstance(tools, Disclosure) else None
    in_text = options.format == TEXT
    dialect = TEXT if disclosed is None and in_text else _dialect(tools, options.provider, options.format)
    if disclosed is not None and options.format is not None and in_text != (dialect == TEXT):
        needed = f"Disclosure(registry, {TEXT!r})" if in_text else "a Disclosure for its provider"
        raise ValueError(f"The tools are disclosed to {dialect!r}; format={options.format!r} needs {needed}.")
    if dialect == TEXT:
        shown = _block(tools, output, options.text_format or "toolcast")
        shown()  # refused before the first round
    elif isinstance(tools, ToolView):
        view = tools if output is None else output.tools
        shown = partial(view.definitions, dialect, cache=options.cache)
    elif output is not None:
        shown = partial(_with_output, tools, output, options.cache)
    else:
        shown = partial(tools.definitions, cache=options.cache)
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
    """What makes each round's block for the system prompt."""
    from .text_calls.prompts.system_prompt import instructions, tools_block

    if output is None:
        return lambda: instructions(tools, format=format).encode()
    if isinstance(tools, ToolView):
        return lambda: instructions(output.tools, format=format).encode()
    return lambda: tools_block([(output.binding, "full"), *tools.shown()], format).encode()
