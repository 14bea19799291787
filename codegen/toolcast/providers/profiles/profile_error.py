"""Errors of profiles."""

from __future__ import annotations

from msgspec import Struct


class ProfileProblem(Struct, frozen=True, kw_only=True):
    """A problem of a profile. `line` is 0 where it is not known."""

    file: str
    message: str
    hint: str = ""
    line: int = 0


class ProfileError(ValueError):
    """A profile that does not exist, cannot be read, or has values that do not exist.

    Attributes:
        problems: everything that is wrong.
    """

    def __init__(self, message: str, problems: tuple[ProfileProblem, ...] = ()) -> None:
        self.problems = problems
        super().__init__(message)

    @classmethod
    def of(cls, problems: list[ProfileProblem]) -> ProfileError:
        """Make an error of several problems.

        Args:
            problems: the problems.

        Returns:
            The error, whose text has all of them.
        """
        lines = (
            f"{problem.file}{f':{problem.line}' if problem.line else ''}: {problem.message}"
            + (f" ({problem.hint})" if problem.hint else "")
            for problem in problems
        )
        return cls("\n".join(lines), tuple(problems))

    def __reduce__(self) -> tuple[type[ProfileError], tuple[str, tuple[ProfileProblem, ...]]]:
        return type(self), (str(self), self.problems)
