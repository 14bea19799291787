"""Keeping the values of secrets out of whatever leaves the program."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ...rewrite_values import rewrite
from .searched_values import Form, forms, shortest_match, without_plus
from .text_views import CHARACTERS, most_bytes, views

_WINDOW = 131_072
"""Characters of a text that are searched at once: it takes twenty times their memory."""
_OVERLAP = 32_768
_EXPANSION = 16
"""Characters that one of a value takes at most where it is escaped or encoded, other than by white space."""
WITHHELD = "[withheld: it cannot be searched for secrets]"


class Redactor:
    """Every value that was added, and its forms. Values are never forgotten: one that was replaced may still
    come out. Safe from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added: set[tuple[str, str]] = set()
        self._forms: tuple[Form, ...] = ()
        self._shortest = 0  # bytes of the shortest text in which a value is found
        self._spaced = False

    @property
    def known(self) -> bool:
        """Whether there is anything to redact."""
        return bool(self._forms)

    def add(self, name: str, value: str) -> None:
        """Look for `value` from now on, and write that it was `name`'s."""
        if (name, value) in self._added:
            return
        with self._lock:
            present = {form.text for form in self._forms}
            fresh = [form for form in forms(name, value) if form.text not in present]
            # The longest first: its name is the one that is written where several overlap.
            self._forms = tuple(sorted((*self._forms, *fresh), key=lambda form: (-len(form.text), form.text)))
            self._shortest = min(map(shortest_match, self._forms), default=0)
            self._spaced |= len(value.split()) > 1
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
        found: list[tuple[int, int, str]] = []
        known = self._forms
        if most_bytes(text) < self._shortest:
            return found
        overlap = max(_OVERLAP, *(_EXPANSION * len(form.text) for form in known))
        for begin in range(0, len(text), _WINDOW):
            for view in views(text[begin : begin + _WINDOW + overlap], self._spaced):
                lowered = view.text.lower()
                for form in known:
                    wanted = without_plus(form) if "+" in form.text and "+" not in lowered else form
                    for at, end in _occurrences(lowered, wanted):
                        first, last = view.origin(at, end)
                        found.append((begin + first, begin + last, form.name))
        return _merged(found)

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
            if not any(form.text in mark.lower() for form in self._forms):
                return mark
        return ""

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool) or value is msgspec.UNSET:
            return value
        if isinstance(value, (bytes, bytearray, memoryview)):
            text = bytes(value).decode("utf-8", "surrogateescape")
            marked = CHARACTERS.sub(lambda found: self.text(found[0]), text)
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


def _occurrences(text: str, form: Form) -> Iterator[tuple[int, int]]:
    """The occurrences of `form`, overlapping ones merged."""
    at, end = form.find(text, 0) if form.text else (-1, -1)
    while at >= 0:
        start = at
        at, following = form.find(text, at + 1)
        while 0 <= at < end:
            end = max(end, following)
            at, following = form.find(text, at + 1)
        yield start, end
        end = following


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for start, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, name))
    return merged
