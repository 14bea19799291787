"""Tables of TOML read by their keys: every wrong key and value is a problem with its place."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from .diagnostics import Diagnostic

Path = tuple[str, ...]
"""The keys that lead to a value, from the root of the document."""

Wrong = tuple[str, str]
"""What a value must be, as the end of "… must be", and a hint, where `{name}` stands for the key."""

Kind = Callable[[Any], Wrong | None]
"""Judges a value."""

MOST: Final = 10**9
_LONGEST: Final = 100  # characters of a key that is compared with known ones


class Key(Struct, frozen=True):
    """One key of a table: what may stand there, and what counts without it.

    `about` says what it is for, and `example` is a value in TOML; docs/reference/configuration.md has both.
    """

    kind: Kind
    default: Any
    about: str = ""
    example: str = ""


def text(what: str, example: str) -> Kind:
    """A string with something in it, without NUL."""
    wrong = what, f'for example {{name}} = "{example}"'
    return lambda value: None if isinstance(value, str) and value and "\0" not in value else wrong


def flag(value: Any) -> Wrong | None:
    """`true` or `false`."""
    return None if isinstance(value, bool) else ("true or false", "")


def names(value: Any) -> Wrong | None:
    """A list of non-empty strings, without NUL."""
    if isinstance(value, list) and all(isinstance(item, str) and item and "\0" not in item for item in value):
        return None
    return "a list of non-empty strings", 'for example {name} = ["…"]'


def one_of(words: Sequence[str], hint: str = "") -> Kind:
    """One of some words."""
    quoted = [f'"{word}"' for word in words]
    wrong = f"{', '.join(quoted[:-1])} or {quoted[-1]}", hint
    return lambda value: None if isinstance(value, str) and value in words else wrong


def whole(least: int, most: int = MOST) -> Kind:
    """A whole number in a range."""

    def judge(value: Any) -> Wrong | None:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return None
        return f"a whole number from {least} to {most}", ""

    return judge


def table(value: Any) -> Wrong | None:
    """A table, which a reader of its own judges."""
    return None if isinstance(value, dict) else ("a table", "")


class TableReader(Struct, frozen=True):
    """Reads the table at `path` of a document, whose text `locator` knows."""

    locator: "Locator"
    path: Path

    def below(self, key: str) -> "TableReader":
        """The reader of the table at a key of this one."""
        return TableReader(self.locator, (*self.path, key))

    def problem(self, key: str, code: str, message: str, hint: str = "") -> Diagnostic:
        """A problem of a key of this table; of the table itself for the empty key."""
        return self.locator.at((*self.path, key) if key else self.path, code, message, hint)

    def read(self, table: Any, keys: Mapping[str, Key]) -> tuple[dict[str, Any], list[Diagnostic]]:
        """The values of all `keys`, and the problems; what is unknown or wrong counts as not stated."""
        values = {name: key.default for name, key in keys.items()}
        if not isinstance(table, dict):
            return values, [self._no_table()]
        problems: list[Diagnostic] = []
        for name, value in table.items():
            key = keys.get(name)
            if key is None:
                message = f"unknown key {name!r} in [{'.'.join(self.path)}]"
                hint = suggestion(name, [each for each in keys if each not in table], "known keys")
                problems.append(self.problem(name, "unknown-key", message, hint))
            elif wrong := key.kind(value):
                hint = wrong[1].replace("{name}", name)
                problems.append(self.problem(name, "config-type", f"{name!r} must be {wrong[0]}", hint))
            else:
                values[name] = value
        return values, problems

    def entries(self, table: Any, kind: Kind) -> tuple[dict[str, Any], list[Diagnostic]]:
        """The entries of a table whose keys are free; those with a wrong value are problems."""
        if not isinstance(table, dict):
            return {}, [self._no_table()]
        return self.read(table, {name: Key(kind, None) for name in table})

    def _no_table(self) -> Diagnostic:
        path = ".".join(self.path)
        hint = f"write [{path}] and keys below it"
        return self.problem("", "config-type", f"{path} must be a table", hint)


def suggestion(name: str, known: Iterable[str], what: str) -> str:
    """A hint for an unknown name: the nearest known one, or all of them after `what`."""
    from difflib import get_close_matches  # loaded only where something is wrong

    words = list(known)
    near = get_close_matches(name, words, 1) if len(name) <= _LONGEST else []
    return f"did you mean {near[0]!r}?" if near else f"{what}: {', '.join(words)}"


_PART: Final = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER: Final = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ENTRY: Final = re.compile(rf"\s*({_DOTTED})\s*=")


class Locator(Struct, frozen=True):
    """Finds a key's place in TOML text. `tomllib` keeps no positions, so the text is searched by line."""

    file: str
    text: str

    def at(self, path: Path, code: str, message: str, hint: str = "") -> Diagnostic:
        """A problem at a key, or at the nearest place above it that the text has a line for."""
        line, column = self.find(path)
        return Diagnostic(file=self.file, line=line, column=column, code=code, message=message, hint=hint)

    def find(self, path: Path) -> tuple[int, int]:
        """Line and column of the key at `path`, from 1."""
        best, place = 0, (1, 1)
        inside: Path = ()
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := _HEADER.match(line):
                inside = _parts(header[1])
                found, column = _common(inside, path), header.start(1)
            elif entry := _ENTRY.match(line):
                own = (*inside, *_parts(entry[1]))
                found, column = _common(own, path), entry.start(1)
                if found == len(own) < len(path):
                    found, column = _inline(line, entry.end(), path, found, column)
                elif found <= len(inside):
                    continue  # another key of the same table
            else:
                continue
            if found > best:
                best, place = found, (number, column + 1)
        return place


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def _common(first: Path, second: Path) -> int:
    """How many keys two paths have alike from the start."""
    count = 0
    for mine, other in zip(first, second, strict=False):
        if mine != other:
            break
        count += 1
    return count


def _inline(line: str, start: int, path: Path, found: int, column: int) -> tuple[int, int]:
    """How far `path` leads in the inline table on this line, and the column of the last key found."""
    for part in path[found:]:
        key = re.escape(part)
        match = re.compile(rf"""[{{,.\s]({key}|"{key}"|'{key}')\s*[=.]""").search(line, start)
        if match is None:
            break
        found, column, start = found + 1, match.start(1), match.end(1)
    return found, column
