"""Keeping the values of secrets out of whatever leaves the program."""

import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from ...rewrite_values import rewrite
from .text_views import Kind, View, views

SHORTEST: Final = 8
"""Characters, white space aside, that a value must have. A shorter one would occur in many texts by chance,
and be found out by asking for all there are."""

WITHHELD: Final = "[withheld: it cannot be searched for secrets]"

_WINDOW = 131_072
"""Characters of a text that are searched at once: it takes twelve times their memory."""
_OVERLAP = 32_768
_EXPANSION = 16
"""Characters that one of a form takes at most where it is escaped."""
_LINE = 16  # characters that make a line of a longer value worth hiding on its own


class Form(Struct, frozen=True):
    """A form of a value, searched in the views of its kind. `before` and `after`: whether the character of
    base64 beside it has bits of the value, too."""

    text: str
    name: str
    kind: Kind = "text"
    before: bool = False
    after: bool = False


class Redactor:
    """Every value that was added, and its forms. Values are never forgotten: one that was replaced may still
    come out. Safe from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added: set[tuple[str, str]] = set()
        self._forms: tuple[Form, ...] = ()
        self._shortest = 0  # characters of the shortest form

    @property
    def known(self) -> bool:
        """Whether there is anything to redact."""
        return bool(self._forms)

    def add(self, name: str, value: str) -> None:
        """Look for `value` from now on, and write that it was `name`'s."""
        if (name, value) in self._added:
            return
        with self._lock:
            present = {(form.text, form.kind) for form in self._forms}
            fresh = [form for form in _forms(name, value) if (form.text, form.kind) not in present]
            # The longest first: its name is the one that is written where several overlap.
            self._forms = tuple(sorted((*self._forms, *fresh), key=lambda form: (-len(form.text), form.text)))
            self._shortest = min((len(form.text) for form in self._forms), default=0)
            self._added.add((name, value))

    def text(self, text: str) -> str:
        """`text` with a mark in place of every value."""
        return self._marked(text, self._find(text)) if self._forms else text

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Texts that are read one after the other, with a mark in each that has a part of a value."""
        spans = self._find("".join(texts)) if self._forms else []
        marked: list[str] = []
        begin = first = 0
        for text in texts:
            end = begin + len(text)
            while first < len(spans) and spans[first][1] <= begin:
                first += 1
            last = first
            while last < len(spans) and spans[last][0] < end:
                last += 1
            inside = [
                (max(start - begin, 0), min(stop, end) - begin, name)
                for start, stop, name in spans[first:last]
            ]
            marked.append(self._marked(text, inside))
            begin = end
        return marked

    def value(self, value: Any) -> Any:
        """`value` with marks at any depth, also in place of numbers and bytes; the same object where nothing
        was found. What cannot be searched is withheld."""
        if not self._forms:
            return value
        try:
            return rewrite(value, self._leaf, self._leaf)
        except RecursionError:
            return WITHHELD

    def _find(self, text: str) -> list[tuple[int, int, str]]:
        """Parts of `text` that hold a value, in order, merged where they touch each other's."""
        if len(text) < self._shortest:
            return []
        forms = self._forms
        overlap = max(_OVERLAP, *(_EXPANSION * len(form.text) for form in forms))
        return _merged(
            [
                (begin + first, begin + last, form.name)
                for begin in range(0, len(text), _WINDOW)
                for kind, view in views(text[begin : begin + _WINDOW + overlap])
                for form in forms
                if form.kind == kind
                for first, last in _occurrences(view, form)
            ]
        )

    def _marked(self, text: str, spans: list[tuple[int, int, str]]) -> str:
        """`text` with a mark in place of each of some parts, which are in order and apart."""
        if not spans:
            return text
        parts: list[str] = []
        offset = 0
        for start, end, name in spans:
            parts += text[offset:start], self._mark(name)
            offset = end
        return "".join([*parts, text[offset:]])

    def _mark(self, name: str) -> str:
        """A mark that is no secret itself."""
        for mark in (f"[redacted:{name}]", "[redacted]", "***", "…"):
            if not any(form.text in mark for form in self._forms):
                return mark
        return ""

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool) or value is msgspec.UNSET:
            return value
        if isinstance(value, (bytes, bytearray, memoryview)):
            text = bytes(value).decode("utf-8", "surrogateescape")
            marked = self.text(text)
            return value if marked == text else marked.encode("utf-8", "surrogateescape")
        if isinstance(value, (int, float)):
            text = str(value)
            marked = self.text(text)
            return value if marked == text else marked
        return self._other(value)

    def _other(self, value: Any) -> Any:
        """Times, identifiers, dataclasses: what has a JSON form is searched in that form."""
        try:
            plain = msgspec.to_builtins(value)
        except (msgspec.MsgspecError, TypeError, ValueError, AttributeError):
            return WITHHELD
        marked = rewrite(plain, self._leaf, self._leaf)
        return value if marked is plain or marked == plain else marked


def is_too_short(value: str) -> bool:
    """Whether a value cannot be kept out of results."""
    return sum(letter.isprintable() and not letter.isspace() for letter in value) < SHORTEST


def _forms(name: str, value: str) -> Iterator[Form]:
    """The value, and each long line of it: its text, in base64 wherever that begins, and in hexadecimal."""
    whole = value.strip()
    lines = [line.strip() for line in whole.splitlines() if not line.startswith("-----")]
    kept = [line for line in lines if len(line) >= _LINE] if len(lines) > 1 else []
    for part in filter(None, (whole, *kept)):
        data = part.encode("utf-8", "surrogatepass")
        yield Form(part, name)
        yield Form(data.hex(), name, "hex")
        for offset in range(3):
            # After `offset` other bytes, as many characters have no bit of the value, and the next has some.
            encoded = b64encode(bytes(offset) + data + bytes(2)).decode()
            last, rest = divmod(8 * (offset + len(data)), 6)
            first = offset and offset + 1
            yield Form(encoded[first:last], name, "base64", before=offset > 0, after=rest > 0)


def _occurrences(view: View, form: Form) -> Iterator[tuple[int, int]]:
    """The parts of the first text that hold `form`, overlapping ones merged."""
    text, size = view.text, len(form.text)
    at = text.find(form.text)
    while at >= 0:
        start, end = at, at + size
        while 0 <= (at := text.find(form.text, at + 1)) < end:
            end = at + size
        yield view.origin(max(start - form.before, 0), min(end + form.after, len(text)))


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for start, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, name))
    return merged
