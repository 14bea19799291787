"""How a schema or a profile is refused."""

from __future__ import annotations

from msgspec import Struct


class SchemaError(ValueError):
    """A schema that cannot be normalised exactly or safely.

    `path` is a JSON pointer into the schema as given, `hint` a way out. The text holds all three.
    """

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        self.path = path
        self.message = message
        self.hint = hint
        super().__init__(f"at {path or 'the root'}: {message}" + (f" ({hint})" if hint else ""))


class ProfileProblem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a profile. `line` is 0 where the text does not show it."""

    file: str
    message: str
    hint: str = ""
    line: int = 0


class ProfileError(ValueError):
    """A profile that does not exist, cannot be read, or says what the walk does not know.

    `problems` has every one that was found; the text holds them all.
    """

    def __init__(self, message: str, problems: tuple[ProfileProblem, ...] = ()) -> None:
        self.problems = problems
        super().__init__(message)

    @classmethod
    def of(cls, problems: list[ProfileProblem]) -> ProfileError:
        """The error that tells all of `problems`."""
        lines = (
            f"{problem.file}{f':{problem.line}' if problem.line else ''}: {problem.message}"
            + (f" ({problem.hint})" if problem.hint else "")
            for problem in problems
        )
        return cls("\n".join(lines), tuple(problems))

    def __reduce__(self) -> tuple[type[ProfileError], tuple[str, tuple[ProfileProblem, ...]]]:
        return type(self), (str(self), self.problems)
