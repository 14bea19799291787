"""Guesses at what a model meant by arguments that the contract refuses. Off unless asked for by name.

A guess changes a value that is refused, and counts only if the contract accepts the whole of the arguments
after it; else none of a call's guesses is made, and the error speaks of what was sent.
"""

from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from ..errors import LIMIT
from .guess_names import NAMES, Name

if TYPE_CHECKING:
    from ...jsonschema import Validator, Violation

MAX_TRIES = 64
"""Values that are judged for one call at most: each costs a look at all of the arguments."""
MAX_WORK = 50_000
"""Parts of values that are looked at for one call, so that large arguments get fewer tries, but two."""


class Guesses:
    """Which guesses may be made, and how often each was.

    One object may serve any number of registries and threads: counting takes a lock. `counts` itself is
    the live dict; read it, do not write it.
    """

    __slots__ = ("_lock", "allow", "counts")

    def __init__(self, allow: "Iterable[Name] | Literal['all']" = ()) -> None:
        """Raises ValueError for a name that is not one of `NAMES`."""
        if isinstance(allow, str) and allow != "all":
            raise ValueError(f"allow must be 'all' or names in a tuple, not {allow!r}.")
        names = NAMES if allow == "all" else tuple(allow)
        unknown = sorted(set(names) - set(NAMES))
        if unknown:
            raise ValueError(f"There is no guess {unknown[0]!r}. Guesses: {', '.join(NAMES)}.")
        self.allow = frozenset(names)
        self.counts: dict[str, int] = dict.fromkeys(NAMES, 0)
        self._lock = Lock()

    def count(self, used: Iterable[str]) -> None:
        """Note guesses that led to arguments which the contract accepts."""
        with self._lock:
            for name in used:
                self.counts[name] += 1

    def texts(self, text: str) -> "list[tuple[str, list[Name]]]":
        """Texts that may be meant by one that is not JSON, each with the guesses that lead to it."""
        from . import repairs

        found: list[tuple[str, list[Name]]] = []
        inner = repairs.unfenced(text) if "fence" in self.allow else None
        if inner is not None:
            found.append((inner, ["fence"]))
        if "bracket" in self.allow:
            for one, used in ((text, []), *found):
                closed = repairs.closed(one)
                if closed is not None:
                    found.append((closed, [*used, "bracket"]))
        return found

    def settled(self, validator: "Validator", value: Any) -> "tuple[Any, list[Name]] | None":
        """A settled value that `validator` accepts, and the guesses that lead to it; None if there is none.

        Takes one step after the other: each must end what is wrong at its place, and may bring nothing new
        but below it.
        """
        from . import repairs

        used: list[Name] = []
        tries = min(MAX_TRIES, max(2, MAX_WORK // repairs.size(value)))
        value = validator.settle(value)
        violations = validator.violations(value, limit=LIMIT)
        while violations:
            for name, steps, other in repairs.candidates(value, violations, self.allow):
                tries -= 1
                if tries < 0:
                    return None
                other = validator.settle(other)
                left = validator.violations(other, limit=LIMIT)
                if _better(violations, left, steps):
                    value, violations = other, left
                    used.append(name)
                    break
            else:
                return None
        return value, used


def _better(before: "list[Violation]", after: "list[Violation]", path: str) -> bool:
    """Whether a step at `path` ended what was wrong there, and brought nothing new elsewhere."""
    known = {(each.path, each.keyword) for each in before}
    return all(
        each.path != path
        and ((each.path, each.keyword) in known or each.path.startswith((f"{path}.", f"{path}[")))
        for each in after
    )
