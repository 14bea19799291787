"""Going on with a run that was paused, or interrupted."""

from collections.abc import Mapping
from inspect import isawaitable
from typing import Any, Unpack

from ..runtime.view import ToolView
from .disclosure import Disclosure
from .model_calls import Model
from .options import Claim, Options, RunOptions
from .record import Record
from .run_start import run_from
from .run_state import ClaimedError, RunState
from .waiting import Decision, Settled, settle


async def resume(
    model: Model,
    tools: ToolView | Disclosure,
    state: RunState,
    *,
    decisions: Mapping[str, Decision] | None = None,
    results: Mapping[str, Any] | None = None,
    claim: Claim | None = None,
    **options: Unpack[RunOptions],
) -> Record:
    """Go on with a run from its state, in this process or another one.

    What has a result does not run again. A call that a process had begun when it ended runs again only where
    its tool reads, or says that it is idempotent; else the model is told that it may have taken effect.

    Calls for which there is neither a decision nor a result wait on, and the run pauses again, after the
    others were carried out. What the policy forbids stays forbidden, whatever was decided; a call of a tool
    that is gone, or has another contract now, is answered with that.

    Limits count over the whole run: `max_rounds`, `repeats` and the budget. A run that ended with an answer
    ends with it again, without asking the model.

    Args:
        model: as for `run_tools`.
        tools: as for `run_tools`; a Disclosure goes on in the turn where the other one was.
        state: from where to go on; use it once.
        decisions: for calls that wait for an approval, by key: "yes", "no", "always", or an `Answer` with a
            reason.
        results: for calls that wait for a result, by key: a ToolResult, text, or what a handler of the tool
            may return.
        claim: called with `state` after it and the decisions were checked, and before anything is done. What
            it raises ends the run.
        **options: the options of `run_tools`, as the run began with them.

    Returns:
        The record, of what happened from there on; `messages` is the whole conversation.

    Raises:
        ValueError: as for `run_tools`; a key is unknown, or its call waits for something else; a result
            breaks the contract of its tool; the state is of a run in another format, or shows a call that
            waits otherwise than its answer has it.
        ClaimedError: `claim` answered False.
        TypeError: a decision is no answer of an approver; the messages of the state are one text or one
            message; `claim` answered something else than True or False.
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

    return await run_from(model, tools, state, Options(**options), settled, claimed)
