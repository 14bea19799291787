"""Characters, escapes and character classes of ECMA-262 expressions, as sets of code points."""

import re

from . import charset
from .charset import Ranges
from .validator_errors import UnsupportedPattern

_CLASSES: dict[str, Ranges] = {
    "d": charset.DIGIT,
    "D": charset.complement(charset.DIGIT),
    "w": charset.WORD,
    "W": charset.complement(charset.WORD),
    "s": charset.SPACE,
    "S": charset.complement(charset.SPACE),
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


class Scanner:
    """A pattern and the offset up to which it is read."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0

    def fail(self, reason: str, *, valid: bool = False) -> UnsupportedPattern:
        return UnsupportedPattern(f"{reason} at offset {self.at}", valid=valid, offset=self.at)

    def character(self, *, in_class: bool = False) -> Ranges:
        """The code points of an escape; `at` is on its backslash."""
        text, at = self.text, self.at
        char = text[at + 1 : at + 2]
        if not char:
            raise self.fail("`\\` at the end")
        self.at += 2
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "pP":
            return self.unicode_property(negated=char == "P")
        point = self.code_point(char, in_class)
        if point is None:
            self.at = at
            raise self.fail(f"unknown escape `\\{char}`")
        return ((point, point),)

    def code_point(self, char: str, in_class: bool) -> int | None:
        text = self.text
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "b" and in_class:
            return 8
        if char == "0":
            return None if text[self.at : self.at + 1].isdecimal() else 0
        if char == "c":
            letter = text[self.at : self.at + 1]
            self.at += 1
            return ord(letter) % 32 if letter.isascii() and letter.isalpha() else None
        if char == "x":
            return self.hexadecimal(2)
        if char == "u":
            if text.startswith("{", self.at):
                match = re.compile(r"\{([0-9a-fA-F]{1,8})\}").match(text, self.at)
                if not match or int(match[1], 16) > charset.LAST:
                    return None
                self.at = match.end()
                return int(match[1], 16)
            high = self.hexadecimal(4)
            if high is not None and 0xD800 <= high < 0xDC00 and text.startswith("\\u", self.at):
                back = self.at
                self.at += 2
                low = self.hexadecimal(4)
                if low is not None and 0xDC00 <= low < 0xE000:
                    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
                self.at = back
            return high
        if char.isascii() and char.isalnum():
            return None  # letters and digits are reserved: \A, \Z, \z, \Q, \a, \e mean nothing here
        return ord(char)

    def hexadecimal(self, digits: int) -> int | None:
        found = self.text[self.at : self.at + digits]
        if len(found) < digits or not re.fullmatch("[0-9a-fA-F]+", found):
            return None
        self.at += digits
        return int(found, 16)

    def unicode_property(self, *, negated: bool) -> Ranges:
        match = re.compile(r"\{([A-Za-z0-9_=]+)\}").match(self.text, self.at)
        if not match:
            self.at -= 2
            raise self.fail("`\\p` without a property in braces")
        ranges = charset.category(match[1])
        if ranges is None:
            self.at -= 2
            reason = f"the Unicode property `{match[1]}` is not supported, only general categories are"
            raise self.fail(reason, valid=True)
        self.at = match.end()
        return charset.complement(ranges) if negated else ranges

    def char_class(self) -> Ranges:
        start = self.at
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        found: list[tuple[int, int]] = []
        while True:
            if self.at >= len(self.text):
                self.at = start
                raise self.fail("unclosed character class")
            if self.text[self.at] == "]":
                self.at += 1
                break
            first = self.at
            low = self.class_atom()
            if self.text.startswith("-", self.at) and self.text[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                high = self.class_atom()
                if _single(low) and _single(high):
                    if high[0][0] < low[0][0]:
                        self.at = first
                        raise self.fail("character range out of order")
                    found.append((low[0][0], high[0][0]))
                    continue
                found += [*high, (0x2D, 0x2D)]  # next to \w and the like the dash is itself
            found += low
        ranges = charset.union(found)
        return charset.complement(ranges) if negated else ranges

    def class_atom(self) -> Ranges:
        char = self.text[self.at]
        if char == "\\":
            return self.character(in_class=True)
        self.at += 1
        return ((ord(char), ord(char)),)


def _single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
