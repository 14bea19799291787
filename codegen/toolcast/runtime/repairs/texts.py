"""Meanings of a text that is not JSON, its own and those of json_repair, where that is installed."""

import json
import re
from typing import NamedTuple

from ..bounded_json import UnreadableJSONError, read_json
from .alignment import aligned
from .json_text import Tokens, around, body, name_before, readings, strict_tokens
from .repair import Edit, LexicalName, Repair, recorded

_ENDING = re.compile(r"[}\]\s]*[^{}\[\]]*")
"""Closing brackets, and what follows the last one."""


MAX_TEXT = 65_536
"""Longest text that the library is given, in characters. It takes some 15 µs for each."""
_MAX_NESTING = 50
"""Brackets that are open at once in such a text at most: the library recurses."""

_INSTALL = "`pip install 'toolcast[repair]'` where the tools run lets more texts be corrected."


class MissingLibraryError(ImportError):
    """json_repair is not installed."""


class Candidate(NamedTuple):
    """One reading of a text: JSON text, and the repairs that lead to it. A reading without guesses has
    something for it and something against: it can be ambiguous with another, and is never accepted."""

    json: str
    guesses: frozenset[LexicalName]
    repairs: list[Repair]


def candidates(text: str) -> list[Candidate]:
    """Return the readings of `text` that take the fewest corrections of its structure. Scalars are those that
    the text has in JSON's own form, else those that the library reads and that stand in the text. Raises
    MissingLibraryError if only the library could tell."""
    if len(text) > MAX_TEXT or _nests_deeper(text, _MAX_NESTING):
        return []
    found = body(text)
    if found is None:
        return []
    start, end = found
    made = _inner(text, start, end)
    name = name_before(text, start)
    return (
        made if name is None else [*made, *(_competing(f"{{{json.dumps(name)}:{one.json}}}") for one in made)]
    )


def _inner(text: str, start: int, end: int) -> list[Candidate]:
    own = _readings(text, start, strict_tokens(text, start, end))
    if own and not (own[0].guesses - {"fence", "prose"}):
        return own  # the text's JSON itself
    try:
        value = _read_with_library(text[start:end])
    except MissingLibraryError:
        plain = _plain(own, text[start:end], start)
        if not any(one.guesses for one in plain):
            raise
        return plain
    tokens = None if value is None else aligned(text, start, end, value)
    if tokens is None:
        return _plain(own, text[start:end], start)
    found_by_it = own or _readings(text, start, tokens)
    if not found_by_it or any(_same(one.json, value) for one in found_by_it):
        return found_by_it
    return [*found_by_it, _competing(json.dumps(value, ensure_ascii=False))]


def _plain(own: list[Candidate], body: str, start: int) -> list[Candidate]:
    """Return the readings without a second opinion: one with brackets corrected before the end of the text
    can only be ambiguous with the others."""

    def at_end(each: Repair) -> bool:
        return each.offset is not None and _ENDING.fullmatch(body, each.offset - start) is not None

    brackets = [
        [each for each in one.repairs if each.guess in ("missing-bracket", "surplus-bracket")] for one in own
    ]
    return [
        one if all(map(at_end, found)) else _competing(one.json)
        for one, found in zip(own, brackets, strict=True)
    ]


def _competing(text: str) -> Candidate:
    return Candidate(text, frozenset(), [])


def _same(text: str, value: object) -> bool:
    try:
        return bool(read_json(text) == value)
    except (UnreadableJSONError, RecursionError):
        return False


def _readings(text: str, start: int, found: Tokens) -> list[Candidate]:
    surroundings = around(text, start, found.end)
    if surroundings is None:
        return []
    prose = any(edit.guess == "prose" and edit.start >= found.end for edit in surroundings)
    made: list[Candidate] = []
    for reading in readings(found.tokens):
        edits = [*surroundings, *found.edits, *reading.edits]
        guesses: set[LexicalName] = {edit.guess for edit in edits}
        if prose and "missing-bracket" in guesses:
            return []  # what follows may belong to a value that was not closed
        if guesses >= {"missing-bracket", "surplus-bracket"}:
            return []  # a bracket that moves takes values from one parent to another
        if found.cut and not reading.closed:
            last = found.tokens[-1]
            edits.append(Edit("cut-value", last.start, last.end, last.json))
            guesses.add("cut-value")
        made.append(Candidate(reading.json, frozenset(guesses), recorded(text, edits)))
    return made


def _read_with_library(text: str) -> object:
    """Return the value that the library makes of `text`; None for none, or if the text is too long or nested
    too deeply. Raises MissingLibraryError."""
    try:
        from json_repair import repair_json
    except ImportError:
        raise MissingLibraryError(_INSTALL) from None
    if len(text) > MAX_TEXT or _nests_deeper(text, _MAX_NESTING):
        return None
    try:
        value: object = repair_json(text, return_objects=True, skip_json_loads=True)
    except Exception:  # its refusals, and its own faults at texts that it does not expect
        return None
    return value if isinstance(value, (dict, list)) else None


def _nests_deeper(text: str, limit: int) -> bool:
    """Tell whether `text` opens more than `limit` brackets at once, those in strings included."""
    depth = 0
    for char in text:
        if char in "{[(":
            depth += 1
            if depth > limit:
                return True
        elif char in "}])" and depth:
            depth -= 1
    return False
