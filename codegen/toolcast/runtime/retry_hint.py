"""A call that its handler asks for again: in words with a count, and as data for the program."""

from collections.abc import Mapping

from msgspec import Struct

MAX_ATTEMPTS = 3
"""Attempts at what a handler asks for again, where the program does not say."""


class RetryHint(Struct, frozen=True, kw_only=True):
    """How a tool asks for another call: `data` of a failed result whose handler raised `RetryError`.

    Attributes:
        tool: name of the tool.
        hint: what the handler said.
        attempt: which attempt the call was, from 1; None where nobody counts, outside of a run.
        max_attempts: attempts that the registry allows.
    """

    tool: str
    hint: str
    attempt: int | None
    max_attempts: int

    @property
    def is_last(self) -> bool:
        """Whether the model is told to stop."""
        return self.attempt is not None and self.attempt >= self.max_attempts

    @property
    def text(self) -> str:
        """What the model reads."""
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


MaxAttempts = int | Mapping[str, int]
"""Attempts for all tools, or by name of the tool; `MAX_ATTEMPTS` for one that is not named."""


def checked_attempts(attempts: MaxAttempts) -> MaxAttempts:
    """Raise ValueError unless every number is at least 1."""
    for number in attempts.values() if isinstance(attempts, Mapping) else [attempts]:
        if number < 1:
            raise ValueError(f"max_attempts must be at least 1, not {number!r}.")
    return attempts


def attempts_of(tool: str, attempts: MaxAttempts) -> int:
    """The attempts of one tool."""
    return attempts.get(tool, MAX_ATTEMPTS) if isinstance(attempts, Mapping) else attempts
