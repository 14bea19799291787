"""Redaction: no value of a secret leaves the program."""

import re
import threading
from array import array
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from ...codec import rewrite

_Kind = Literal["text", "base64", "hex"]
_Put = Callable[[re.Match[str]], str]

_LEVELS: Final = 3
"""Times that escapes are resolved: JSON in JSON has two, and three where its slashes are escaped."""

_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}|\\x{_HEX}{{2}}"
    rf"|\\U00(?:0{_HEX}|10){_HEX}{{4}}|\\[^ux]",
    re.DOTALL,
)
_NEXT = rf"%[89abAB]{_HEX}"
_PERCENT = re.compile(
    rf"%[0-7]{_HEX}|%[c-dC-D]{_HEX}{_NEXT}|%[eE]{_HEX}(?:{_NEXT}){{2}}|%[fF][0-7](?:{_NEXT}){{3}}"
)
_FORM = re.compile(rf"\+|{_PERCENT.pattern}")
_HIDDEN = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,512}(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>])"
    "|[\0-\x08\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
"""ANSI sequences, control and zero-width characters: what shows a text may remove them."""
_SPACE = re.compile(r"\s+")
_NO_DIGIT = re.compile(r"\\[xX]|0[xX](?=[0-9A-Fa-f])|[^0-9A-Za-z]+")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ALPHABET = str.maketrans("-_", "+/")


class View:
    """A text made from another; knows which part of the first text a part came from."""

    __slots__ = ("_ends", "_pattern", "_put", "_source", "_starts", "text")

    def __init__(
        self,
        text: str,
        source: "View | None" = None,
        pattern: re.Pattern[str] = _SPACE,
        put: _Put | None = None,
    ) -> None:
        self.text = text
        self._source = source
        self._pattern = pattern
        self._put = put
        self._starts = array("q")
        self._ends = array("q")

    def replaced(self, pattern: re.Pattern[str], put: _Put) -> "View":
        """Replace each match by what `put` makes of it; the same object if nothing matches."""
        made = pattern.sub(put, self.text)
        return self if made == self.text else View(made, self, pattern, put)

    def as_base64(self) -> "View":
        """Remove white space, and use the first alphabet of base64."""
        return View("".join(self.text.split()).translate(_ALPHABET), self, _SPACE)

    def as_digits(self) -> "View":
        """Remove what may stand between digits, in lower case."""
        return View(_NO_DIGIT.sub("", self.text).lower(), self, _NO_DIGIT)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the first text that became `text[start:end]`, which must not be empty."""
        if self._source is None:
            return start, end
        if not self._starts:
            self._locate(self._source.text)
        return self._source.origin(self._starts[start], self._ends[end - 1])

    def _locate(self, source: str) -> None:
        last = 0
        for found in self._pattern.finditer(source):
            begin, stop = found.span()
            self._copy(last, begin)
            made = 0 if self._put is None else len(self._put(found))
            self._starts.extend([begin] * made)
            self._ends.extend([stop] * made)
            last = stop
        self._copy(last, len(source))

    def _copy(self, begin: int, stop: int) -> None:
        self._starts.extend(range(begin, stop))
        self._ends.extend(range(begin + 1, stop + 1))


def _views(text: str) -> Iterator[tuple[_Kind, View]]:
    """Return all views to search, each with the kind of form that may stand in it."""
    whole = View(text)
    first = whole.replaced(_HIDDEN, lambda _: "")
    if first is not whole:
        yield "text", whole
    yield from _readings(first)
    for sign, pattern, put in (("\\", _ESCAPE, _unescaped), ("%", _PERCENT, _unquoted)):
        inner = first
        for _ in range(_LEVELS):
            outer = inner
            if sign not in outer.text or (inner := outer.replaced(pattern, put)) is outer:
                break
            yield from _readings(inner)
    if "+" in first.text:
        yield "text", first.replaced(_FORM, _unquoted)


def _readings(view: View) -> Iterator[tuple[_Kind, View]]:
    yield "text", view
    yield "base64", view.as_base64()
    yield "hex", view.as_digits()


def _unescaped(found: re.Match[str]) -> str:
    token = found[0]
    if len(token) == 2:
        return _CONTROLS.get(token[1], token[1])
    if len(token) < 12:
        return chr(int(token[2:], 16))
    high, low = int(token[2:6], 16), int(token[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _unquoted(found: re.Match[str]) -> str:
    token = found[0]
    return " " if token == "+" else bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")


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


class _Form(Struct, frozen=True):
    """A form of a value, searched in the views of its kind. `before` and `after`: the character of base64
    beside it has bits of the value, too."""

    text: str
    name: str
    kind: _Kind = "text"
    before: bool = False
    after: bool = False


class Redactor:
    """Every value that was added, and its forms. Values are never forgotten: a replaced one may still come
    out. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added: set[tuple[str, str]] = set()
        self._forms: tuple[_Form, ...] = ()
        self._shortest = 0  # characters of the shortest form

    @property
    def known(self) -> bool:
        """True if there is anything to redact."""
        return bool(self._forms)

    def add(self, name: str, value: str) -> None:
        """Search for `value` from now on, and mark it as that of `name`."""
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
        """Put a mark in place of every value."""
        return self._marked(text, self._find(text)) if self._forms else text

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Put a mark into each of some texts, read one after the other, that has a part of a value."""
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
        """Put marks at any depth, also in place of numbers and bytes; the same object if nothing was found.
        What cannot be searched is withheld."""
        if not self._forms:
            return value
        try:
            return rewrite(value, self._leaf, self._leaf)
        except RecursionError:
            return WITHHELD

    def _find(self, text: str) -> list[tuple[int, int, str]]:
        """Return the parts of `text` that hold a value, in order, merged if they touch."""
        if len(text) < self._shortest:
            return []
        forms = self._forms
        overlap = max(_OVERLAP, *(_EXPANSION * len(form.text) for form in forms))
        return _merged(
            [
                (begin + first, begin + last, form.name)
                for begin in range(0, len(text), _WINDOW)
                for kind, view in _views(text[begin : begin + _WINDOW + overlap])
                for form in forms
                if form.kind == kind
                for first, last in _occurrences(view, form)
            ]
        )

    def _marked(self, text: str, spans: list[tuple[int, int, str]]) -> str:
        if not spans:
            return text
        parts: list[str] = []
        offset = 0
        for start, end, name in spans:
            parts += text[offset:start], self._mark(name)
            offset = end
        return "".join([*parts, text[offset:]])

    def _mark(self, name: str) -> str:
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

    def _other(self, value: object) -> object:
        """Search times, identifiers and dataclasses in their JSON form."""
        try:
            plain = msgspec.to_builtins(value)
        except (msgspec.MsgspecError, TypeError, ValueError, AttributeError):
            return WITHHELD
        marked = rewrite(plain, self._leaf, self._leaf)
        return value if marked is plain or marked == plain else marked


def is_too_short(value: str) -> bool:
    """Tell whether a value cannot be kept out of results."""
    return sum(letter.isprintable() and not letter.isspace() for letter in value) < SHORTEST


def _forms(name: str, value: str) -> Iterator[_Form]:
    """Return the forms of the value, and of each long line of it: its text, in base64 wherever that begins,
    and in hexadecimal; as views have it, of the value also without hidden characters, and of several lines
    without white space."""
    whole = value.strip()
    lines = [line.strip() for line in whole.splitlines() if not line.startswith("-----")]
    kept = [line for line in lines if len(line) >= _LINE] if len(lines) > 1 else []
    if len(whole.splitlines()) > 1:  # however its lines are indented
        yield _Form("".join(whole.split()).translate(_ALPHABET), name, "base64")
    for part in filter(None, dict.fromkeys((whole, _HIDDEN.sub("", whole), *kept))):
        data = part.encode("utf-8", "surrogatepass")
        yield _Form(part, name)
        yield _Form(data.hex(), name, "hex")
        for offset in range(3):
            # After `offset` other bytes, as many characters have no bit of the value, and the next has some.
            encoded = b64encode(bytes(offset) + data + bytes(2)).decode()
            last, rest = divmod(8 * (offset + len(data)), 6)
            first = offset and offset + 1
            yield _Form(encoded[first:last], name, "base64", before=offset > 0, after=rest > 0)


def _occurrences(view: View, form: _Form) -> Iterator[tuple[int, int]]:
    """Return the parts of the first text that hold `form`, overlapping ones merged."""
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
