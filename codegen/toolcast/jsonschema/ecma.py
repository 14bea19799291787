"""ECMA-262 regular expressions as Python `re` source.

The `pattern` keyword is ECMA-262 in unicode mode. As public schemas rely on what browsers forgive without the
u flag, `{`, `}` and `]` stand for themselves where they cannot be syntax, and any punctuation may be escaped.

Characters, escapes and character classes are sets of code points.
"""

import re
from typing import Generic, NamedTuple, Protocol, TypeVar

from . import charset
from .automaton import ANY_LENGTH, MANY, SLOW, STEPS, Automaton, Cost, beyond, cost, fast_steps
from .charset import Ranges
from .regex_cache import cache_short_texts, compile_regex
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


class _Scanner:
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


_MAX_NESTING = 100
_MAX_LENGTH = 20_000
_UNROLLED = 1_000
"""Turns of a counted repetition that get states of their own; in a first attempt"""
_FEW = 8
"""of them, which suffice for most patterns, and for those that would be too large."""
_LONG = 256
_EDGES = 100
"""Edges of an automaton that is kept, for each character of the pattern and for a hundred more."""
_BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_ENDLESS = re.compile(r"[*+]|\{[0-9]+,[}?]")
_NAME = re.compile(r"<((?:[^\W\d]|\$)[\w$]*)>")
_W = charset.source(charset.WORD)
_BOUNDARY = f"(?:(?<={_W})(?!{_W})|(?<!{_W})(?={_W}))"
_NO_BOUNDARY = f"(?:(?<={_W})(?={_W})|(?<!{_W})(?!{_W}))"
_DOT = charset.complement(charset.NEWLINE)


P = TypeVar("P")


class _Builder(Protocol[P]):
    """Makes something of a pattern, from the inside out, as `Automaton` does."""

    def character(self, ranges: Ranges) -> P: ...
    def nothing(self) -> P: ...
    def start(self) -> P: ...
    def end(self) -> P: ...
    def condition(self) -> P: ...
    def reference(self) -> P: ...
    def ahead(self, body: P, /) -> P: ...
    def behind(self, body: P, /) -> P: ...
    def then(self, one: P, two: P) -> P: ...
    def either(self, parts: list[P]) -> P: ...
    def repeat(self, part: P, low: int, high: int | None) -> P: ...


def build(pattern: str, builder: _Builder[P]) -> P:
    """Make something of a pattern. Raises UnsupportedPattern for what is no ECMA-262 pattern."""
    reader = _Translator(pattern, builder)
    reader.run()
    return reader.part


@cache_short_texts
def translate(pattern: str) -> str:
    r"""Translate an ECMA-262 pattern in unicode mode for Python's `re.search`, which finds the same.

    Raises UnsupportedPattern for what is no ECMA-262 pattern, or none that `re` runs exactly: scripts in
    `\p{…}`, look-behind of variable width, references into a repeated group.
    """
    source = _Translator(pattern, Automaton(_FEW)).run()
    try:
        compile_regex(source)
    except (re.error, OverflowError, RecursionError) as problem:
        raise UnsupportedPattern(f"Python's re cannot run it: {problem}", valid=True) from None
    return source


class Analysis(NamedTuple):
    """The cost of a search in a backtracking engine, and the automaton: None where that engine is always
    quick, or the automaton is not exact or too large.

    `beyond`: further steps for each comparison with a character past U+FFFF, as `re` looks at the ranges of a
    class there one after the other.
    """

    cost: Cost
    automaton: Automaton | None
    beyond: int = 0


@cache_short_texts
def analyse(pattern: str) -> Analysis:
    """Determine the cost of a search with `translate(pattern)`. Raises UnsupportedPattern."""
    automaton = _automaton(pattern, _FEW)
    found = cost(automaton, 0)
    if found.fast_length() == ANY_LENGTH:  # it has all paths that the pattern has, and maybe more
        return Analysis(found, None, beyond(automaton))
    if not (automaton.complete and automaton.exact):
        automaton = _automaton(pattern, _UNROLLED)
        found = cost(automaton, 0)
    edges = sum(map(len, automaton.follow))
    if automaton.complete and automaton.exact and edges <= _EDGES * (100 + len(pattern)):
        kept = None if found.fast_length() == ANY_LENGTH else automaton
        return Analysis(found, kept, beyond(automaton))
    return Analysis(_full_cost(pattern, automaton), None, beyond(automaton))


@cache_short_texts
def exact_automaton(pattern: str) -> Automaton | None:
    """Build the automaton of a pattern; None where it is not exact or too large, or `translate` refuses the
    pattern.
    """
    try:
        for turns in (_FEW, _UNROLLED):
            automaton = _automaton(pattern, turns)
            if automaton.complete and automaton.exact:
                return automaton
    except UnsupportedPattern:
        pass
    return None


def is_fast(pattern: str, length: int) -> bool:
    """Return whether a backtracking search takes at most millions of steps in any text of `length`
    characters. Raises UnsupportedPattern.
    """
    found = analyse(pattern)
    if found.cost.fast_length() >= length:
        return True
    whole = found.cost if found.automaton is None else _full_cost(pattern, found.automaton, length)
    return whole.steps(length) <= SLOW + fast_steps(length)


def _full_cost(pattern: str, automaton: Automaton, length: int = MANY) -> Cost:
    found = cost(automaton, STEPS, length)
    if found.more is None and len(found.sums) < min(_LONG, length):
        coarse = cost(_automaton(pattern, _FEW), STEPS, length)
        found = max(found, coarse, key=lambda each: len(each.sums))
    return found


def _automaton(pattern: str, unrolled: int) -> Automaton:
    automaton = Automaton(unrolled)
    reader = _Translator(pattern, automaton)
    reader.run()
    automaton.finish(reader.part, reader.leading[1])
    return automaton


class _Translator(_Scanner, Generic[P]):
    """One left-to-right pass; a method per construct, each appends to `out` and leaves its `part`."""

    def __init__(self, pattern: str, builder: _Builder[P]) -> None:
        if len(pattern) > _MAX_LENGTH:
            reason = f"a pattern has at most {_MAX_LENGTH:,} characters; for many alternatives, use `enum`"
            raise UnsupportedPattern(reason, valid=True)
        super().__init__(pattern)
        self.builder = builder
        self.part = builder.nothing()  # what was read last
        self.ranges: Ranges | None = None  # if that is one character
        # The character repeated without end at the start of the only alternative.
        self.leading: tuple[str, Ranges] = ("", ())
        self.names = _group_names(pattern)
        self.count = 0
        self.open: list[int] = []  # capturing groups not yet closed
        self.closed: set[int] = set()
        self.void: set[int] = set()  # inside a finished negative look-around: always undefined
        self.references: list[tuple[int, int]] = []  # (position in out, group)
        self.behind = 0

    def run(self) -> str:
        source = self.disjunction(0)
        if self.at < len(self.text):
            raise self.fail("unmatched `)`")
        # What matches from the middle of such a run matches from its start, too. To try only there makes
        # `\s+$` linear in a long run of spaces, where a search from each of them is quadratic.
        return f"(?<!{self.leading[0]}){source}" if self.leading[0] else source

    def disjunction(self, depth: int) -> str:
        if depth > _MAX_NESTING:
            raise self.fail(f"groups nested more than {_MAX_NESTING} deep", valid=True)
        out: list[str] = []
        text = self.text
        builder = self.builder
        alternatives: list[P] = []
        part = builder.nothing()
        while self.at < len(text) and text[self.at] != ")":
            if text[self.at] == "|":
                self.at += 1
                out.append("|")
                alternatives.append(part)
                part = builder.nothing()
                continue
            first_group, first_reference = self.count + 1, len(self.references)
            self.ranges = None
            term, repeatable = self.term(depth)
            quantifier = self.at
            bounds = self.quantifier()
            if bounds:
                if not repeatable:
                    self.at = quantifier
                    raise self.fail("nothing to repeat")
                if not bounds.startswith("?"):
                    self.check_references(first_group, first_reference)
                if depth == 0 and not out and self.ranges is not None and _ENDLESS.match(bounds):
                    self.leading = term, self.ranges
                self.part = builder.repeat(self.part, *_turns(bounds))
            out.append(term + bounds)
            part = builder.then(part, self.part)
        if depth == 0 and (alternatives or len(out) == 1):
            self.leading = "", ()
        self.part = builder.either([*alternatives, part])
        return "".join(out)

    def check_references(self, first_group: int, first_reference: int) -> None:
        # ECMA forgets what a group matched at each turn of the loop around it, Python remembers.
        for _, group in self.references[first_reference:]:
            if group >= first_group:
                raise self.fail(
                    "a back-reference to a group inside the same repetition is not supported", valid=True
                )

    def quantifier(self) -> str:
        char = self.text[self.at : self.at + 1]
        if char and char in "*+?":
            self.at += 1
            bounds = char
        elif char == "{" and (match := _BRACES.match(self.text, self.at)):
            low, comma, high = match.groups()
            if len(low) > 9 or len(high or "") > 9:
                raise self.fail("repetition count too large")
            if high and int(high) < int(low):
                raise self.fail("repetition bounds out of order")
            self.at = match.end()
            bounds = f"{{{int(low)}{comma or ''}{int(high) if high else ''}}}"
        else:
            return ""
        if self.text.startswith("?", self.at):
            self.at += 1
            bounds += "?"
        if self.text[self.at : self.at + 1] in {"*", "+", "?"} or _BRACES.match(self.text, self.at):
            raise self.fail("nothing to repeat")
        return bounds

    def term(self, depth: int) -> tuple[str, bool]:
        """The next term, and whether a quantifier may follow it."""
        char = self.text[self.at]
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.one_of(self.char_class())
        if char == "\\":
            return self.escape()
        if char in "*+?" or (char == "{" and _BRACES.match(self.text, self.at)):
            raise self.fail("nothing to repeat")
        self.at += 1
        if char in "^$":
            self.part = self.builder.start() if char == "^" else self.builder.end()
            return ("^" if char == "^" else r"\Z"), False
        return self.one_of(_DOT if char == "." else ((ord(char), ord(char)),))

    def one_of(self, ranges: Ranges) -> tuple[str, bool]:
        self.part = self.builder.character(ranges)
        self.ranges = ranges
        return charset.source(ranges), True

    def group(self, depth: int) -> tuple[str, bool]:
        text = self.text
        start, number = self.at, 0
        opening = next((o for o in ("(?:", "(?=", "(?!", "(?<=", "(?<!") if text.startswith(o, start)), None)
        if opening:
            self.at += len(opening)
        else:
            self.at += 1
            if text.startswith("?", self.at):
                match = _NAME.match(text, self.at + 1)
                if not match:
                    raise self.fail("unknown group syntax `(?`")
                self.at = match.end()
            opening = "("
            self.count += 1
            number = self.count
            self.open.append(number)
        first = self.count + 1
        behind = opening.startswith("(?<")
        self.behind += behind
        body = self.disjunction(depth + 1)
        self.behind -= behind
        if not text.startswith(")", self.at):
            self.at = start
            raise self.fail("unclosed group")
        self.at += 1
        if number:
            self.open.remove(number)
            self.closed.add(number)
        if opening.endswith("!"):
            self.void.update(range(first, self.count + 1))
        self.ranges = None  # a copied group would be numbered
        if behind:
            self.part = self.builder.behind(self.part)
        elif opening not in ("(", "(?:"):
            self.part = self.builder.ahead(self.part)
        return f"{opening}{body})", not behind

    def reference(self, number: int, end: int) -> str:
        """A back-reference that ends at `end`."""
        if number > len(self.names):
            raise self.fail(f"back-reference to group {number}, which does not exist")
        if self.behind:
            raise self.fail("a back-reference inside a look-behind is not supported", valid=True)
        self.at = end
        self.references.append((self.at, number))
        self.part = self.builder.reference()
        if number in self.void or number not in self.closed:
            return "(?:)"  # undefined there, and an undefined group matches the empty string
        return f"(?:(?({number})\\{number}))"

    def escape(self) -> tuple[str, bool]:
        char = self.text[self.at + 1 : self.at + 2]
        if char and char in "bB":
            self.at += 2
            self.part = self.builder.condition()
            return (_BOUNDARY if char == "b" else _NO_BOUNDARY), False
        if char == "k":
            match = _NAME.match(self.text, self.at + 2)
            if not match or match[1] not in self.names:
                raise self.fail("`\\k` without the name of a group")
            return self.reference(self.names.index(match[1]) + 1, match.end()), True
        if char and char in "123456789":
            match = re.compile("[0-9]+").match(self.text, self.at + 1)
            assert match
            if len(match.group()) > 4:
                raise self.fail("back-reference to a group that does not exist")
            return self.reference(int(match.group()), match.end()), True
        return self.one_of(self.character())


def _turns(bounds: str) -> tuple[int, int | None]:
    match = _BRACES.match(bounds)
    if not match:
        return (1 if bounds[0] == "+" else 0), (1 if bounds[0] == "?" else None)
    low = int(match[1])
    return low, int(match[3]) if match[3] else (None if match[2] else low)


def _group_names(pattern: str) -> list[str]:
    """One entry per capturing group, in order: its name, or "" without one."""
    names: list[str] = []
    tokens = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?<([^=!>]*)>", re.DOTALL)
    for match in tokens.finditer(pattern):
        if match[0].startswith("("):
            name = match[1] or ""
            if name and name in names:
                raise UnsupportedPattern(f"two groups are named `{name}`")
            names.append(name)
    return names
