"""Calls that wait: how a run recognises them, and what was decided of them meanwhile."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework
from ..runtime.errors import CallDeferred
from ..runtime.handlers import make_encodable
from ..runtime.injection import injected_digest
from ..runtime.middleware.policy.approval import checked_answer, not_approved
from ..runtime.result import ToolResult
from ..runtime.unicode_text import replace_surrogates
from ..runtime.view import ToolView
from .run_state import Kind, WaitingCall, digest

if TYPE_CHECKING:
    from ..runtime.middleware.policy.approval import Answer, ApprovalRequest, Shape, Verdict

Decision: TypeAlias = "Verdict | Answer"
"""Somebody's answer to a call that needs approval."""

_GONE = (
    "Tool {!r} is no longer there, so this call of it was not carried out. Go on without it, or use another "
    "tool."
)
_CHANGED = (
    "Tool {!r} has changed since this call was made, and what was approved may mean something else now: "
    "nothing was done. Read its definition, and call it again if it is still needed."
)
_FILLED_IN = "(filled in by the program)"
INTERRUPTED = (
    "The program was interrupted before the result of this call of {!r} was stored. It may have taken "
    "effect, in whole or in part: look before you call it again."
)


class NotStoredError(Exception):
    """The state with a call that is to begin could not be stored. The call does not begin."""


class Deferred(ToolResult, frozen=True):
    """A placeholder for the result of a call that waits; it never leaves the run."""

    name: str = ""
    arguments: JsonMapping = msgspec.field(default_factory=dict)
    kind: Kind = "approval"
    id: str = ""
    text: str = ""
    contract: str = ""
    injected: str = ""

    def waiting(self, round: int, index: int) -> WaitingCall:
        call = WaitingCall(
            key="",
            name=self.name,
            arguments={**self.arguments},
            kind=self.kind,
            id=self.id,
            text=self.text,
            index=index,
            contract=self.contract,
            injected=self.injected,
        )
        return msgspec.structs.replace(call, key=call.expected_key(round))

    def stored(self, round: int, call: WaitingCall) -> WaitingCall:
        """Return the call in the place of `call`, waiting for the same."""
        made = msgspec.structs.replace(self, kind=call.kind, text=call.text, injected=call.injected)
        return made.waiting(round, call.index)


async def _ask_later(request: "ApprovalRequest") -> NoReturn:
    """Defer a call that the policy asks about: the approver of a run that can wait. Raises CallDeferred."""
    raise CallDeferred("" if request.shape is None else _covered(request.shape, request), kind="approval")


def _covered(shape: "Shape", request: "ApprovalRequest") -> str:
    """Name the calls that an *always* covers, without injected values: the text is stored."""
    parts = tuple(
        (name, freedom, _FILLED_IN if name in request.injected else value)
        for name, freedom, value in shape.parts
    )
    return str(msgspec.structs.replace(shape, parts=parts))


WAITS = Framework(approver=_ask_later, passes=(CallDeferred,))
"""For calls of a run that can wait."""


def approval(verdict: Literal["yes", "always"], injected: str) -> Framework:
    """Make the framework of calls that were approved meanwhile, with injected values of that digest."""
    return Framework(
        approved=True,
        approved_for=injected,
        remember=verdict == "always",
        approver=_ask_later,
        passes=(CallDeferred,),
    )


def is_approval(framework: Framework | None) -> bool:
    return framework is not None and framework.approved and framework.approver is _ask_later


def deferred(
    binding: AnyBinding,
    params: object,
    call_id: str,
    problem: CallDeferred,
    injected: JsonMapping | None,
) -> Deferred:
    """Make the placeholder of a deferred call's result. Of injected values, which may be tokens, the state
    keeps the digest alone.
    """
    arguments: JsonObject = msgspec.json.decode(binding.encode(params))
    return Deferred(
        success=False,
        name=binding.name,
        arguments={name: value for name, value in arguments.items() if name not in binding.inject},
        kind=problem.kind,
        id=replace_surrogates(call_id),
        text=replace_surrogates(problem.text),
        contract=_contract_digest(binding),
        injected="" if injected is None else injected_digest(injected),
    )


def _contract_digest(binding: AnyBinding) -> str:
    """Digest what a call of a tool means: the contract of its parameters, and what it may do."""
    seed: list[object] = [binding.name, binding.permission, [*binding.secrets], binding.schema()]
    # What an *always* covers, and what the program fills in; left out where there is none, so that states
    # from before keep their digests.
    if binding.described_by is not None:
        seed.append(binding.described_by)
    if binding.inject:
        seed.append({**binding.inject})
    return digest(seed)


def is_unchanged(call: WaitingCall, tools: ToolView) -> bool:
    """Tell whether the tool of a call is there, and means what it meant when the call was made."""
    return call.name in tools and _contract_digest(tools.get(call.name).binding) == call.contract


def is_repeatable(tools: ToolView, name: str) -> bool:
    """Tell whether a call that may have run may run again: it only reads, or is idempotent."""
    known = tools.resolve(name)
    if known is None:
        return False
    binding = tools.get(known).binding
    return binding.permission == "read" or binding.annotations.get("idempotent") is True


class Settled(Struct, frozen=True, kw_only=True):
    """The outcome of waiting calls, by position: `results` answer, `approved` are to run, `left` wait on."""

    results: Mapping[int, ToolResult] = {}
    approved: Mapping[int, Literal["yes", "always"]] = {}
    left: tuple[WaitingCall, ...] = ()


def settle(
    waiting: tuple[WaitingCall, ...],
    tools: ToolView,
    provider: str | None,
    decisions: Mapping[str, Decision],
    results: JsonMapping,
) -> Settled:
    """Apply decisions and results to the calls that wait.

    Raises ValueError for a key that is unknown or of a call of the other kind, and for a result that breaks
    the tool's contract; TypeError for a decision that is no answer of an approver.
    """
    _check_keys(waiting, decisions, results)
    answered: dict[int, ToolResult] = {}
    approved: dict[int, Literal["yes", "always"]] = {}
    left: list[WaitingCall] = []
    for call in waiting:
        if call.key in results:
            answered[call.index] = _result(call, tools, provider, results[call.key])
        elif call.key in decisions:
            answer = checked_answer(decisions[call.key])
            if answer.verdict == "no":
                answered[call.index] = ToolResult.failed(not_approved(call.name, answer.reason))
            elif call.name not in tools:
                answered[call.index] = ToolResult.failed(_GONE.format(call.name))
            elif not is_unchanged(call, tools):
                answered[call.index] = ToolResult.failed(_CHANGED.format(call.name))
            else:
                approved[call.index] = answer.verdict
        else:
            left.append(call)
    settled = {
        call.index: make_encodable(answered[call.index], call.name, call.id)
        for call in waiting
        if call.index in answered
    }
    return Settled(results=settled, approved=approved, left=tuple(left))


def _check_keys(
    waiting: tuple[WaitingCall, ...], decisions: Mapping[str, Decision], results: JsonMapping
) -> None:
    known = {call.key: call for call in waiting}
    given: list[tuple[Kind, str, JsonMapping]] = [
        ("approval", "decisions", decisions),
        ("external", "results", results),
    ]
    for kind, option, values in given:
        for key in values:
            call = known.get(key)
            if call is None:
                waits = ", ".join(f"{each.key!r} ({each.name}, {each.kind})" for each in waiting)
                raise ValueError(
                    f"{option}: no call waits under the key {key!r:.80}; waiting: {waits or 'none'}."
                )
            if call.kind != kind:
                raise ValueError(
                    f"{option}: the call of {call.name!r} under {key!r} waits for "
                    + (
                        "a decision, not a result."
                        if call.kind == "approval"
                        else "a result, not a decision."
                    )
                )


def _result(call: WaitingCall, tools: ToolView, provider: str | None, value: Any) -> ToolResult:
    """Return a result from outside. Raises ValueError where it breaks the contract of the tool."""
    if call.name in tools:
        return tools.accept(call.name, value, provider, call.id)
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult.ok(value)
    raise ValueError(
        f"results: tool {call.name!r} is no longer there, so a typed result of it cannot be checked. Give a "
        "ToolResult, or text."
    )
