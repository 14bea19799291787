"""Meanings of a refused value."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...jsonschema.pointers import Steps, steps_of, value_at, with_value, without
from ..bounded_json import UnreadableJSONError, read_json
from ..errors import LIMIT
from .repair import LEXICAL_NAMES, Name, Repair
from .texts import MAX_TEXT, MissingLibraryError, candidates

if TYPE_CHECKING:
    from ...jsonschema.validator import Validator
    from ...jsonschema.validator_errors import Violation

_MAX_TRIES = 64
"""Values that are validated for one call at most: each validates all of the arguments."""
_MAX_WORK = 50_000
"""Parts of values that are validated for one call, so that large arguments get fewer tries, at least two."""

_MAX_READINGS = 8
"""Readings of the texts in a value by one form of several."""

_WRAPPERS = frozenset(
    {"arguments", "args", "kwargs", "parameters", "params", "input", "tool_input", "properties"}
)
"""Names of an object that holds nothing but the arguments."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")
_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_LIST = re.compile(r"\[.*\]|\[\s*[\[{\"'].*|\(\s*[\"'].*\)|null|None|", re.DOTALL)
_TUPLE = re.compile(r"\(\s*[\"'].*\)\Z", re.DOTALL)
_IN_PLACE: frozenset[Name] = frozenset(
    {"fence", "prose", "missing-bracket", "surplus-bracket", "missing-colon", "cut-value"}
)
"""Guesses that find an object or array in a longer text, or end one: in a value they may be its text."""
_CLOSING = ("additionalProperties", "unevaluatedProperties")
_TYPES: dict[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number", "integer"),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
}


_Read = Callable[[str], tuple[tuple[Name, ...], Any] | None]


class Fit(NamedTuple):
    """A value that the contract accepts, settled, and the repairs that lead to it."""

    value: Any
    repairs: list[Repair]


class _Option(NamedTuple):
    """A repair of one place: its guesses, the value there, the whole value; if `absent`, with less in it."""

    guesses: tuple[Name, ...]
    after: Any
    whole: Any
    absent: bool = False


class Fitting:
    """The search for values that a contract accepts. `tries` are the remaining validations; `missing` is the
    library that some text could not be read without."""

    __slots__ = ("_read", "_unread", "allow", "missing", "tries", "validator")

    def __init__(self, validator: "Validator", allow: "Collection[Name]", parts: int) -> None:
        """Prepare for values with `parts` parts."""
        self.validator = validator
        self.allow = allow
        self.tries = min(_MAX_TRIES, max(2, _MAX_WORK // parts))
        self.missing: MissingLibraryError | None = None
        self._read: dict[str, tuple[tuple[Name, ...], object] | None] = {}
        self._unread = MAX_TEXT  # characters of texts that are no JSON

    def fits(self, value: object) -> list[Fit]:
        """Return the accepted values that guesses at refused places lead to, with the fewest guesses at each.
        A guess must end the fault at its place, and may cause violations only below it."""
        settled = self.validator.settle(value)
        try:
            msgspec.json.encode(settled)
        except (ValueError, RecursionError):  # integers of more digits than Python writes
            return []
        return self._solve(settled, self.validator.violations(settled, limit=LIMIT), [])

    def _solve(self, value: object, violations: "list[Violation]", made: list[Repair]) -> list[Fit]:
        if not violations:
            return [Fit(value, made)]
        for path, steps, found in _places(value, violations):
            better: list[tuple[_Option, object, list[Violation]]] = []
            for option in _options(value, steps, found, violations, self.read_text):
                if not all(guess in self.allow for guess in option.guesses):
                    continue
                if option.absent and any(one.guesses == option.guesses for one, _, _ in better):
                    continue  # null is what was written
                self.tries -= 1
                if self.tries < 0:
                    return []
                settled = self.validator.settle(option.whole)
                left = self.validator.violations(settled, limit=LIMIT)
                if _better(violations, left, path):
                    better.append((option, settled, left))
            if better:
                return self._follow(path, found, better, made)
        return []

    def _follow(
        self,
        path: str,
        found: object,
        better: "list[tuple[_Option, object, list[Violation]]]",
        made: list[Repair],
    ) -> list[Fit]:
        """Return the fits of the options that leave nothing wrong at the place; of all if none does."""
        complete = [each for each in better if not any(_is_below(one.path, path) for one in each[2])]
        results: dict[bytes, Fit] = {}
        for option, settled, left in complete or better:
            for fit in self._solve(settled, left, [*made, *_repairs(path, found, option)]):
                results.setdefault(msgspec.json.encode(fit.value, order="deterministic"), fit)
        return [*results.values()]

    def read_text(self, text: str) -> tuple[tuple[Name, ...], object] | None:
        """Return the object or array that a text of a value holds, and the guesses that it takes; None if it
        holds none, or may be read in several ways."""
        parsed = _parsed(text)
        if parsed is not None:
            return ("json-text",), parsed
        if text not in self._read:
            self._read[text] = self._read_nearly_json(text)
        return self._read[text]

    def _read_nearly_json(self, text: str) -> tuple[tuple[Name, ...], object] | None:
        if not any(name in self.allow for name in LEXICAL_NAMES) or len(text) > self._unread:
            return None
        self._unread -= len(text)
        if _TUPLE.match(text):
            text = f"[{text[1:-1]}]"
        try:
            found = candidates(text)
        except MissingLibraryError as missing:
            self.missing = missing
            return None
        if len(found) != 1 or not found[0].guesses or not _IN_PLACE.isdisjoint(found[0].guesses):
            return None
        return ("json-text", *sorted(found[0].guesses)), _parsed(found[0].json)


def _better(before: "list[Violation]", after: "list[Violation]", path: str) -> bool:
    """Tell whether a guess at `path` ended the fault there, and brought nothing new elsewhere."""
    known = {(each.path, each.keyword) for each in before}
    return all(
        each.path != path and ((each.path, each.keyword) in known or _is_below(each.path, path))
        for each in after
    )


def _is_below(path: str, above: str) -> bool:
    return path.startswith((f"{above}.", f"{above}["))


def _places(value: object, violations: "Sequence[Violation]") -> Iterator[tuple[str, Steps, object]]:
    visited: set[str] = set()
    for violation in violations:
        steps = steps_of(violation.path)
        if steps is None or violation.path in visited:
            continue
        visited.add(violation.path)
        try:
            yield violation.path, steps, value_at(value, steps)
        except LookupError:
            continue


def _options(
    value: object, steps: Steps, found: object, violations: "Sequence[Violation]", read: _Read
) -> Iterator[_Option]:
    """Return meanings of `found`, as far as its type can be what the violations ask for."""
    refused = [each for each in violations if steps_of(each.path) == steps]
    types = _types(refused)
    nested = (*_nested(value, steps, found, violations), *_in_forms(value, steps, refused, read))
    for option in (*_others(value, steps, found, read), *nested):
        if option.absent or types is None or not types.isdisjoint(_TYPES[type(option.after)]):
            yield option


def _types(refused: "list[Violation]") -> set[str] | None:
    if any(each.keyword != "type" for each in refused):
        return None
    wanted = [each.expected for each in refused]
    return {name for each in wanted for name in ([each] if isinstance(each, str) else each)}


def _others(value: object, steps: Steps, found: object, read: _Read) -> Iterator[_Option]:
    def put(after: object, *guesses: Name) -> _Option:
        return _Option(guesses, after, with_value(value, steps, after))

    if isinstance(found, str):
        for guesses, after in _of_text(found, read):
            yield put(after, *guesses)
        if steps and isinstance(steps[-1], str) and found.strip() in ("", "null"):
            name: Name = "null-text" if found.strip() else "empty-string"
            guesses = (name,) if found in ("", "null") else ("blanks", name)
            if name == "empty-string":
                yield put([], *guesses)
                yield put({}, *guesses)
            yield _Option(guesses, None, without(value, steps), absent=True)
    elif isinstance(found, int):
        if found in (0, 1) and not isinstance(found, bool):
            yield put(bool(found), "boolean")
        if not isinstance(found, bool):
            yield put(str(found), "number-to-string")
    if steps and isinstance(found, (str, int, float, dict)) and not _is_list_text(found):
        yield put([found], "single-item")
    if isinstance(found, list) and len(found) == 1:
        yield put(found[0], "surplus-nesting")
    if isinstance(found, dict) and len(found) == 1:
        name_, inner = next(iter(found.items()))
        if name_ in _WRAPPERS or (steps and name_ == steps[-1]):
            yield put(inner, "surplus-nesting")
            parsed = read(inner.strip()) if isinstance(inner, str) else None
            if parsed is not None:
                yield put(parsed[1], "surplus-nesting", *parsed[0])


def _nested(
    value: object, steps: Steps, found: object, violations: "Sequence[Violation]"
) -> Iterator[_Option]:
    """Return an object, or its unknown members, as the value of a property that it lacks."""
    if not isinstance(found, dict):
        return
    at = [(steps_of(each.path), each) for each in violations]
    missing = [each.expected for place, each in at if place == steps and each.keyword == "required"]
    unknown = {
        place[-1]
        for place, each in at
        if place and place[:-1] == steps and each.keyword in _CLOSING and each.expected is False
    }
    inner = {name: item for name, item in found.items() if name in unknown}
    for name in missing:
        rest = {other: item for other, item in found.items() if other not in unknown}
        for after in ({name: found}, {**rest, name: inner}):
            if after[name]:
                yield _Option(("missing-nesting",), after, with_value(value, steps, after))
            if not rest:
                break  # the same


def _in_forms(value: object, steps: Steps, refused: "list[Violation]", read: _Read) -> Iterator[_Option]:
    """Return an object or array whose texts have the meanings that one of its forms asks for."""
    for form in (each for violation in refused for each in violation.forms):
        made = [_Option((), None, value)]
        for path, place, _ in _places(value, form):
            inner = any(each.path == path and each.forms for each in form)
            made = [
                _Option((*one.guesses, *option.guesses), None, option.whole, one.absent or option.absent)
                for one in made
                for found in [value_at(one.whole, place)]
                if inner or isinstance(found, str)
                for option in _options(one.whole, place, found, form, read)
            ][:_MAX_READINGS]
        for one in filter(lambda each: each.guesses, made):
            guesses = tuple(dict.fromkeys(one.guesses))
            yield _Option(guesses, value_at(one.whole, steps), one.whole, one.absent)


def _is_list_text(value: object) -> bool:
    """Tell whether a value is a text that reads as a list, also one with an error or without its end, or as
    no value: such a text is not the one item of a list."""
    return isinstance(value, str) and _LIST.fullmatch(value.strip()) is not None


def _of_text(text: str, read: _Read) -> Iterator[tuple[tuple[Name, ...], object]]:
    """Return meanings of a text: the guesses, and the value."""
    plain = text.strip()
    blanks: tuple[Name, ...] = () if plain == text else ("blanks",)
    if blanks:
        yield blanks, plain
    if _NUMBER.fullmatch(plain):
        number = _number(plain)
        if number is not None:
            yield (*blanks, "number"), number
    if len(plain) <= 5 and plain.lower() in _BOOLEANS:
        yield (*blanks, "boolean"), _BOOLEANS[plain.lower()]
    if plain == "null":
        yield (*blanks, "null-text"), None
    if plain[:1] in ("{", "[", '"') or _TUPLE.match(plain):
        parsed = read(plain)
        if parsed is not None:
            yield parsed


def _number(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _parsed(text: str) -> object:
    """Return the object or array that `text` holds; None if it is not JSON, or has a property twice."""
    try:
        return read_json(text, unique=True)
    except UnreadableJSONError:
        return None


def _repairs(path: str, found: object, option: _Option) -> list[Repair]:
    before = _text(found)
    after = "" if option.absent and option.after is None else _text(option.after)
    return [Repair(guess, path, None, before, after) for guess in option.guesses]


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
