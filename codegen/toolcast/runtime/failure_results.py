"""The result of a call that ended early: refused, timed out, or failed by a fault. None holds a secret."""

import os
from typing import Any

from .argument_hint import ArgumentHint, RefusedArgumentsError
from .binding import ToolBinding
from .errors import CallDeferred, InjectionError, RefusalError, RetryError
from .middleware.guard import Guard
from .middleware.truncate import cut_result
from .result import ToolResult
from .retry_hint import RetryHint


def refused_result(
    binding: ToolBinding[Any, Any],
    problem: RefusalError,
    guard: Guard,
    attempt: int | None,
    max_attempts: int,
) -> ToolResult:
    """What the model and the program read of a refusal."""
    if not isinstance(problem, RetryError):
        error = guard.redact_text(_refusal_text(binding, problem))
        return _within(guard, ToolResult(False, "", _hint(guard, problem), error))
    hint = RetryHint(
        tool=binding.name,
        hint=guard.redact_text(str(problem)),
        attempt=attempt,
        max_attempts=max_attempts,
    )
    return _within(guard, ToolResult(False, "", hint, hint.text))


def _within(guard: Guard, result: ToolResult) -> ToolResult:
    return result if guard.limit is None else cut_result(result, guard.limit)


def _refusal_text(binding: ToolBinding[Any, Any], problem: RefusalError) -> str:
    """What the model reads of a refusal; the text of a deferred call is for the program."""
    if not isinstance(problem, CallDeferred):
        return str(problem) or f"The call of {binding.name!r} was refused."
    if problem.kind == "approval":
        became = "needs somebody's approval, and there is nobody to ask: nothing was done"
    elif binding.external:
        became = "is carried out outside of this program, where nothing waits for results: nothing was done"
    else:
        became = "gives its result later, and nothing here waits for it. What it began may go on"
    return f"Tool {binding.name!r} {became}. Do not repeat the call: go on without it, or tell the user."


def _hint(guard: Guard, problem: RefusalError) -> ArgumentHint | None:
    """What refused arguments lack, without values of secrets."""
    hint = problem.hint if isinstance(problem, RefusedArgumentsError) else None
    return hint if hint is None or guard.secrets is None else guard.secrets.redact(hint)


def redacted_refusal(problem: RefusalError, guard: Guard) -> RefusalError:
    """A refusal that the caller gets as it is, without values of secrets: its text may be kept for long."""
    text = str(problem)
    redacted = guard.redact_text(text)
    if redacted == text:
        return problem
    if isinstance(problem, CallDeferred):
        return CallDeferred(redacted, kind=problem.kind)
    return RetryError(redacted) if isinstance(problem, RetryError) else RefusalError(redacted)


def timed_out_result(tool: str, seconds: float, runs_on: bool, began: bool) -> ToolResult:
    """A step that took more than its `seconds`; `runs_on` states that it could not be stopped, `began` that
    it was the handler."""
    if not began:
        return ToolResult.failed(
            f"Tool {tool!r} was not called: a check before it took more than {seconds:g} s. Nothing was done."
        )
    if runs_on:
        became = "It could not be stopped and may still take effect"
    else:
        became = "It was stopped and may have taken effect in part"
    return ToolResult.failed(
        f"Tool {tool!r} did not finish within {seconds:g} s. {became}: look before "
        "you call it again, and ask for less at once."
    )


def report_fault(
    guard: Guard, tool: str, call_id: str, where: str, problem: BaseException, seconds: float | None = None
) -> tuple[ToolResult, str]:
    """A bug: its traceback to the log, and to the model only its kind and the number to find it by.

    An exception's text may hold secrets, paths, or a third party's words.
    """
    from .log_records import ERROR, log

    number = os.urandom(6).hex()
    log(
        ERROR,
        "Tool %r failed in %s [%s]",
        tool,
        where,
        number,
        event="failed",
        tool=tool,
        call_id=call_id,
        error_id=number,
        seconds=seconds,
        problem=problem,
        redact=guard.redactor(),
    )
    kind = guard.redact_text(type(problem).__name__)
    whose = "program" if isinstance(problem, InjectionError) else "tool"
    result = ToolResult.failed(
        f"Tool {tool!r} failed in {where}: internal error {kind} (error id {number}). "
        f"This is a fault of the {whose}, not of the arguments; "
        "do not repeat the call unchanged more than once."
    )
    return result, number
