"""Patterns of paths: `*`, `?`, `[a-z]`, `{a,b}` and `**`, matched name by name in time linear in the name."""

import re
from itertools import groupby
from typing import Final, NoReturn

from msgspec import Struct

from .path_errors import PathError, shown

_MAX_LENGTH: Final = 1000
_MAX_PARTS: Final = 512
_MAX_BRACES: Final = 10
_SPECIAL: Final = re.compile(r"[*?\[{\\]")
_STAR: Final = "*"
_SLASH: Final = "/"
_ANY: Final = "."
_DOT: Final = r"\."

_Position = tuple[int, int]
"""The number of an alternative, and of the part in it that the next name has to match."""


class _NamePattern(Struct, frozen=True):
    """A part of a pattern for one name. `hidden`: it begins with a dot, and matches names that do."""

    expression: re.Pattern[str]
    hidden: bool


class _GlobPattern(Struct, frozen=True):
    """A parsed pattern.

    Attributes:
        prefix: the folders before the first special character, as they were written; "" for none.
        alternatives: the rest, once for each choice in its braces; None is `**`.
        folders_only: the pattern ends in `/`.
    """

    prefix: str
    alternatives: tuple[tuple[_NamePattern | None, ...], ...]
    folders_only: bool

    def start(self) -> frozenset[_Position]:
        """Return the positions before the first name."""
        return frozenset(
            each for number in range(len(self.alternatives)) for each in self._reached(number, 0)
        )

    def step(
        self, positions: frozenset[_Position], name: str, *, include_hidden: bool
    ) -> tuple[bool, frozenset[_Position] | None]:
        """Match one more name, from the positions to which the names before it led. `include_hidden` matches
        names that begin with a dot with everything. Returns whether the pattern ends here, and the positions
        from which it goes on in a folder of that name; None if it does not."""
        hidden = name.startswith(".") and not include_hidden
        ends = False
        reached: set[_Position] = set()
        for number, index in positions:
            parts = self.alternatives[number]
            part = parts[index]
            if part is None:
                if hidden:
                    continue
                reached.update(self._reached(number, index))
            elif (hidden and not part.hidden) or part.expression.fullmatch(name) is None:
                continue
            else:
                reached.update(self._reached(number, index + 1))
            ends = ends or index == len(parts) - 1
        return ends, frozenset(reached) if reached else None

    def _reached(self, number: int, index: int) -> list[_Position]:
        """Return a position, and those behind it that `**` reaches without a name."""
        parts = self.alternatives[number]
        reached: list[_Position] = []
        while index < len(parts):
            reached.append((number, index))
            if parts[index] is not None:
                break
            index += 1
        return reached


def parse_glob(pattern: str) -> _GlobPattern:
    """Parse a pattern. `*` stands for any characters of a name, `?` for one, `[a-z]` and `[!a-z]` for one of
    a set, `{a,b}` for either, `**` between slashes for any folders; a backslash takes the meaning from the
    next character. Raises PathError for what is no pattern, too long, or has too many alternatives."""
    if not pattern or "\0" in pattern:
        raise PathError("A pattern must be text that is not empty, without a zero byte.")
    if len(pattern) > _MAX_LENGTH:
        raise PathError(f"{shown(pattern)} is longer than {_MAX_LENGTH} characters. Use a shorter pattern.")
    folders_only = pattern.endswith("/")
    text = pattern.rstrip("/")
    special = _SPECIAL.search(text)
    prefix = text[: text.rfind("/", 0, len(text) if special is None else special.start()) + 1]
    reader = _Reader(text, pattern, len(prefix))
    alternatives = {_parts(tokens, pattern): None for tokens in reader.sequence(0)}
    alternatives.pop((), None)
    if sum(map(len, alternatives)) > _MAX_PARTS:
        _too_many(pattern)
    return _GlobPattern(prefix, tuple(alternatives), folders_only)


def _parts(tokens: tuple[str, ...], pattern: str) -> tuple[_NamePattern | None, ...]:
    """Divide at slashes."""
    names = [tuple(name) for is_slash, name in groupby(tokens, _SLASH.__eq__) if not is_slash]
    parts: list[_NamePattern | None] = []
    for name in names:
        if name == (_DOT, _DOT):
            raise PathError(
                f"{shown(pattern)} steps upwards with '..' at its end or behind a special character. "
                "Name the folder to look in instead."
            )
        if name == (_STAR, _STAR):
            if not parts or parts[-1] is not None:
                parts.append(None)
        elif name != (_DOT,):
            parts.append(_NamePattern(_expression(name), name[0] == _DOT))
    return tuple(parts)


def _expression(tokens: tuple[str, ...]) -> re.Pattern[str]:
    """Make an expression without the exponential time of stars in a row: what stands between two of them is
    matched as early as it can be, and never tried again later."""
    segments: list[str] = [""]
    for token in tokens:
        if token == _STAR:
            segments.append("")
        else:
            segments[-1] += token
    first, *rest = segments
    if rest:
        first += "".join(f"(?>.*?{segment})" for segment in rest[:-1] if segment) + f".*{rest[-1]}"
    return re.compile(first, re.DOTALL)


class _Reader:
    """Reads the text of a pattern into sequences of tokens, one for each choice in its braces. A token is an
    expression for one character, `_STAR` or `_SLASH`."""

    def __init__(self, text: str, pattern: str, position: int) -> None:
        self.text = text
        self.pattern = pattern
        self.position = position

    def sequence(self, braces: int) -> list[tuple[str, ...]]:
        """Read up to the end, or within braces up to `,` or `}`."""
        read: list[tuple[str, ...]] = [()]
        while self.position < len(self.text):
            character = self.text[self.position]
            if braces and character in ",}":
                break
            self.position += 1
            if character == "{":
                choices = self.choices(braces + 1)
                if len(read) * len(choices) > _MAX_PARTS:
                    _too_many(self.pattern)
                read = [before + choice for before in read for choice in choices]
            else:
                token = self.token(character)
                read = [(*before, token) for before in read]
        return read

    def choices(self, braces: int) -> list[tuple[str, ...]]:
        """Read behind a `{`, up to its `}`."""
        if braces > _MAX_BRACES:
            raise PathError(
                f"{shown(self.pattern)} has braces in braces more than {_MAX_BRACES} levels deep. "
                "Use a simpler pattern."
            )
        choices: list[tuple[str, ...]] = []
        while True:
            choices += self.sequence(braces)
            if len(choices) > _MAX_PARTS:
                _too_many(self.pattern)
            if self.position == len(self.text):
                self.refuse("has '{' without '}'. Write '\\{' for the character itself.")
            self.position += 1
            if self.text[self.position - 1] == "}":
                return choices

    def token(self, character: str) -> str:
        if character in (_STAR, _SLASH):
            return character
        if character == "?":
            return _ANY
        if character == "[":
            return self.characters()
        return re.escape(self.escaped() if character == "\\" else character)

    def escaped(self) -> str:
        if self.position == len(self.text) or self.text[self.position] == "/":
            self.refuse("has a backslash before no character. Write '\\\\' for a backslash.")
        self.position += 1
        return self.text[self.position - 1]

    def characters(self) -> str:
        """Read a set of characters behind a `[`, up to its `]`."""
        negated = self.text[self.position : self.position + 1] in ("!", "^")
        self.position += negated
        items = ""
        while not items or self.text[self.position : self.position + 1] != "]":
            first = self.member()
            last = first
            if re.match(r"-[^\]]", self.text[self.position : self.position + 2], re.DOTALL):
                self.position += 1
                last = self.member()
            if last < first:
                self.refuse(f"has the range {first}-{last}, whose end is before its begin. Turn it round.")
            items += f"{re.escape(first)}-{re.escape(last)}"
        self.position += 1
        return f"[{'^' if negated else ''}{items}]"

    def member(self) -> str:
        character = self.text[self.position : self.position + 1]
        self.position += 1
        if character == "\\":
            character = self.escaped()
        elif character in ("", "/"):
            self.refuse("has '[' without ']'. Write '\\[' for the character itself.")
        elif character == "[" and self.text[self.position : self.position + 1] in (":", ".", "="):
            self.refuse("has a named class of characters. Write a range, like [a-z].")
        return character

    def refuse(self, reason: str) -> NoReturn:
        """Raise PathError."""
        raise PathError(f"{shown(self.pattern)} {reason}")


def _too_many(pattern: str) -> NoReturn:
    raise PathError(f"{shown(pattern)} has too many alternatives. Use a simpler pattern.")
