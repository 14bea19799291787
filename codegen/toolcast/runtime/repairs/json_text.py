"""A text as JSON: its tokens, its surroundings, and the values that they can mean.

Brackets, commas and colons may be missing or surplus. All readings with the fewest corrections are searched
for: a missing bracket may have stood at several places, and only the contract can tell where.
"""

import re
from typing import NamedTuple

from .repair import Edit, LexicalName

_MAX_CORRECTIONS = 6
"""Brackets, commas and colons that are corrected in one text at most."""
_MAX_READINGS = 16
"""Readings of one text at most; a text with more has none."""
_MAX_STEPS = 30_000
"""Tokens that are looked at in one search, beyond one look at each."""

_CLOSING = {"{": "}", "[": "]"}

# What may come next: a key or `}`, a key, a colon, a value, a value or `]`, a value after a comma, or what
# follows a value.
_FIRST_KEY, _KEY, _COLON, _VALUE, _FIRST_ITEM, _ITEM, _AFTER, _END = range(8)
_STRING = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
STRING = re.compile(_STRING)
_TOKEN = re.compile(
    rf"[ \t\r\n]*(?:(?P<mark>[{{}}\[\],:])|(?P<string>{_STRING})"
    rf"|(?P<scalar>(?:{NUMBER}|true|false|null)(?![\w.+-])))"
)
_BLANKS = re.compile(r"[ \t\r\n]*")
_FENCE = re.compile(r"`{3,}[A-Za-z0-9_+-]*")
_OPENING = re.compile(r"[{\[]")
_BRACKETS = frozenset("{}[]")
_MEMBER = re.compile(
    r"""["'”’]\s*:|\w\s*[:=]\s*(?:(?:true|false|null|none)\b|[-+.]?[0-9]|["'“‘])""", re.IGNORECASE
)
"""The form of a member of an object."""
_NAME = re.compile(r"([A-Za-z_][\w-]*)\s*[:=]")


class Token(NamedTuple):
    """A punctuation mark of JSON (`kind` and `json` are the mark) or a scalar. `kind` of a scalar is `"` for
    a string, else `0`; `json` is its JSON text. `start` and `end` are offsets in the sent text."""

    kind: str
    json: str
    start: int
    end: int


class Tokens(NamedTuple):
    """The tokens of a text up to `end`, the corrections that led to them, and whether the last value may be
    cut."""

    tokens: list[Token]
    edits: list[Edit]
    end: int
    cut: bool


def strict_tokens(text: str, start: int, end: int) -> Tokens:
    """Return the JSON tokens of `text` from `start`, as far as it has such."""
    tokens: list[Token] = []
    at = start
    while (found := _TOKEN.match(text, at, end)) is not None:
        at = found.end()
        kind = found.lastgroup or ""
        piece = found[kind]
        shown = piece if kind == "mark" else '"' if kind == "string" else "0"
        tokens.append(Token(shown, piece, found.start(kind), at))
    blanks = _BLANKS.match(text, at, end)
    at = at if blanks is None else blanks.end()
    return Tokens(tokens, [], at, at >= end and bool(tokens) and tokens[-1].json[-1].isdigit())


def body(text: str) -> tuple[int, int] | None:
    """Return the extent of the JSON of `text`: from the first bracket after the first fence, or the first
    bracket, up to a fence at the end. None for none."""
    fence = _FENCE.search(text)
    first = _OPENING.search(text)
    if fence is not None and (first is None or fence.start() < first.start()):
        first = _OPENING.search(text, fence.end())
    if first is None:
        return None
    stripped = text.rstrip()
    inner = stripped.rstrip("`")
    return first.start(), len(inner) if len(stripped) - len(inner) >= 3 else len(text)


def around(text: str, start: int, end: int) -> list[Edit] | None:
    """Return the edits that leave out what is before `start` and after `end`; None if brackets are there, or
    what may be a member of an object."""
    edits: list[Edit] = []
    for begin, stop in ((0, start), (end, len(text))):
        piece = text[begin:stop]
        if not piece.strip():
            continue
        if not _BRACKETS.isdisjoint(piece) or _MEMBER.search(piece):
            return None
        words = _FENCE.sub("", piece)
        if words != piece:
            edits.append(Edit("fence", begin, stop, ""))
        if words.strip():
            edits.append(Edit("prose", begin, stop, ""))
    return edits


def name_before(text: str, start: int) -> str | None:
    """Return the only word before `start`, with a colon: perhaps the name of what follows."""
    found = _NAME.fullmatch(text[:start].strip())
    return None if found is None else found[1]


class _Reading(NamedTuple):
    """One way to read the tokens: JSON text, and the corrections. `closed`: no bracket was inserted after the
    last token."""

    json: str
    edits: list[Edit]
    closed: bool


class _Link(NamedTuple):
    """The corrections that led to a state, the last first. An insertion stands before token `at`; a token
    that is left out or replaced is `at` itself."""

    above: "_Link | None"
    guess: LexicalName
    at: int
    skips: bool
    inserted: str


class _State(NamedTuple):
    at: int
    state: int
    stack: str
    link: _Link | None


def readings(tokens: list[Token]) -> list[_Reading]:
    """Return the readings with the fewest corrections; none if too many are needed, or there are too many."""
    if not tokens or tokens[0].kind not in _CLOSING:
        return []
    search = _Search(tokens)
    for limit in range(_MAX_CORRECTIONS + 1):
        search.run(limit)
        if search.steps < 0 or len(search.found) > 8 * _MAX_READINGS:
            return []
        if search.found:
            made = {reading.json: reading for reading in map(search.reading, reversed(search.found))}
            return [*made.values()] if len(made) <= _MAX_READINGS else []
    return []


class _Search:
    """A search over `tokens`. `steps` are the remaining looks at tokens, `found` the complete states.
    `opened[at]` is how many more brackets the tokens from `at` on open than close."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.steps = _MAX_STEPS + 2 * len(tokens)
        self.found: list[_State] = []
        self.opened = [0]
        for token in reversed(tokens):
            change = 1 if token.kind in _CLOSING else -1 if token.kind in "}]" else 0
            self.opened.append(self.opened[-1] + change)
        self.opened.reverse()

    def run(self, limit: int) -> None:
        """Find the states that `limit` corrections complete."""
        level = [_State(0, _VALUE, "", None)]
        for left in range(limit, -1, -1):
            following: list[_State] = []
            for state in level:
                # Each bracket too many or too few takes a correction.
                if abs(len(state.stack) + self.opened[state.at]) <= left:
                    self.follow(state, following)
                if self.steps < 0:
                    return
            level = following

    def follow(self, state: _State, following: list[_State]) -> None:
        """Read on from a state without a correction, as far as possible. The states after one correction are
        added to `following`."""
        at, expected, stack, link = state
        while True:
            self.steps -= 1
            if self.steps < 0:
                return
            if at == len(self.tokens):
                if expected == _END:
                    self.found.append(_State(at, expected, stack, link))
                else:
                    self._insert_bracket(_State(at, expected, stack, link), following)
                return
            here = _State(at, expected, stack, link)
            self._corrected(here, following)
            after = _next(self.tokens[at].kind, expected, stack)
            if after is None:
                return
            at, (expected, stack) = at + 1, after

    def _corrected(self, here: _State, following: list[_State]) -> None:
        at, expected, stack, link = here
        kind = self.tokens[at].kind
        after = expected == _AFTER
        if kind in "}]":
            skipped = _Link(link, "surplus-bracket", at, True, "")
            following.append(_State(at + 1, expected, stack, skipped))
            if expected in (_AFTER, _FIRST_KEY, _FIRST_ITEM) and kind != _CLOSING[stack[-1]]:
                self._insert_bracket(here, following)
                other = _Link(link, "missing-bracket", at, True, _CLOSING[stack[-1]])
                following.append(_State(at + 1, _closed(stack), stack[:-1], other))
            return
        if kind == ",":
            following_kind = self.tokens[at + 1].kind if at + 1 < len(self.tokens) else ""
            ends = expected == _END and not following_kind and (link is None or link.at < at)
            if ends or expected == _FIRST_KEY or (after and following_kind in ("}", "]")):
                following.append(_State(at + 1, expected, stack, _Link(link, "trailing-comma", at, True, "")))
            if not ends and (expected == _FIRST_KEY or (after and following_kind not in ("}", "]"))):
                self._insert_bracket(here, following)
            return
        if after and kind != ":" and (stack[-1] == "[" or kind == '"'):
            wanted = _KEY if stack[-1] == "{" else _ITEM
            following.append(_State(at, wanted, stack, _Link(link, "missing-comma", at, False, ",")))
        elif expected == _COLON:
            following.append(_State(at, _VALUE, stack, _Link(link, "missing-colon", at, False, ":")))

    def _insert_bracket(self, here: _State, following: list[_State]) -> None:
        at, expected, stack, link = here
        if expected not in (_AFTER, _FIRST_KEY, _FIRST_ITEM) or not stack:
            return
        if at == len(self.tokens) and expected != _AFTER:
            return  # nothing is known of what the bracket was opened for
        closing = _Link(link, "missing-bracket", at, False, _CLOSING[stack[-1]])
        following.append(_State(at, _closed(stack), stack[:-1], closing))

    def reading(self, state: _State) -> _Reading:
        """Return text and corrections of a complete state."""
        inserted: dict[int, list[str]] = {}
        replaced: dict[int, str] = {}
        edits: list[Edit] = []
        tokens, link, closed = self.tokens, state.link, True
        while link is not None:
            if link.skips:
                replaced[link.at] = link.inserted
                start, end = tokens[link.at].start, tokens[link.at].end
            else:
                inserted.setdefault(link.at, []).append(link.inserted)
                start = end = tokens[link.at - 1].end
                closed = closed and link.at < len(tokens)
            edits.append(Edit(link.guess, start, end, link.inserted))
            link = link.above
        pieces: list[str] = []
        for at, token in enumerate(tokens):
            pieces += reversed(inserted.get(at, ()))
            pieces.append(replaced.get(at, token.json))
        pieces += reversed(inserted.get(len(tokens), ()))
        return _Reading("".join(pieces), edits, closed)


def _closed(stack: str) -> int:
    return _AFTER if len(stack) > 1 else _END


def _next(kind: str, expected: int, stack: str) -> tuple[int, str] | None:
    """Return what is expected after a token, and the open brackets; None if the token cannot stand there."""
    if kind in _CLOSING:
        if expected in (_VALUE, _FIRST_ITEM, _ITEM):
            return (_FIRST_KEY if kind == "{" else _FIRST_ITEM), stack + kind
    elif kind in "}]":
        empty = _FIRST_KEY if kind == "}" else _FIRST_ITEM
        if expected in (_AFTER, empty) and kind == _CLOSING[stack[-1]]:
            return _closed(stack), stack[:-1]
    elif kind == ",":
        if expected == _AFTER:
            return (_KEY if stack[-1] == "{" else _ITEM), stack
    elif kind == ":":
        if expected == _COLON:
            return _VALUE, stack
    elif expected in (_FIRST_KEY, _KEY):
        return (_COLON, stack) if kind == '"' else None
    elif expected in (_VALUE, _FIRST_ITEM, _ITEM):
        return _AFTER, stack
    return None
