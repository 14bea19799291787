"""Guesses at what a model intended with arguments that the contract refuses. Off unless they are allowed by
name.

A guess changes a value that is refused, and counts only if the contract accepts all of the arguments after
it; else none of a call's guesses is applied, and the error names what was sent.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from ..arguments import MAX_TEXT, decode_json
from ..errors import LIMIT, ArgumentError
from .value_paths import Steps, steps_of, value_at, with_value, without

if TYPE_CHECKING:
    from ...jsonschema import Validator, Violation


Name = Literal[
    "number", "boolean", "null-text", "empty-string", "json-text", "single-item", "fence", "bracket"
]
NAMES: tuple[Name, ...] = get_args(Name)
"""In the order in which they are tried.

* `number`: `"5"` is 5. `boolean`: `"true"` is true.
* `null-text`: `"null"` is null, or an optional property left out.
* `empty-string`: `""` is an optional property left out.
* `json-text`: a string that holds a JSON object or array is that.
* `single-item`: a string, number or boolean is an array of it alone.
* `fence`: arguments between lines of ``` are what stands there.
* `bracket`: arguments whose text lacks exactly one bracket, brace or quote at its end.
"""


MAX_TRIES = 64
"""Values that are validated for one call at most: each validates all of the arguments."""
MAX_WORK = 50_000
"""Parts of values that are validated for one call, so that large arguments get fewer tries, at least two."""


class Guesses:
    """Which guesses may be applied to refused arguments, and how often each was.

    One object may serve any number of registries and threads.

    Attributes:
        allow: names of the guesses that may be applied.
        counts: how often each guess led to accepted arguments; read only.
    """

    __slots__ = ("_lock", "allow", "counts")

    def __init__(self, allow: "Iterable[Name] | Literal['all']" = ()) -> None:
        """Allow some guesses.

        Args:
            allow: names (`number`, `boolean`, `null-text`, `empty-string`, `json-text`, `single-item`,
                `fence`, `bracket`), or "all".

        Raises:
            ValueError: a name is none of these.
        """
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
        """Count guesses that led to arguments which the contract accepts.

        Args:
            used: names of guesses.
        """
        with self._lock:
            for name in used:
                self.counts[name] += 1

    def texts(self, text: str) -> "list[tuple[str, list[Name]]]":
        """Repair a text that is not JSON.

        Args:
            text: the arguments as they came.

        Returns:
            Candidate texts, each with the names of the guesses that lead to it.
        """

        found: list[tuple[str, list[Name]]] = []
        inner = unfenced(text) if "fence" in self.allow else None
        if inner is not None:
            found.append((inner, ["fence"]))
        if "bracket" in self.allow:
            for one, used in ((text, []), *found):
                whole = closed(one)
                if whole is not None:
                    found.append((whole, [*used, "bracket"]))
        return found

    def settled(self, validator: "Validator", value: Any) -> "tuple[Any, list[Name]] | None":
        """Find a value that the contract accepts, one guess after the other.

        Each guess must end what is wrong at its location, and may cause violations only below it.

        Args:
            validator: validator of the contract.
            value: plain data that was refused.

        Returns:
            The settled value and the names of the guesses; None where no guess leads to an accepted value.
        """

        used: list[Name] = []
        tries = min(MAX_TRIES, max(2, MAX_WORK // size(value)))
        value = validator.settle(value)
        violations = validator.violations(value, limit=LIMIT)
        while violations:
            for name, steps, other in candidates(value, violations, self.allow):
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


def guess(
    arguments: Any, read: Callable[[Any], Any], validator: "Validator", guesses: Guesses
) -> tuple[Any, list[Name]] | None:
    """A value that `validator` accepts, and the guesses that lead to it; None if there is none.

    `read` makes plain data in the contract's form of a text or mapping, or raises ArgumentError.
    """
    try:
        return guesses.settled(validator, read(arguments))
    except ArgumentError:
        pass  # not JSON: perhaps almost
    for other, used in almost(arguments, guesses):
        try:
            found = guesses.settled(validator, read(other))
        except ArgumentError:
            continue
        return None if found is None else (found[0], [*used, *found[1]])
    return None


def almost(arguments: Any, guesses: Guesses) -> list[tuple[str, list[Name]]]:
    """Texts that arguments may mean which are not JSON, each with the guesses that lead to it."""
    text = _as_str(arguments)
    return [] if text is None or len(text) > MAX_TEXT else guesses.texts(text)


def _as_str(arguments: Any) -> str | None:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, (bytes, bytearray, memoryview)):
        try:
            return str(arguments, "utf-8")
        except UnicodeDecodeError:
            return None
    return None


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")
_FENCE = "```"
_CLOSING = {"{": "}", "[": "]"}
_ESCAPE = re.compile(r"\\.|[\"{}\[\]]|\\$", re.DOTALL)


def unfenced(text: str) -> str | None:
    """The text between a first and a last line of ```; None where there are none."""
    text = text.strip()
    head, newline, rest = text.partition("\n")
    language = head[3:].strip()
    if not newline or head[:3] != _FENCE or not rest.endswith(_FENCE):
        return None
    return rest[:-3] if not language or language.isalnum() else None


def closed(text: str) -> str | None:
    """`text` with the one bracket, brace or quote that its end lacks; None where that is not all.

    A text that ends in a number gets none: digits may be what is missing.
    """
    waiting: list[str] = []
    in_string = False
    for found in _ESCAPE.finditer(text):
        mark = found[0]
        if mark == '"':
            in_string = not in_string
        elif mark == "\\":
            return None  # cut in the middle of an escape
        elif in_string or len(mark) > 1:
            continue
        elif mark in _CLOSING:
            waiting.append(_CLOSING[mark])
        elif not waiting or waiting.pop() != mark:
            return None
    if in_string:
        return None if waiting else text + '"'
    if len(waiting) != 1 or text.rstrip()[-1:].isdigit():
        return None
    return text + waiting[0]


def size(value: Any) -> int:
    """How many values there are in `value`, itself included. Does not recurse."""
    count = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if isinstance(each, (dict, list)):
            waiting += each.values() if isinstance(each, dict) else each
    return count


def candidates(
    value: Any, violations: "Sequence[Violation]", allow: "Collection[Name]"
) -> "Iterator[tuple[Name, str, Any]]":
    """Each guess at a refused place: its name, the path, and the whole value after it."""
    visited: set[str] = set()
    for violation in violations:
        steps = steps_of(violation.path)
        if steps is None or violation.path in visited:
            continue
        visited.add(violation.path)
        try:
            found = value_at(value, steps)
        except LookupError:
            continue
        for name, other in _others(value, steps, found):
            if name in allow:
                yield name, violation.path, other


def _others(value: Any, steps: Steps, found: Any) -> "Iterator[tuple[Name, Any]]":
    if isinstance(found, str):
        if _NUMBER.fullmatch(found):
            number = _number(found)
            if number is not None:
                yield "number", with_value(value, steps, number)
        elif found in ("true", "false"):
            yield "boolean", with_value(value, steps, found == "true")
        elif found == "null":
            yield "null-text", with_value(value, steps, None)
        property_ = bool(steps) and isinstance(steps[-1], str)
        if property_ and found == "null":
            yield "null-text", without(value, steps)
        if property_ and not found:
            yield "empty-string", without(value, steps)
        if found.lstrip()[:1] in ("{", "["):
            parsed = _parsed(found)
            if parsed is not None:
                yield "json-text", with_value(value, steps, parsed)
    if steps and isinstance(found, (str, int, float)):
        yield "single-item", with_value(value, steps, [found])


def _number(text: str) -> Any:
    """The number that `text` is; None beyond doubles."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _parsed(text: str) -> Any:
    """The object or array that `text` holds; None where it is not JSON, or has a property twice."""
    try:
        return decode_json(text.encode())
    except (ValueError, RecursionError):
        return None
