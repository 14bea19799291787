"""Meanings of a text that is not JSON, its own and those of json_repair, where that is installed."""

import json
import re
from typing import NamedTuple

from msgspec import structs

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

_CUT_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
"""An escape without its end, at the end of a text."""

_QUOTED = re.compile(r"""\"(?:[^"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'""")
_PLUS = r"\s*\+\s*(?:/\*[^*]{0,80}\*/\s*)?"
_EXPRESSION = re.compile(rf"[:,\[]\s*((?:{_QUOTED.pattern})(?:{_PLUS}(?:{_QUOTED.pattern}))+)(?=\s*[,}}\]])")
"""A value that joins strings."""
_OTHER_QUOTE = re.compile("[‘’`´]")
_PAIRS = ("‘’", "`´", "``")
_PYTHON: frozenset[LexicalName] = frozenset(("python-literals",))
_SINGLE: frozenset[LexicalName] = frozenset(("single-quotes",))
_TYPOGRAPHIC: frozenset[LexicalName] = frozenset(("typographic-quotes",))
_UNSURE: frozenset[LexicalName] = frozenset(("inner-quotes", "missing-quote", "cut-value"))
"""Guesses at where a string ends."""

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
    the text has in JSON's own form, else those that the library reads and that stand in the text. Strings
    that `+` joins, and quotes that the library does not know, are read where there is no other reading.
    Raises MissingLibraryError if only the library could tell."""
    if len(text) > MAX_TEXT or _nests_deeper(text, _MAX_NESTING):
        return []
    return _candidates(text) or _with_joined_strings(text) or _with_other_quotes(text)


def _candidates(text: str) -> list[Candidate]:
    cut = _CUT_ESCAPE.search(text)
    if cut is not None:
        rest = Repair("cut-value", "", cut.start(1), cut[1], "")
        made = _candidates(text[: cut.start(1)])
        return [one._replace(repairs=[*one.repairs, rest]) for one in made if "cut-value" in one.guesses]
    found = body(text)
    if found is None:
        return []
    start, end = found
    made = _inner(text, start, end)
    name = name_before(text, start)
    return (
        made if name is None else [*made, *(_competing(f"{{{json.dumps(name)}:{one.json}}}") for one in made)]
    )


def _with_joined_strings(text: str) -> list[Candidate]:
    """Return the readings of a text in which values are expressions: strings of one kind, joined by `+`."""
    joins = [(found.start(1), found[1], _joined(found[1])) for found in _EXPRESSION.finditer(text)]
    if not joins or not all(after for _, _, after in joins):
        return []
    made = [Repair("python-literals", "", start, before, after) for start, before, after in joins]
    plain = _EXPRESSION.sub(lambda found: found[0].replace(found[1], _joined(found[1])), text)

    def moved(each: Repair) -> Repair:
        offset = each.offset or 0
        for start, before, after in joins:
            if offset == start and each.before == after:
                return structs.replace(each, offset=offset, before=before)
            offset += len(before) - len(after) if offset > start else 0
        return structs.replace(each, offset=offset)

    return [
        Candidate(one.json, one.guesses | _PYTHON, [*made, *map(moved, one.repairs)])
        for one in _candidates(plain)
        if _UNSURE.isdisjoint(one.guesses)
    ]


def _joined(expression: str) -> str:
    """Return one string for an expression; "" if its strings are in quotes of two kinds."""
    parts = [found[0] for found in _QUOTED.finditer(expression)]
    quotes = {part[0] for part in parts}
    return "" if len(quotes) > 1 else parts[0][0] + "".join(part[1:-1] for part in parts) + parts[0][0]


def _with_other_quotes(text: str) -> list[Candidate]:
    """Return the readings of a text in single quotes that the library does not know, where no string holds
    such a quote."""
    if "'" in text or _OTHER_QUOTE.search(text) is None:
        return []
    made: list[Candidate] = []
    for one in _candidates(_OTHER_QUOTE.sub("'", text)):
        if "'" in one.json or not _UNSURE.isdisjoint(one.guesses):
            return []
        repairs = [_requoted(text, each) if each.guess == "single-quotes" else each for each in one.repairs]
        quoted = [each.before for each in repairs if each.before[:1] in ("‘", "’", "`", "´")]
        if any(before[0] + before[-1] not in _PAIRS for before in quoted):
            return []
        made.append(Candidate(one.json, one.guesses - _SINGLE | _TYPOGRAPHIC, repairs))
    return made


def _requoted(text: str, each: Repair) -> Repair:
    offset = each.offset or 0
    before = text[offset : offset + len(each.before)]
    return structs.replace(each, guess="typographic-quotes", before=before)


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
    if not found_by_it or any(_same(one.json, value) or _drops(value, one.json) for one in found_by_it):
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


def _drops(value: object, text: str) -> bool:
    """Tell whether a value has the scalars of `text` and fewer objects or arrays: some were left out."""
    made = json.dumps(value, ensure_ascii=False)
    one, other = ([token.json for token in strict_tokens(each, 0, len(each)).tokens] for each in (made, text))
    scalars = [[each for each in tokens if each not in "{}[],:"] for tokens in (one, other)]
    return scalars[0] == scalars[1] and len(one) < len(other)


def _same(text: str, value: object) -> bool:
    try:
        return bool(read_json(text) == value)
    except (UnreadableJSONError, RecursionError):
        return False


def _readings(text: str, start: int, found: Tokens) -> list[Candidate]:
    surroundings = around(text, start, found.end)
    pairs = zip(found.tokens, found.tokens[1:], strict=False)
    if any(
        one.end == other.start and '""' in (one.json, other.json) and one.kind == other.kind == '"'
        for one, other in pairs
    ):
        return []  # three quotes in a row, as in `"""a"""`, are no empty string beside another
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
