"""Checks the form of one spec, reports every problem, and suggests corrections of misspelt words; the limits
of both readers.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec import Struct

from ..diagnostics import Diagnostic, most_similar
from ..jsonschema.json_values import JsonObject
from .parsed_document import Document, Path, diagnose

_LONGEST = 64  # characters; longer words are not compared


def nearest(word: str, known: Collection[str], synonyms: Mapping[str, str] | None = None) -> str | None:
    """Return the one of `known` that is closest to `word`, or its entry in `synonyms`; None if nothing is
    close.
    """
    if synonyms and word in synonyms:
        return synonyms[word]
    if len(word) > _LONGEST:
        return None
    lowered = {each.lower(): each for each in sorted(known, reverse=True) if len(each) <= _LONGEST}
    return lowered.get(most_similar(word.lower(), lowered))


def choices(known: Collection[str]) -> str:
    """List all of `known` for a hint, sorted: `a`, `b` or `c`; at most twenty."""
    words = [f"`{each}`" for each in sorted(known)]
    if len(words) > 20:
        words = [*words[:19], f"{len(words) - 19} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"


_MOST_UNKNOWN = 50  # named one by one; a file with more is not a spec with typing mistakes
_MOST_COMPARED = 1_000  # known words that a wrong one is compared with


class Names(Struct, frozen=True, kw_only=True):
    """The names that members of a mapping may have, for diagnostics."""

    code: str = "unknown-key"
    wanted: str = "a known key"  # what each name is, with its article
    listed: str = "known keys are"  # before the list of all names
    hint: str = ""  # where there is no list
    synonyms: Mapping[str, str] = {}  # names of other formats → the name that is meant
    refused: Mapping[str, str] = {}  # names of other formats without one here → what to do instead


class Words(Struct, frozen=True, kw_only=True):
    """Words of diagnostics about a key or a member of it."""

    code: str = ""  # of a value that it cannot have, or of members that it lacks
    hint: str = ""
    wanted: str = ""  # what its value is, with the article; empty: what the schema says
    names: Names = Names()  # of its members


_ANY_NAMES: Final = Names()
TEXT: Final[JsonObject] = {"type": "string", "pattern": r"\S"}
"""The schema of a text with something in it."""


def closed(properties: JsonObject, *examples: JsonObject, required: tuple[str, ...] = ()) -> JsonObject:
    """Return the schema of a mapping with no other members than `properties`."""
    return {
        "type": "object",
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
        "properties": properties,
        **({"examples": list(examples)} if examples else {}),
    }


class SpecChecker:
    """Collects the problems of one document in `found`."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: list[Diagnostic] = []
        self._suggested = 0

    def report(self, path: Path, code: str, message: str, hint: str = "", *, key: bool = False) -> None:
        """Add an error at `path`."""
        self.found.append(diagnose(self.document, path, code, message, hint, key=key))

    def wrong_type(self, path: Path, value: object, wanted: str, hint: str = "") -> None:
        """Report that the value at `path` is not `wanted`."""
        name = quoted(str(path[-1])) if path else "the file"
        self.report(path, "wrong-type", f"{name} must be {wanted}, not {kind_of(value)}", hint)

    def text(self, path: Path, value: Any) -> str | None:
        """Return `value` if it is text with something in it; else report it."""
        if not isinstance(value, str):
            hint = "put it in quotes" if isinstance(value, bool | int | float) else "write text"
            self.wrong_type(path, value, "text", hint)
            return None
        if not value.strip():
            self.report(
                path, "empty-text", f"{quoted(str(path[-1]))} is empty", "write it, or leave the key out"
            )
            return None
        return value

    def mapping(self, path: Path, value: object, hint: str = "") -> JsonObject | None:
        """Return `value` if it is a mapping; else report it."""
        if isinstance(value, dict):
            return value
        if value is None:
            hint = "indent its lines further than its key, or leave the key out"
        self.wrong_type(path, value, "a mapping", hint or "write its entries below it, each as `key: value`")
        return None

    def suggest(
        self, word: str, known: Collection[str], otherwise: str, synonyms: Mapping[str, str] | None = None
    ) -> tuple[str, str | None]:
        """Return a hint for a wrong `word`, and the known word that is closest to it. Comparing words is
        slow, so a file gets a bounded number of hints.
        """
        self._suggested += 1
        if self._suggested > _MOST_UNKNOWN or len(known) > _MOST_COMPARED:
            return "", None
        close = nearest(word, known, synonyms)
        return (f"did you mean {quoted(close)}?" if close else f"{otherwise} {choices(known)}"), close

    def known_keys(
        self, path: Path, value: Mapping[str, object], known: Collection[str], names: Names = _ANY_NAMES
    ) -> dict[str, str]:
        """Report keys of `value` that are not `known`; return the suggested known keys, each with the key it
        stands for.
        """
        unknown = [key for key in value if key not in known]
        suggested: dict[str, str] = {}
        for key in unknown[:_MOST_UNKNOWN]:
            left = [each for each in known if each not in value]
            meant = {word: name for word, name in names.synonyms.items() if name not in value}
            hint, close = self.suggest(key, left or known, names.listed, meant)
            if close:
                suggested.setdefault(close, key)
            self.report((*path, key), names.code, f"{quoted(key)} is not {names.wanted}", hint, key=True)
        if len(unknown) > _MOST_UNKNOWN:
            rest = len(unknown) - _MOST_UNKNOWN
            where = (*path, unknown[_MOST_UNKNOWN])
            self.report(where, names.code, f"{rest} more keys from here on are not known", key=True)
        return suggested


def kind_of(value: object) -> str:
    """Name the type of `value`, for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    words: dict[type, str] = {
        str: "text",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "a mapping",
    }
    return words.get(type(value), "null")


UNWRITTEN: Final = r"[ \t\r\n]*TODO[ \t\r\n]*(?::|$)"
"""A text that is still to be written: `TODO` alone or with a colon. A tool may well be about a TODO list."""


def is_unwritten(text: str) -> bool:
    """Return whether a text says that a person has yet to write it."""
    return re.match(UNWRITTEN, text) is not None


def is_todo(value: object) -> bool:
    """Return whether an importer left this for a person to decide."""
    return isinstance(value, str) and value.startswith("TODO")


MAX_BYTES = 1_048_576
"""Largest spec file, in bytes."""

MAX_DEPTH = 100
"""Deepest nesting of lists and mappings; the root is 1."""

MAX_VALUES = 50_000
"""Most values (keys not counted) of one file after every alias is expanded."""

MAX_NUMBER = 1_000
"""Longest number, in characters. Python's own limit depends on the environment, so ours comes first."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds on a document; by default those of one spec. `depth` counts lists and mappings, `values` all
    values without keys. `lone_surrogates` allows halves of surrogate pairs in JSON text. They can be
    written to no file: a document of many tools loses only the tools that hold one.
    """

    depth: int = MAX_DEPTH
    values: int = MAX_VALUES
    lone_surrogates: bool = False


SPEC: Final = Limits()


class Problem(Struct, frozen=True):
    """A problem in a text: a `Diagnostic` without its file. Line and column count from 1."""

    line: int
    column: int
    code: str
    message: str
    hint: str = ""


class RefusedError(Exception):
    """A problem after which reading stops."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def quoted(text: str, limit: int = 60) -> str:
    """Return `text` for use inside a message: in backticks, one line, printable, not too long."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "`"


def too_deep(line: int, column: int, limits: Limits = SPEC) -> Problem:
    return Problem(
        line,
        column,
        "too-deep",
        f"values are nested more than {limits.depth} levels deep",
        "name the inner schemas under $defs or in _types/ and refer to them with $ref",
    )


def too_many(line: int, column: int, limits: Limits = SPEC) -> Problem:
    return Problem(
        line,
        column,
        "too-many-values",
        f"the file holds more than {limits.values:,} values once its aliases are expanded",
        "split it, or refer to shared schemas with $ref instead of repeating them",
    )


def duplicate_key(name: str, line: int, column: int, first: tuple[int, int]) -> Problem:
    """Report a key that stands twice in one mapping; the position is that of the second."""
    return Problem(
        line,
        column,
        "duplicate-key",
        f"the key {quoted(name)} is here a second time; it is first at line {first[0]}, column {first[1]}",
        "keep one of the two",
    )


def not_finite(token: str, line: int, column: int) -> Problem:
    """Report infinity or NaN, which JSON does not have."""
    return Problem(
        line,
        column,
        "not-a-json-number",
        f"{quoted(token)} is not a number that JSON can hold",
        "leave the bound out, or quote it if it is meant as text",
    )


def number_range(token: str, line: int, column: int) -> Problem:
    """Report a number that becomes infinity or zero as a double, or that is too long."""
    return Problem(
        line,
        column,
        "number-out-of-range",
        f"the number {quoted(token, 40)} cannot be kept exactly enough: it is too large, too small"
        " or too long",
        f"use a number between 1e-307 and 1e308 of at most {MAX_NUMBER:,} characters",
    )


def read_float(token: str) -> float | None:
    """Return the double for a decimal `token`; None where it would become infinity, or zero without being
    zero.
    """
    value = float(token)
    if value in (float("inf"), float("-inf")):
        return None
    if value == 0 and any(c in "123456789" for c in token.lower().partition("e")[0]):
        return None
    return value
