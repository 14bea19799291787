"""Read tables of TOML by their keys: every wrong key and value is a problem with its place."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from .diagnostics import UNMERGED, Diagnostic, conflict_line, did_you_mean
from .jsonschema.json_values import JsonObject

Keys = tuple[str | int, ...]
"""The path of a value from the root of the document: keys of tables, and indices of arrays."""

Wrong = tuple[str, str]
"""The requirement on a value, as the end of "… must be", and a hint, where `{name}` stands for the key."""

_Kind = Callable[[Any], Wrong | None]
"""Judges a value."""

_MOST: Final = 10**9
_LONGEST: Final = 100  # characters of a key that is compared with known ones


class Key(Struct, frozen=True):
    """One key of a table: the judge of its value, and its default; docs/reference/configuration.md has the
    rest.
    """

    kind: _Kind
    default: Any
    about: str = ""
    example: str = ""


def text(what: str, example: str) -> _Kind:
    """Expect a string with something in it, without NUL."""
    wrong = what, f'for example {{name}} = "{example}"'
    return lambda value: None if isinstance(value, str) and value and "\0" not in value else wrong


def flag(value: object) -> Wrong | None:
    """Expect `true` or `false`."""
    return None if isinstance(value, bool) else ("true or false", "")


def names(value: Any) -> Wrong | None:
    """Expect a list of non-empty strings, without NUL."""
    if isinstance(value, list) and all(isinstance(item, str) and item and "\0" not in item for item in value):
        return None
    return "a list of non-empty strings", 'for example {name} = ["…"]'


def one_of(words: Sequence[str], hint: str = "") -> _Kind:
    """Expect one of some words."""
    quoted = [f'"{word}"' for word in words]
    wrong = f"{', '.join(quoted[:-1])} or {quoted[-1]}", hint
    return lambda value: None if isinstance(value, str) and value in words else wrong


def whole(least: int, most: int = _MOST) -> _Kind:
    """Expect a whole number in a range."""

    def judge(value: object) -> Wrong | None:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return None
        return f"a whole number from {least} to {most}", ""

    return judge


def table(value: Any) -> Wrong | None:
    """Expect a table, which a reader of its own judges."""
    return None if isinstance(value, dict) else ("a table", "")


class TableReader(Struct, frozen=True):
    """Reads the table at `path` of a document, whose text `locator` knows."""

    locator: "Locator"
    path: Keys

    def below(self, *keys: str | int) -> "TableReader":
        """Return the reader of the table at a path of keys of this one."""
        return TableReader(self.locator, (*self.path, *keys))

    def problem(self, key: str, code: str, message: str, hint: str = "") -> Diagnostic:
        """Return a problem of a key of this table; of the table itself for the empty key."""
        return self.locator.at((*self.path, key) if key else self.path, code, message, hint)

    def read(self, table: Any, keys: Mapping[str, Key]) -> tuple[JsonObject, list[Diagnostic]]:
        """Return the values of all `keys`, and problems; what is unknown or wrong counts as not stated."""
        values = {name: key.default for name, key in keys.items()}
        if not isinstance(table, dict):
            return values, [self._no_table()]
        problems: list[Diagnostic] = []
        for name, value in table.items():
            key = keys.get(name)
            if key is None:
                message = f"unknown key {name!r} in [{self._shown()}]"
                hint = suggestion(name, [each for each in keys if each not in table], "known keys")
                problems.append(self.problem(name, "unknown-key", message, hint))
            elif wrong := key.kind(value):
                hint = wrong[1].replace("{name}", name)
                problems.append(self.problem(name, "config-type", f"{name!r} must be {wrong[0]}", hint))
            else:
                values[name] = value
        return values, problems

    def entries(self, table: Any, kind: _Kind) -> tuple[JsonObject, list[Diagnostic]]:
        """Return the entries of a table whose keys are free, and problems."""
        if not isinstance(table, dict):
            return {}, [self._no_table()]
        return self.read(table, {name: Key(kind, None) for name in table})

    def _no_table(self) -> Diagnostic:
        hint = f"write [{self._shown()}] and keys below it"
        return self.problem("", "config-type", f"{self._shown()} must be a table", hint)

    def _shown(self) -> str:
        return ".".join(map(str, self.path))


def suggestion(name: str, known: Iterable[str], what: str) -> str:
    """Return a hint for an unknown name: the nearest known one, or all of them after `what`."""
    words = list(known)
    all_known = f"{what}: {', '.join(words)}"
    return did_you_mean(name, words, all_known) if len(name) <= _LONGEST else all_known


class Locator(Struct, frozen=True):
    """Finds the places of keys in the TOML text of a file."""

    file: str
    text: str

    def at(self, keys: Keys, code: str, message: str, hint: str = "") -> Diagnostic:
        """Return a problem at a key, or at the nearest place above it."""
        line, column = self.find(keys)
        return Diagnostic(file=self.file, line=line, column=column, code=code, message=message, hint=hint)

    def find(self, keys: Keys) -> tuple[int, int]:
        """Return the line and column of a key; the start of the file where the text has nothing of it."""
        place = find_place(self.text, keys)
        return place if place != (0, 0) else (1, 1)


_PART: Final = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER: Final = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ENTRY: Final = re.compile(rf"\s*({_DOTTED})\s*=")
_AT: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


def find_place(text: str, keys: Keys) -> tuple[int, int]:
    """Return the line and column, from 1, of a key in TOML, or of the nearest table around it. (0, 0) where
    the text has nothing of it. `tomllib` keeps no positions, so the text is searched by line; an inline
    table is searched on the line of its key.
    """
    best, place = 0, (0, 0)
    table: Keys = ()
    counts: dict[Keys, int] = {}
    within = ""
    for number, line in enumerate(text.splitlines(), 1):
        if within:  # a string of several lines
            if within in line:
                within = ""
            continue
        within = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if header := _HEADER.match(line):
            table = _table_keys(_parts(header[2]), counts, several=header[1] == "[[")
            found, column = _common(table, keys), header.start(2)
        elif entry := _ENTRY.match(line):
            own = (*table, *_parts(entry[1]))
            found, column = _common(own, keys), entry.start(1)
            if found == len(own) < len(keys):
                found, column = _inline(line, entry.end(), keys, found, column)
            elif found <= len(table):
                continue  # another key of the same table
        else:
            continue
        if found > best:
            best, place = found, (number, column + 1)
    return place


def split_fault(error: str, text: str = "") -> tuple[str, int, int]:
    """Split a `TOMLDecodeError` into message, line and column; 0 and 0 for the end of the text. A conflict
    marker of git in `text` is the reason.
    """
    if marked := conflict_line(text):
        return f"{UNMERGED}; choose one of the two sides", marked, 1
    found = _AT.search(error)
    return (error, 0, 0) if found is None else (error[: found.start()], int(found[1]), int(found[2]))


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def _table_keys(names: tuple[str, ...], counts: dict[Keys, int], *, several: bool) -> Keys:
    """Return the keys of a header, with the index of the last table of each array of tables."""
    keys: Keys = ()
    for name in names[:-1]:
        keys = (*keys, name)
        if keys in counts:
            keys = (*keys, counts[keys])
    keys = (*keys, *names[-1:])
    if several:
        counts[keys] = counts.get(keys, -1) + 1
        keys = (*keys, counts[keys])
    return keys


def _common(first: Keys, second: Keys) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def _inline(line: str, start: int, keys: Keys, found: int, column: int) -> tuple[int, int]:
    """Follow `keys` in the inline table on this line; return how far, and the column of the last key."""
    for part in keys[found:]:
        key = re.escape(str(part))
        match = re.compile(rf"""[{{,.\s]({key}|"{key}"|'{key}')\s*[=.]""").search(line, start)
        if isinstance(part, int) or match is None:
            break
        found, column, start = found + 1, match.start(1), match.end(1)
    return found, column
