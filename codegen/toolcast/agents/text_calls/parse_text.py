"""From a model's text to the calls in it, at once or as the text arrives."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from ...text_formats.text_format import AUTO, TextFormat, find_format, known_formats
from .format_file import checked_format
from .parsed_text import Call, Discarded, Event, Parsed, Problem, Prose
from .reading.feed import Reading
from .reading.grammar import Grammar, compile_grammar
from .reading.reader import Reader

Formats = str | TextFormat | Sequence[str | TextFormat]
"""A format, or several: ids, formats of one's own, and "auto", for all that are not bare."""


class TextStream:
    """Reads calls out of a text that arrives in pieces, cut anywhere.

    The events of a text are the same however it is cut, but for the cuts of `Prose` and `ArgumentsPiece`.
    """

    __slots__ = ("_events", "_over", "_reader")

    def __init__(self, format: Formats = AUTO) -> None:
        """Begin a text.

        Args:
            format: as for `parse`.

        Raises:
            ValueError: there is no such format.
        """
        self._reader = Reader(_grammar(format))
        self._events = self._reader.read()
        self._over = False

    @property
    def steps(self) -> int:
        """Characters that were looked at so far."""
        return self._reader.feed.steps

    def feed(self, piece: str) -> list[Event]:
        """Read on.

        Args:
            piece: the next piece of the text.

        Returns:
            Events: text for the user as soon as it cannot be markup, calls when they are whole.

        Raises:
            ValueError: the text has ended.
        """
        if self._over:
            raise ValueError("The text has ended: begin another TextStream.")
        self._reader.feed.push(piece)
        return _arrived(self._events)

    def finish(self, *, cut: bool = False) -> list[Event]:
        """End the text.

        Args:
            cut: whether the answer was cut off, by the provider's reason to stop.

        Returns:
            The last events. A call that is still open is a problem.

        Raises:
            ValueError: the text has ended.
        """
        if self._over:
            raise ValueError("The text has ended: begin another TextStream.")
        self._over = True
        self._reader.cut = cut
        self._reader.feed.final = True
        return _arrived(self._events)


def parse(text: str, format: Formats = AUTO, *, cut: bool = False) -> Parsed:
    """Parse the calls of a text. Never raises for a text.

    Thoughts are removed. More than 1,024 calls, or a call of more than 4 Mi characters, are a problem.

    Args:
        text: the model's answer.
        format: the text format: "auto" for all with marks that tell them from prose, the id of one, a
            `TextFormat` of your own, or several of these. Bare forms, JSON or Python without marks, are calls
            only where their format is named.
        cut: whether the answer was cut off, by the provider's reason to stop: a call that its end leaves open
            is a problem then, even if it looks whole.

    Returns:
        The calls, what is left for the user, and the problems.

    Raises:
        ValueError: there is no such format, or a `TextFormat` makes no sense (`FormatError`).
    """
    reader = Reader(_grammar(format))
    events = reader.read()
    reader.feed.push(text)
    reader.feed.final = not cut  # that an answer was cut off is known at its end
    found = _arrived(events)
    reader.cut, reader.feed.final = cut, True
    return collect([*found, *_arrived(events)])


def collect(events: Iterable[Event]) -> Parsed:
    """Put the events of a text together.

    Args:
        events: all of them, in order.

    Returns:
        What `parse` returns for the text.
    """
    calls: list[Call] = []
    problems: list[Problem] = []
    pieces: list[str] = []
    for event in events:
        if isinstance(event, Prose):
            pieces.append(event.text)
        elif isinstance(event, Call):
            calls.append(event)
        elif isinstance(event, Problem):
            problems.append(event)
        elif isinstance(event, Discarded):
            calls, problems, pieces = [], [], []
    return Parsed(calls=tuple(calls), text="".join(pieces).strip(), problems=tuple(problems))


def _arrived(events: Reading[None]) -> list[Event]:
    """Read on as far as the text has arrived."""
    found: list[Event] = []
    for event in events:
        if event is None:
            break
        found.append(event)
    return found


def _grammar(format: Formats) -> Grammar:
    return _compiled((format,) if isinstance(format, (str, TextFormat)) else tuple(format))


@lru_cache(maxsize=64)
def _compiled(several: tuple[str | TextFormat, ...]) -> Grammar:
    formats = [each for one in several for each in _resolved(one)]
    return compile_grammar(tuple(dict.fromkeys(formats)))


def _resolved(format: str | TextFormat) -> tuple[TextFormat, ...]:
    if isinstance(format, TextFormat):
        return (checked_format(format),)
    return _auto_formats() if format == AUTO else (find_format(format),)


@lru_cache(maxsize=1)
def _auto_formats() -> tuple[TextFormat, ...]:
    marked = [each for each in known_formats().values() if not each.bare]
    marked.sort(key=lambda each: -each.precedence)
    return tuple(replace(each, calls=tuple(form for form in each.calls if not form.bare)) for each in marked)


def checked_formats(format: Formats) -> Formats:
    """Return `format`. Raises ValueError where a name in it is unknown."""
    _grammar(format)
    return format
