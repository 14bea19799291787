"""The grammar of a tool whose argument is one text, as data for the check in JavaScript.

JavaScript has no llguidance. A regular expression in the syntax of Rust's regex crate becomes an automaton,
which JavaScript runs. The engine has accepted the expression before: here nothing is checked.
"""

import re
from typing import Final, NamedTuple

from ...jsonschema import charset
from ...jsonschema.automaton import Automaton, PatternPart
from ...jsonschema.charset import LAST, Alphabet, Ranges, complement, union
from ...jsonschema.json_values import JsonObject
from ...runtime.grammars import TextInput

_CONTROLS: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_POSIX: Final = {
    "alnum": r"0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "digit": "0-9",
    "cntrl": r"\x00-\x1f\x7f", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ", "upper": "A-Z", "word": "0-9A-Z_a-z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
# White_Space of Unicode.
_SPACE: Final[Ranges] = (
    (9, 13), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
# Other_Alphabetic that is no mark (circled and squared letters), and Join_Control.
_MORE_WORD: Final[Ranges] = (
    (0x200C, 0x200D), (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189),
)  # fmt: skip
_SAME_AS_ASCII: Final = {"k": 0x212A, "s": 0x17F}
"""Letters outside of ASCII that simple case folding makes equal to one inside: Kelvin, and the long s."""

_ANCHOR: Final = re.compile(r"[\^$]|\\[Az]")
_GROUP: Final = re.compile(
    r"\((?:\?P?<\w[\w.\[\]]*>|\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]*))?(?P<end>[:)]))?"
)
_QUANTIFIER: Final = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<low>[0-9]+)(?P<comma>,)?(?P<high>[0-9]*)\})\??")
_TURNS: Final = 1_000
"""Turns of a counted repetition."""
_NUMBER: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xuU]\{([0-9a-fA-F]+)\})"
)
_CATEGORY: Final = re.compile(r"\\[pP](?:([A-Z])|\{([A-Za-z_=]+)\})")
_POSIX_CLASS: Final = re.compile(r"\[:(\^?)([a-z]+):\]")


def grammar_table(text: TextInput) -> JsonObject | None:
    """Return the members of `Grammar` in `support/text_grammar.js` for a checked grammar.

    None for a grammar in Lark's syntax, which no automaton decides, and for an expression without an exact
    automaton here: operations on classes, scripts, flags other than `i` and `s`, the flag `i` for letters
    outside of ASCII, expressions that are too large.
    """
    if text.grammar != "regex":
        return None
    reader = _Reader(text.definition)
    try:
        whole = reader.alternatives(_Flags())
    except _UnsupportedError:
        return None
    automaton = reader.automaton
    if not (automaton.complete and automaton.exact):
        return None
    alphabet = Alphabet(automaton.ranges)
    starts, kinds = alphabet.ranges()
    rows = [list(row) for row in automaton.follow]
    rows[Automaton.START] = list(whole.first)
    return {
        "definition": text.definition,
        "empty": bool(whole.empty),
        "starts": starts,
        "kinds": kinds,
        "accepted": alphabet.accepted,
        "follow": rows,
        "ends": sorted(whole.last),
    }


class _UnsupportedError(Exception):
    pass


class _Flags(NamedTuple):
    case: bool = False
    dot: bool = False


class _Reader:
    """One pass over an expression, from left to right."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.automaton = Automaton(_TURNS)

    def alternatives(self, flags: _Flags) -> PatternPart:
        """Up to the end or a `)`."""
        automaton = self.automaton
        found: list[PatternPart] = []
        part = automaton.nothing()
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self._take(_ANCHOR):  # the engine takes them at the ends only, where they state nothing
                continue
            if self.text[self.at] == "|":
                self.at += 1
                found.append(part)
                part = automaton.nothing()
                continue
            if group := self._take(_GROUP):
                inner = _with(flags, group)
                if group["end"] == ")":
                    flags = inner
                    continue
                last = self.alternatives(inner)
                self.at += 1
            else:
                last = automaton.character(self._characters(flags))
            while match := self._take(_QUANTIFIER):
                low, high = _turns(match)
                last = automaton.nothing() if high == 0 else automaton.repeat(last, low, high)
            part = automaton.then(part, last)
        return automaton.either([*found, part])

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def _characters(self, flags: _Flags) -> Ranges:
        char = self.text[self.at]
        if char == "[":
            return self._class(flags)
        if char == ".":
            self.at += 1
            return ((0, LAST),) if flags.dot else complement(((10, 10),))
        return self._item(flags, single=True)

    def _class(self, flags: _Flags) -> Ranges:
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        found: list[tuple[int, int]] = []
        first = self.at
        while self.text[self.at] != "]" or self.at == first:
            found += self._item(flags)
        self.at += 1
        return complement(union(found)) if negated else union(found)

    def _item(self, flags: _Flags, *, single: bool = False) -> Ranges:
        """One character; inside of a class also a range of them, or a class of POSIX."""
        if not single:
            if (match := self._take(_POSIX_CLASS)) and match[2] in _POSIX:
                known = _Reader(f"[{match[1]}{_POSIX[match[2]]}]")._class(_Flags())
                return _folded(known) if flags.case else known
            if match or self.text.startswith(("[", "&&", "--", "~~"), self.at):
                raise _UnsupportedError
        closed = self.text.startswith(("\\d", "\\D", "\\w", "\\W", "\\s", "\\S"), self.at)
        ranges = self._character()
        ranged = not single and self.text.startswith("-", self.at)
        if ranged and self.text[self.at + 1] not in "]-":
            self.at += 1
            ranges = ((ranges[0][0], self._character()[0][0]),)
        return _folded(ranges) if flags.case and not closed else ranges

    def _character(self) -> Ranges:
        if match := self._take(_NUMBER):
            point = int(next(filter(None, match.groups())), 16)
        elif match := self._take(_CATEGORY):
            ranges = charset.category(match[1] or match[2])
            if ranges is None:
                raise _UnsupportedError
            return complement(ranges) if match[0].startswith("\\P") else ranges
        elif self.text[self.at] == "\\":
            char = self.text[self.at + 1]
            self.at += 2
            if char in "dDwWsS":
                ranges = _SPACE if char in "sS" else _digits() if char in "dD" else _word()
                return complement(ranges) if char.isupper() else ranges
            point = _CONTROLS.get(char, ord(char))
        else:
            point = ord(self.text[self.at])
            self.at += 1
        return ((point, point),)


def _with(flags: _Flags, match: re.Match[str]) -> _Flags:
    on, off = match["on"] or "", match["off"] or ""
    if not {*on} <= {*"isu"} or not {*off} <= {*"is"}:
        raise _UnsupportedError
    return _Flags((flags.case or "i" in on) and "i" not in off, (flags.dot or "s" in on) and "s" not in off)


def _folded(ranges: Ranges) -> Ranges:
    added: list[tuple[int, int]] = []
    for low, high in ranges:
        for letter in map(chr, range(low, high + 1)):
            if letter.lower() == letter == letter.upper():
                continue
            if not letter.isascii():  # Python does not know all counterparts
                raise _UnsupportedError
            twins = {ord(letter.swapcase()), _SAME_AS_ASCII.get(letter.lower(), ord(letter))}
            added += ((twin, twin) for twin in twins)
    return union([*ranges, *added])


def _turns(quantifier: re.Match[str]) -> tuple[int, int | None]:
    if sign := quantifier["sign"]:
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    low = int(quantifier["low"])
    return low, (int(quantifier["high"]) if quantifier["high"] else None) if quantifier["comma"] else low


def _digits() -> Ranges:
    ranges = charset.category("Nd")
    assert ranges is not None
    return ranges


def _word() -> Ranges:
    """Alphabetic, marks, decimal digits, connecting punctuation and Join_Control, as UTS #18 has them."""
    kinds = (charset.category(name) for name in ("L", "Nl", "M", "Nd", "Pc"))
    return union([*_MORE_WORD, *(span for ranges in kinds if ranges is not None for span in ranges)])
