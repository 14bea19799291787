"""The limits of both readers, and the problems that they report."""

from typing import Final

from msgspec import Struct

MAX_BYTES = 1_048_576
"""Largest spec file, in bytes."""

MAX_DEPTH = 100
"""Deepest nesting of lists and mappings; the root is 1."""

MAX_VALUES = 50_000
"""Most values (keys not counted) of one file after every alias is expanded."""

MAX_NUMBER = 1_000
"""Longest number, in characters. Python's own limit depends on the environment, so ours comes first."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds on a document; by default those of one spec. `depth` counts lists and mappings, `values` all
    values without keys. `lone_surrogates` allows halves of surrogate pairs in JSON text. They can be
    written to no file: a document of many tools loses only the tools that hold one.
    """

    depth: int = MAX_DEPTH
    values: int = MAX_VALUES
    lone_surrogates: bool = False


SPEC: Final = Limits()


class Problem(Struct, frozen=True):
    """A problem in a text: a `Diagnostic` without its file. Line and column count from 1."""

    line: int
    column: int
    code: str
    message: str
    hint: str = ""


class RefusedError(Exception):
    """A problem after which reading stops."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def quoted(text: str, limit: int = 60) -> str:
    """Return `text` for use inside a message: in backticks, one line, printable, not too long."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "`"


def too_deep(line: int, column: int, limits: Limits = SPEC) -> Problem:
    return Problem(
        line,
        column,
        "too-deep",
        f"values are nested more than {limits.depth} levels deep",
        "name the inner schemas under $defs or in _types/ and refer to them with $ref",
    )


def too_many(line: int, column: int, limits: Limits = SPEC) -> Problem:
    return Problem(
        line,
        column,
        "too-many-values",
        f"the file holds more than {limits.values:,} values once its aliases are expanded",
        "split it, or refer to shared schemas with $ref instead of repeating them",
    )


def duplicate_key(name: str, line: int, column: int, first: tuple[int, int]) -> Problem:
    """Report a key that stands twice in one mapping; the position is that of the second."""
    return Problem(
        line,
        column,
        "duplicate-key",
        f"the key {quoted(name)} is here a second time; it is first at line {first[0]}, column {first[1]}",
        "keep one of the two",
    )


def not_finite(token: str, line: int, column: int) -> Problem:
    """Report infinity or NaN, which JSON does not have."""
    return Problem(
        line,
        column,
        "not-a-json-number",
        f"{quoted(token)} is not a number that JSON can hold",
        "leave the bound out, or quote it if it is meant as text",
    )


def number_range(token: str, line: int, column: int) -> Problem:
    """Report a number that becomes infinity or zero as a double, or that is too long."""
    return Problem(
        line,
        column,
        "number-out-of-range",
        f"the number {quoted(token, 40)} cannot be kept exactly enough: it is too large, too small"
        " or too long",
        f"use a number between 1e-307 and 1e308 of at most {MAX_NUMBER:,} characters",
    )


def read_float(token: str) -> float | None:
    """Return the double for a decimal `token`; None where it would become infinity, or zero without being
    zero.
    """
    value = float(token)
    if value in (float("inf"), float("-inf")):
        return None
    if value == 0 and any(c in "123456789" for c in token.lower().partition("e")[0]):
        return None
    return value
