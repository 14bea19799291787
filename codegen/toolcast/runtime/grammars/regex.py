"""Regular expressions in the syntax of Rust's regex crate, as OpenAI's custom tools have them.

What is read is exactly what the crate means by it: literals, `.`, classes, POSIX classes, Unicode's general
categories, groups, alternatives, counted and other repetition, and the flags `i` and `s`. `^` and `$`
(`\\A`, `\\z`) may stand at the ends: the whole text is matched. Look-around, word boundaries, lazy
repetition, the flags `x`, `m`, `U`, `R` and set operations in classes are refused.

Source: OpenAI's guide on function calling, "Custom tools" (Rust's syntax; no look-around, no lazy modifiers);
docs.rs/regex, "Syntax".
"""

import re
from typing import Final

from ...jsonschema import charset
from ...jsonschema.charset import LAST, Ranges, complement, union
from .expressions import EMPTY, MAX_NESTING, MAX_TURNS, Characters, Choice, Expression, Repetition, Sequence
from .grammar_error import GrammarError

_NEWLINE: Final[Ranges] = ((10, 10),)
_ANY: Final[Ranges] = ((0, LAST),)
_CONTROLS: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_POSIX: Final[dict[str, Ranges]] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (0x20, 0x20)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": ((0x30, 0x39),),
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
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
_FLAGS: Final = re.compile(r"\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]*))?(?P<end>[:)])")
_GROUP_NAME: Final = re.compile(r"\?P?<(?P<name>[^\W\d][\w.\[\]]*)>")
_COUNT: Final = re.compile(r"\{(?P<low>[0-9]+)(?:(?P<comma>,)(?P<high>[0-9]*))?\}")
_LOOKS: Final = {"?=": "look-ahead", "?!": "look-ahead", "?<=": "look-behind", "?<!": "look-behind"}
_CATEGORY_NAMES: Final = re.compile(r"[pP](?:(?P<letter>[A-Z])|\{(?P<name>[A-Za-z_=]+)\})")


def parse_regex(pattern: str, *, flags: str = "", offset: int = 0, anchors: bool = True) -> Expression:
    """Read a regular expression.

    Args:
        pattern: the expression.
        flags: `i` and `s`, each where it is set for all of it.
        offset: where the expression begins in its definition, for errors.
        anchors: whether `^` and `$` may stand at its ends.

    Returns:
        The expression.

    Raises:
        GrammarError: it is no expression of Rust's regex crate, or has what the module's docstring excludes.
    """
    reader = _Reader(pattern, offset, anchors)
    return reader.run(frozenset(flags))


def fold_case(ranges: Ranges, at: int = 0) -> Ranges:
    """Add the other case of each letter.

    Args:
        ranges: a set of characters.
        at: the offset in the definition, for errors.

    Returns:
        The set, closed under simple case folding.

    Raises:
        GrammarError: it has cased letters outside of ASCII, of which Python does not know all counterparts.
    """
    added: list[tuple[int, int]] = []
    for low, high in ranges:
        for point in range(low, min(high, 0x7F) + 1):
            letter = chr(point)
            if letter.isalpha():
                added.append((ord(letter.swapcase()), ord(letter.swapcase())))
                if letter.lower() in _SAME_AS_ASCII:
                    added += _one(_SAME_AS_ASCII[letter.lower()])
        for point in range(max(low, 0x80), high + 1):
            letter = chr(point)
            if letter.lower() != letter or letter.upper() != letter:
                hint = "write both cases, and leave the flag out there"
                raise GrammarError(
                    f"the flag `i` for {letter!r}, a letter outside of ASCII, is not supported", at, hint
                )
    return union([*ranges, *added])


class _Reader:
    """One pass over a pattern, from left to right."""

    def __init__(self, pattern: str, offset: int, anchors: bool) -> None:
        self.text = pattern
        self.at = 0
        self._offset = offset
        self._anchors = anchors

    def run(self, flags: frozenset[str]) -> Expression:
        read, _ = self.alternatives(flags, 0)
        if self.at < len(self.text):
            raise self.fail("unmatched `)`", r"write `\)` for the parenthesis itself")
        return read

    def fail(self, reason: str, hint: str = "", at: int | None = None) -> GrammarError:
        return GrammarError(reason, self._offset + (self.at if at is None else at), hint)

    def alternatives(self, flags: frozenset[str], depth: int) -> tuple[Expression, frozenset[str]]:
        """Up to the end or a `)`; and the flags there, which a group without a body may have set."""
        if depth > MAX_NESTING:
            raise self.fail(f"groups are nested more than {MAX_NESTING} deep")
        found: list[Expression] = []
        parts: list[Expression] = []
        text = self.text
        repeatable = False
        while self.at < len(text) and text[self.at] != ")":
            char = text[self.at]
            if char == "|":
                self.at += 1
                found.append(_sequence(parts))
                parts = []
            elif char in "^$" or text.startswith(("\\A", "\\z"), self.at):
                self.anchor(char, at_start=not parts, depth=depth)
            elif char in "*+?" or (char == "{" and repeatable):
                parts.append(self.repeated(parts if repeatable else [], char))
                continue
            elif setting := self.flag_setting(flags):
                flags = setting
            else:
                parts.append(self.atom(flags, depth))
                repeatable = True
                continue
            repeatable = False
        last = _sequence(parts)
        return (Choice((*found, last)) if found else last), flags

    def anchor(self, char: str, *, at_start: bool, depth: int) -> None:
        at = self.at
        width = 2 if char == "\\" else 1
        starts = self.text[at : at + width] in ("^", "\\A")
        self.at += width
        fits = at_start if starts else self.text[self.at : self.at + 1] in ("", "|")
        if not self._anchors or depth or not fits:
            hint = (
                "remove it: the whole text is matched"
                if self._anchors
                else "remove it: a terminal has no anchors"
            )
            raise self.fail(
                f"`{self.text[at : self.at]}` may stand at the ends of a regular expression only", hint, at
            )

    def repeated(self, parts: list[Expression], char: str) -> Expression:
        """The last part under the quantifier at `at`, taken from `parts`."""
        if not parts:
            raise self.fail("nothing to repeat", f"write `\\{char}` for the character itself")
        if char == "{":
            match = _COUNT.match(self.text, self.at)
            if match is None:
                raise self.fail("`{` begins no repetition", r"write `\{` for the brace itself")
            low = _count(match["low"])
            high = low if match["comma"] is None else _count(match["high"]) if match["high"] else None
            if low > MAX_TURNS or (high or 0) > MAX_TURNS:
                raise self.fail(f"a repetition has at most {MAX_TURNS} turns", "write a smaller number")
            if high is not None and high < low:
                raise self.fail(
                    "the bounds of a repetition are out of order", "write the smaller number first"
                )
            self.at = match.end()
        else:
            low, high = (1 if char == "+" else 0), (1 if char == "?" else None)
            self.at += 1
        if self.text.startswith("?", self.at):
            raise self.fail(
                "lazy repetition is not supported", "remove the `?`: the texts that match are the same"
            )
        return Repetition(parts.pop(), low, high)

    def flag_setting(self, flags: frozenset[str]) -> frozenset[str]:
        """The flags behind a group such as `(?i)`; none where no such group stands at `at`."""
        match = _FLAGS.match(self.text, self.at + 1) if self.text.startswith("(", self.at) else None
        if match is None or match["end"] == ":":
            return frozenset()
        made = self.flags(match, flags)
        self.at = match.end()
        return made | {"u"}  # never empty: `u` is always set

    def flags(self, match: re.Match[str], flags: frozenset[str]) -> frozenset[str]:
        on, off = match["on"], match["off"] or ""
        for part, letters in (("on", on), ("off", off)):
            for index, letter in enumerate(letters):
                if letter not in ("isu" if part == "on" else "is"):
                    hint = "only `i` and `s` are: write out what the flag stands for"
                    raise self.fail(f"the flag `{letter}` is not supported", hint, match.start(part) + index)
        return (flags | set(on)) - set(off)

    def atom(self, flags: frozenset[str], depth: int) -> Expression:
        char = self.text[self.at]
        if char == "(":
            return self.group(flags, depth)
        if char == "[":
            return Characters(self.char_class(flags))
        if char == "\\":
            at = self.at
            return Characters(self.in_case(self.escape(), flags, at))
        if char == "{":
            raise self.fail("nothing to repeat", r"write `\{` for the brace itself")
        self.at += 1
        if char == ".":
            return Characters(_ANY if "s" in flags else complement(_NEWLINE))
        return Characters(self.in_case(((ord(char), ord(char)),), flags, self.at - 1))

    def in_case(self, ranges: Ranges, flags: frozenset[str], at: int) -> Ranges:
        """The characters read from `at` on, with their other case where the flag is set."""
        # `\\w` has both cases, and so has what it lacks; `\\d` and `\\s` have no letters, and lack all.
        closed = "i" not in flags or re.compile(r"\\[dDwWsS]").match(self.text, at)
        return ranges if closed else fold_case(ranges, self._offset + at)

    def group(self, flags: frozenset[str], depth: int) -> Expression:
        start, text = self.at, self.text
        self.at += 1
        if text.startswith("?", self.at):
            look = next((word for opening, word in _LOOKS.items() if text.startswith(opening, self.at)), None)
            if look:
                raise self.fail(f"{look} is not supported", "write out what may stand there", start)
            if (name := _GROUP_NAME.match(text, self.at)) is not None:
                self.at = name.end()
            elif (match := _FLAGS.match(text, self.at)) is not None:
                flags = self.flags(match, flags)
                self.at = match.end()
            else:
                raise self.fail("an unknown kind of group", "write `(?:…)`", start)
        body, _ = self.alternatives(flags, depth + 1)
        if not text.startswith(")", self.at):
            raise self.fail(
                "an unclosed group", r"close it with `)`, or write `\(` for the parenthesis itself", start
            )
        self.at += 1
        return body

    def escape(self) -> Ranges:
        """The characters of the escape at `at`."""
        start, text = self.at, self.text
        char = text[start + 1 : start + 2]
        self.at += 2
        if not char:
            raise self.fail("`\\` at the end", r"write `\\` for a backslash", start)
        if char in "dDwWsS":
            ranges = _SPACE if char in "sS" else _digits() if char in "dD" else _word()
            return complement(ranges) if char.isupper() else ranges
        if char in "pP":
            return self.category(start)
        if char in _CONTROLS:
            return _one(_CONTROLS[char])
        if char in _HEX_DIGITS:
            return self.code_point(char, start)
        if char in "bB<>":
            raise self.fail(
                f"`\\{char}` is not supported: it is a word boundary", "write out what may stand there", start
            )
        if not char.isascii() or char.isalnum():
            hint = "back-references do not exist" if char.isdigit() else "remove the backslash, or double it"
            raise self.fail(f"`\\{char}` is no escape of Rust's regular expressions", hint, start)
        return _one(ord(char))

    def code_point(self, char: str, start: int) -> Ranges:
        match = re.compile(r"\{([0-9a-fA-F]{1,8})\}").match(self.text, self.at)
        digits = match[1] if match else self.text[self.at : self.at + _HEX_DIGITS[char]]
        if not match and not re.fullmatch(f"[0-9a-fA-F]{{{_HEX_DIGITS[char]}}}", digits):
            hint = f"write {_HEX_DIGITS[char]} hexadecimal digits, or braces: `\\u{{1f600}}`"
            raise self.fail(f"`\\{char}` without its digits", hint, start)
        point = int(digits, 16)
        if point > LAST or 0xD800 <= point < 0xE000:
            raise self.fail("this is no character of Unicode", "write another number", start)
        self.at = match.end() if match else self.at + len(digits)
        return ((point, point),)

    def category(self, start: int) -> Ranges:
        match = _CATEGORY_NAMES.match(self.text, start + 1)
        ranges = charset.category(match["letter"] or match["name"]) if match else None
        if match is None or ranges is None:
            hint = r"general categories are known, such as `\pL` and `\p{Lu}`; list other characters in `[…]`"
            raise self.fail("this property of Unicode is not supported", hint, start)
        self.at = match.end()
        return complement(ranges) if match[0].startswith("P") else ranges

    def char_class(self, flags: frozenset[str]) -> Ranges:
        start, text = self.at, self.text
        self.at += 1
        negated = text.startswith("^", self.at)
        self.at += negated
        found: list[tuple[int, int]] = []
        first = True
        while self.at >= len(text) or text[self.at] != "]" or first:
            if self.at >= len(text):
                raise self.fail(
                    "an unclosed class", r"close it with `]`, or write `\[` for the bracket itself", start
                )
            first = False
            at = self.at
            found += self.in_case(self.class_item(), flags, at)
        self.at += 1
        ranges = union(found)
        return complement(ranges) if negated else ranges

    def class_item(self) -> Ranges:
        """One character, one range, or one class inside of a class."""
        text, start = self.text, self.at
        posix = re.compile(r"\[:(\^?)([a-z]+):\]").match(text, start)
        if posix is not None:
            if posix[2] not in _POSIX:
                raise self.fail(f"there is no class `[:{posix[2]}:]`", "list its characters")
            self.at = posix.end()
            return complement(_POSIX[posix[2]]) if posix[1] else _POSIX[posix[2]]
        if text[start] == "[" or text.startswith(("&&", "--", "~~"), start):
            hint = r"list the characters, with `\` before a bracket or a doubled sign"
            raise self.fail("operations on classes are not supported", hint)
        low = self.class_character()
        if not text.startswith("-", self.at) or text[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        if text.startswith("--", self.at):
            return low  # the next item refuses it
        self.at += 1
        high = self.class_character()
        if not (_single(low) and _single(high)):
            raise self.fail("a range has a class at its end", r"write `\-` for the hyphen itself", start)
        if high[0][0] < low[0][0]:
            raise self.fail("a range is out of order", "write the smaller character first", start)
        return ((low[0][0], high[0][0]),)

    def class_character(self) -> Ranges:
        char = self.text[self.at]
        if char == "\\":
            return self.escape()
        self.at += 1
        return _one(ord(char))


def _one(point: int) -> Ranges:
    return ((point, point),)


def _sequence(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts)) if parts else EMPTY


def _single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _count(digits: str) -> int:
    return int(digits) if len(digits) < 9 else MAX_TURNS + 1


def _digits() -> Ranges:
    ranges = charset.category("Nd")
    assert ranges is not None
    return ranges


def _word() -> Ranges:
    """Alphabetic, marks, decimal digits, connecting punctuation and Join_Control, as UTS #18 has them."""
    kinds = (charset.category(name) for name in ("L", "Nl", "M", "Nd", "Pc"))
    return union([*_MORE_WORD, *(span for ranges in kinds if ranges is not None for span in ranges)])
