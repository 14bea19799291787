"""The one value for everything a user can get wrong. Rendering lives in `console`."""

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "note"]
MISSING_LIBRARY = "missing-library"
"""The code of a problem of the environment, for which no spec is at fault."""


class Diagnostic(Struct, frozen=True, kw_only=True, order=True):
    """One problem at one place: what is wrong, and a way out. `file` is a posix path as the user would type
    it; `line` and `column` count from 1 (0 where a whole file is meant). `code` is a stable kebab-case id,
    such as `unknown-key`. Ordering is by place, so a sorted list reads like the files it speaks of.
    """

    file: str
    line: int = 0
    column: int = 0
    severity: Severity = "error"
    code: str
    message: str
    hint: str = ""


UNMERGED = "git's conflict marker stands here: a merge is not finished"
_MARKER = re.compile(r"^(?:<{7}|>{7})(?= |\r?$)", re.MULTILINE)


def conflict_line(text: str) -> int:
    """Return the line of the first conflict marker of git in a text that cannot be parsed; 0 without one."""
    found = _MARKER.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 0


def has_errors(problems: Iterable[Diagnostic]) -> bool:
    """Return whether one of the problems is an error."""
    return any(problem.severity == "error" for problem in problems)


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint for an unknown name: the most_similar known one, or `otherwise`."""
    near = most_similar(name, known)
    return f"did you mean {near!r}?" if near else otherwise


def most_similar(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known name most like `name`, of at least that similarity (0 to 1); empty where none is."""
    from difflib import get_close_matches  # loaded only where something is wrong

    return next(iter(get_close_matches(name, list(known), 1, cutoff)), "")
