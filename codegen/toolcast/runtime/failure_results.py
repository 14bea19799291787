"""The result of a call that ended early: refused, timed out, or failed by a fault. None holds a secret.

Arguments that do not fit, and a handler that asks for another call, reach the model in words and the program
as data.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping
from ..jsonschema.messages import member
from .binding import AnyBinding
from .definitions import schema_of
from .errors import ArgumentError, CallDeferred, MissingCapabilityError, RefusalError, RetryError
from .middleware.guard import Guard
from .middleware.truncate import cut_result
from .result import ToolResult
from .tool import AnyTool

MAX_ATTEMPTS = 3
"""Attempts at what a handler asks for again, where the program does not say."""


class RetryHint(Struct, frozen=True, kw_only=True):
    """A tool's request for another call: `data` of a failed result of `RetryError`.

    Attributes:
        tool: name of the tool.
        hint: the handler's text.
        attempt: number of the attempt, from 1; None where nobody counts, outside of a run.
        max_attempts: attempts that the registry allows.
    """

    tool: str
    hint: str
    attempt: int | None
    max_attempts: int

    @property
    def is_last(self) -> bool:
        """True if the model is told to stop."""
        return self.attempt is not None and self.attempt >= self.max_attempts

    @property
    def text(self) -> str:
        """The text for the model."""
        said = self.hint or f"The call of {self.tool!r} did not succeed."
        if self.attempt is None:
            return f"{said}\nCall {self.tool!r} again accordingly."
        counted = f"This was attempt {self.attempt} of {self.max_attempts}."
        if not self.is_last:
            return f"{said}\nCall {self.tool!r} again accordingly. {counted}"
        if self.attempt > self.max_attempts:
            counted = f"This was attempt {self.attempt}, and {self.max_attempts} were allowed."
        return (
            f"{said}\n{counted} Do not call {self.tool!r} again for this: go on without it, or tell the user."
        )


def lacks_scopes(tool: str, missing: Sequence[str]) -> str:
    """Return the text for the model of a call that was refused for the scopes of its principal."""
    words = f"the scope{'s' if len(missing) > 1 else ''} {', '.join(map(repr, missing))}"
    return (
        f"Tool {tool!r} may not run: whoever calls it lacks {words}. Go on without it, or tell the user what "
        "is missing."
    )


MaxAttempts = int | Mapping[str, int]
"""Attempts for all tools, or by name of the tool; `MAX_ATTEMPTS` for one that is not named."""


def checked_attempts(attempts: MaxAttempts) -> MaxAttempts:
    """Raise ValueError unless every number is at least 1."""
    for number in attempts.values() if isinstance(attempts, Mapping) else [attempts]:
        if number < 1:
            raise ValueError(f"max_attempts must be at least 1, not {number!r}.")
    return attempts


def attempts_of(tool: str, attempts: MaxAttempts) -> int:
    return attempts.get(tool, MAX_ATTEMPTS) if isinstance(attempts, Mapping) else attempts


class ArgumentHint(Struct, frozen=True, kw_only=True):
    """The shape of a call: `data` of a call that lacks required arguments, or whose error has the tool's
    schema.

    Attributes:
        tool: name of the tool.
        missing: the required properties that were left out: names, or, within an object of the arguments,
            paths such as `edits[0].old_string`. Empty if something else is wrong.
        schema: the full schema of the arguments in the form of the provider's definitions; without a
            provider, the contract.
    """

    tool: str
    missing: tuple[str, ...]
    schema: JsonMapping


class _RefusedArgumentsError(RefusalError):
    """Arguments that do not fit; `hint` is None if the text has no schema and none is missing."""

    def __init__(self, text: str, hint: ArgumentHint | None) -> None:
        super().__init__(text)
        self.hint = hint


def refuse_arguments(
    tool: AnyTool, problem: ArgumentError, provider: str | None, *, in_part: bool, limit: int | None
) -> _RefusedArgumentsError:
    """Make the refusal of arguments. To a model that was shown the tool `in_part` it has the description and
    the full schema, as far as `limit` characters hold them."""
    text = str(problem)
    if not (in_part or problem.missing):
        return _RefusedArgumentsError(text, None)
    schema = schema_text(tool, provider).decode()
    hint = ArgumentHint(tool=tool.name, missing=_missing(problem), schema=msgspec.json.decode(schema))
    if in_part:
        full = f"The full schema of {tool.name!r}"
        whole = f"{full}: {schema}"
        described = f"The description of {tool.name!r}: {tool.description}\n{whole}"
        too_long = f"{full} has {len(schema)} characters, too many for one result."
        choices = (whole if tool.description == tool.summary else described, whole, too_long)
        texts = (f"{text}\n{each}" for each in choices)
        text = next((each for each in texts if limit is None or len(each) <= limit), text)
    return _RefusedArgumentsError(text, hint)


def schema_text(tool: AnyTool, provider: str | None) -> bytes:
    """Return the schema of a tool's arguments as JSON: the bytes of the provider's definition, or the
    contract if that has none or there is no provider."""
    if provider is not None:
        known = schema_of(tool.definition(provider), tool.name, tool.envelopes.get(provider))
        if known is not None:
            return known
    from .standalone_schema import standalone_schema

    return msgspec.json.encode(standalone_schema(tool))


def _missing(problem: ArgumentError) -> tuple[str, ...]:
    return tuple(
        violation.expected
        if violation.path == "$"
        else member(violation.path, violation.expected).removeprefix("$").removeprefix(".")
        for violation in problem.violations
        if violation.keyword == "required"
    )


def refused_result(
    binding: AnyBinding,
    problem: RefusalError,
    guard: Guard,
    attempt: int | None,
    max_attempts: int,
) -> ToolResult:
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


def _refusal_text(binding: AnyBinding, problem: RefusalError) -> str:
    """Return the text for the model; that of a deferred call is for the program."""
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
    hint = problem.hint if isinstance(problem, _RefusedArgumentsError) else None
    return hint if hint is None or guard.secrets is None else guard.secrets.redact(hint)


def redacted_refusal(problem: RefusalError, guard: Guard) -> RefusalError:
    """Return a refusal for the caller without values of secrets: its text may be kept for long."""
    text = str(problem)
    redacted = guard.redact_text(text)
    if redacted == text:
        return problem
    if isinstance(problem, CallDeferred):
        return CallDeferred(redacted, kind=problem.kind)
    if isinstance(problem, MissingCapabilityError):
        return MissingCapabilityError(redacted, problem.capability)
    return RetryError(redacted) if isinstance(problem, RetryError) else RefusalError(redacted)


def timed_out_result(tool: str, seconds: float, runs_on: bool, began: bool) -> ToolResult:
    """Make the result of a step that took more than its `seconds`. `runs_on`: it could not be stopped;
    `began`: it was the handler."""
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
