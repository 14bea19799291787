"""Asking somebody whether a call may run."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .approval_scope import Shape

Verdict: TypeAlias = Literal["yes", "no", "always"]


class ApprovalRequest(Struct, frozen=True, kw_only=True):
    """What somebody is asked. `params` hold references in place of secrets; `shape` is what *always* would
    stand for, None where it would not be remembered."""

    tool: str
    summary: str
    permission: str
    params: Any
    shape: Shape | None
    call_id: str = ""


class Answer(Struct, frozen=True):
    """An answer with a reason, which the model reads where it is no."""

    verdict: Verdict
    reason: str = ""


Approver: TypeAlias = Callable[[ApprovalRequest], Verdict | Answer | Awaitable[Verdict | Answer]]
"""Somebody to ask. A plain one runs in a worker thread, one question at a time; an async one as it likes."""


def answered(given: Any) -> Answer:
    """What an approver said. Raises TypeError for anything that is no answer: then nothing runs."""
    answer = given if isinstance(given, Answer) else Answer(given)
    if not isinstance(answer.verdict, str) or answer.verdict not in ("yes", "no", "always"):
        kind = type(answer.verdict).__name__
        raise TypeError(f"an approver must answer 'yes', 'no' or 'always', not a value of {kind}")
    return answer
