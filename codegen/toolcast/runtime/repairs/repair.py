"""The names of guesses, and the record of one repair that a guess made."""

from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple, get_args

from msgspec import Struct, structs

LexicalName = Literal[
    "fence",
    "prose",
    "comments",
    "trailing-comma",
    "missing-comma",
    "missing-colon",
    "missing-bracket",
    "surplus-bracket",
    "single-quotes",
    "typographic-quotes",
    "doubled-quotes",
    "missing-quote",
    "inner-quotes",
    "unquoted-keys",
    "unquoted-values",
    "raw-newlines",
    "escapes",
    "number-forms",
    "python-literals",
    "blanks",
    "cut-value",
]
"""Guesses at a text that is not JSON."""

_ValueName = Literal[
    "number",
    "number-to-string",
    "boolean",
    "null-text",
    "empty-string",
    "blanks",
    "json-text",
    "single-item",
    "surplus-nesting",
    "missing-nesting",
]
"""Guesses at values that the contract refuses."""

Name = LexicalName | _ValueName

LEXICAL_NAMES: tuple[LexicalName, ...] = get_args(LexicalName)
_VALUE_NAMES: tuple[_ValueName, ...] = get_args(_ValueName)
NAMES: tuple[Name, ...] = tuple(dict.fromkeys((*_VALUE_NAMES, *LEXICAL_NAMES)))
EXPLICIT_NAMES: frozenset[Name] = frozenset({"cut-value"})
"""Names that "all" leaves out: what is missing of a value that was cut, nobody can tell."""

OWN_NAMES: frozenset[Name] = frozenset(
    {"fence", "prose", "trailing-comma", "missing-comma", "missing-colon", *_VALUE_NAMES}
)
"""Names of guesses that no library is asked for."""

_TOOL_NAME: Literal["tool-name"] = "tool-name"
"""The guess of a repair of the tool's name. It is made without being allowed: it leads to one tool or
to none."""

MAX_REPAIRS = 50
"""Repairs that are recorded for one call at most."""
_MAX_SHOWN = 80
"""Characters of a text that a record shows at most."""


class Repair(Struct, frozen=True):
    """One repair of a call.

    Attributes:
        guess: name of the guess; "tool-name" if the name of the tool was written in another form.
        path: location of the value, as in violations; "" for a repair of the text or of the name.
        offset: characters of the text before the repaired place; None for a repair of a value or of the name.
        before: what was sent, as JSON or as it stands in the text; at most 80 characters.
        after: its replacement, likewise; "" if it was left out.
    """

    guess: Name | Literal["tool-name"]
    path: str = ""
    offset: int | None = None
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        """Return one line for a log or a model."""
        if self.guess == _TOOL_NAME:
            return f"{self.guess}: {self.before} -> {self.after}"
        where = f"at character {self.offset}" if self.offset is not None else f"at {self.path}"
        if not self.before:
            return f"{self.guess} {where}: inserted {self.after}"
        return f"{self.guess} {where}: {self.before} " + (f"-> {self.after}" if self.after else "left out")


class Edit(NamedTuple):
    """A correction of a text: the characters from `start` to `end` are read as `after`."""

    guess: LexicalName
    start: int
    end: int
    after: str


def recorded(text: str, edits: Iterable[Edit]) -> list[Repair]:
    """Return edits of `text` as repairs, in the order of the text."""
    return [
        Repair(edit.guess, "", edit.start, text[edit.start : edit.end], edit.after)
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))
    ]


def renamed(written: str, name: str) -> Repair:
    """Return the repair of a tool's name."""
    return Repair(_TOOL_NAME, before=shown(written), after=name)


def shortened(repairs: Iterable[Repair]) -> tuple[Repair, ...]:
    """Return repairs for others: 50 at most, with texts of 80 characters at most."""
    return tuple(
        structs.replace(each, before=shown(each.before), after=shown(each.after))
        for each in islice(repairs, MAX_REPAIRS)
    )


def shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
