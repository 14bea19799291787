"""Guesses at what a model intended with arguments that the contract refuses. Off unless allowed by name.

A guess corrects a text that is not JSON, or a refused value, and counts only if the contract accepts all of
the arguments after it, and only one reading of them; else none of a call's guesses is applied, and the error
names what was sent.
"""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ...jsonschema.json_values import count_parts
from ..arguments import MAX_TEXT
from ..bounded_json import UnreadableJSONError, read_json
from ..errors import ArgumentError
from ..repairs.repair import EXPLICIT_NAMES, LEXICAL_NAMES, NAMES, OWN_NAMES, Name, Repair, shortened, shown
from ..repairs.texts import Candidate, MissingLibraryError, candidates
from ..repairs.values import Fit, Fitting

if TYPE_CHECKING:
    from ...jsonschema.validator import Validator

__all__ = ["NAMES", "GuessError", "Guesses", "Name", "RecordedGuesses", "Repair", "guess", "with_reason"]


class Guesses:
    """The guesses that may be applied to refused arguments, and how often each was.

    One object may serve any number of registries and threads.

    Attributes:
        allow: names of the guesses that may be applied.
        counts: how often each guess led to accepted arguments; read only.
    """

    __slots__ = ("_lock", "allow", "counts")

    def __init__(self, allow: "Iterable[Name | Literal['all']] | Literal['all']" = ()) -> None:
        """Allow some guesses.

        Args:
            allow: names, as docs/reference/arguments.md lists them. "all", alone or among them, is every
                name but `cut-value`.

        Raises:
            ValueError: a name is none of these.
        """
        if isinstance(allow, str) and allow != "all":
            raise ValueError(f"allow must be 'all' or names in a tuple, not {allow!r}.")
        names: set[str] = {allow} if isinstance(allow, str) else {*allow}
        unknown = sorted(names - {"all", *NAMES})
        if unknown:
            raise ValueError(f"There is no guess {unknown[0]!r}. Guesses: {', '.join(NAMES)}.")
        every = {*NAMES} - EXPLICIT_NAMES if "all" in names else set[Name]()
        self.allow: frozenset[Name] = frozenset(name for name in NAMES if name in names or name in every)
        self.counts: dict[str, int] = dict.fromkeys(NAMES, 0)
        self._lock = Lock()

    def recorded(self) -> "RecordedGuesses":
        """Return guesses that record the repairs of one call, counted together with these."""
        return RecordedGuesses(self)

    def count(self, repairs: Iterable[Repair]) -> None:
        """Count the repairs of one call, whose arguments the contract accepts."""
        with self._lock:
            for repair in repairs:
                self.counts[repair.guess] += 1


class RecordedGuesses(Guesses):
    """Guesses for one call, which record its repairs."""

    __slots__ = ("_repairs",)

    def __init__(self, guesses: Guesses) -> None:
        """Record what `guesses` repair; both are counted together."""
        self.allow = guesses.allow
        self.counts = guesses.counts
        self._lock = guesses._lock
        self._repairs: tuple[Repair, ...] = ()

    def count(self, repairs: Iterable[Repair]) -> None:
        """Count the repairs of one call, and record them in place of those before."""
        self._repairs = tuple(repairs)
        super().count(self._repairs)

    def repairs(
        self, redact: Callable[[tuple[Repair, ...]], tuple[Repair, ...]] | None = None
    ) -> tuple[Repair, ...]:
        """Return at most 50 repairs of the last repaired arguments, with at most 80 characters of each text;
        those of the text first.

        Args:
            redact: replaces what must not be shown, before texts are cut.
        """
        made = self._repairs
        return shortened(made if redact is None or not made else redact(made))


class GuessError(ValueError):
    """No guess is made; the text is the reason that the error about the arguments gives."""


def with_reason(problem: ArgumentError, reason: GuessError) -> ArgumentError:
    """Add to `problem` why no guess was made."""
    return ArgumentError(problem.tool, f"{problem.problem} {reason}".strip(), problem.violations)


def guess(arguments: Any, read: Callable[[Any], Any], validator: "Validator", guesses: Guesses) -> Any:
    """Return the one value that guesses make of refused arguments and `validator` accepts, settled, and count
    its repairs; None for no value.

    `read` makes plain data in the contract's form of a text or mapping, or raises ArgumentError. Raises
    GuessError if several readings fit, or a library is missing.
    """
    try:
        value = read(arguments)
    except ArgumentError:
        text = _opened(_as_str(arguments))
    else:
        fitting = Fitting(validator, guesses.allow, count_parts(value))
        found = _only(fitting.fits(value))
        if found is None and fitting.missing is not None:
            raise GuessError(str(fitting.missing))
        if found is not None or not isinstance(value, str):
            return _counted(found, guesses)
        text = value  # JSON text in a JSON string
    if text is None or len(text) > MAX_TEXT or guesses.allow.isdisjoint(LEXICAL_NAMES):
        return None
    return _counted(_only(_text_fits(text, read, validator, guesses)), guesses)


def _counted(found: Fit | None, guesses: Guesses) -> object:
    if found is None:
        return None
    guesses.count(found.repairs)
    return found.value


def _text_fits(
    text: str, read: Callable[[object], object], validator: "Validator", guesses: Guesses
) -> list[Fit]:
    """Return the readings of a text that is not JSON which the contract accepts; those without guesses at
    values alone, if there are such."""
    try:
        found = candidates(text)
    except MissingLibraryError as missing:
        if guesses.allow <= OWN_NAMES:
            return []
        raise GuessError(str(missing)) from None
    made: list[tuple[Candidate, Fit]] = []
    fitting: Fitting | None = None
    for candidate in found:
        try:
            value = read(candidate.json)
        except ArgumentError:
            continue
        if fitting is None:
            fitting = Fitting(validator, guesses.allow, count_parts(value))
        made += [(candidate, fit) for fit in fitting.fits(value)]
    fits = [each for each in made if not each[1].repairs] or made
    allowed = [each for each in fits if each[0].guesses and each[0].guesses <= guesses.allow]
    if allowed:
        _only([fit for _, fit in fits])
    return [Fit(fit.value, [*candidate.repairs, *fit.repairs]) for candidate, fit in allowed]


def _only(fits: list[Fit]) -> Fit | None:
    """Return the only value among `fits`; None for none. Raises GuessError if values differ."""
    known: dict[bytes, Fit] = {}
    for fit in fits:
        known.setdefault(msgspec.json.encode(fit.value, order="deterministic"), fit)
    if len(known) > 1:
        one, other = [text.decode() for text in known][:2]
        raise GuessError(_ambiguous(one, other, len(known)))
    return next(iter(known.values()), None)


def _ambiguous(one: str, other: str, count: int) -> str:
    """Show the readings from a little before their first difference on."""
    alike = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, alike - 30)
    parts = [("…" if start else "") + shown(text[start:]) for text in (one, other)]
    ways = "two ways" if count == 2 else f"{count} ways, among them"
    return f"They can be read in {ways}: {parts[0]} or {parts[1]}. Send the one that is meant."


def _opened(text: str | None) -> str | None:
    """Return the text that a JSON string holds; any other text as it is."""
    if text is None or len(text) > MAX_TEXT or text.lstrip()[:1] != '"':
        return text
    try:
        opened: str = read_json(text)
    except UnreadableJSONError:
        return text
    return opened


def _as_str(arguments: object) -> str | None:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, (bytes, bytearray, memoryview)):
        try:
            return str(arguments, "utf-8")
        except UnicodeDecodeError:
            return None
    return None
