"""ECMA-262 regular expressions as Python `re` source.

The `pattern` keyword is ECMA-262 in unicode mode. As public schemas rely on what browsers forgive without the
u flag, `{`, `}` and `]` stand for themselves where they cannot be syntax, and any punctuation may be escaped.
"""

import re

from . import charset
from .charset import Ranges
from .costs import BRACES, Costs
from .errors import UnsupportedPattern
from .memory import remembered
from .shape import EMPTY, Shape, character

_MAX_NESTING = 100
_ENDLESS = re.compile(r"[*+]|\{[0-9]+,[}?]")
_NAME = re.compile(r"<((?:[^\W\d]|\$)[\w$]*)>")
_W = charset.source(charset.WORD)
_BOUNDARY = f"(?:(?<={_W})(?!{_W})|(?<!{_W})(?={_W}))"
_NO_BOUNDARY = f"(?:(?<={_W})(?={_W})|(?<!{_W})(?!{_W}))"
_DOT = charset.complement(charset.NEWLINE)


@remembered
def translate(pattern: str) -> str:
    """Python `re` source that finds what the ECMA-262 `pattern` finds, to be used with `re.search`.

    Raises UnsupportedPattern for what is no ECMA-262 pattern, and for the few that `re` cannot run exactly:
    scripts in `\\p{…}`, look-behind of variable width, references into a repeated group.
    """
    source = _Translator(pattern).run()
    try:
        re.compile(source)
    except (re.error, OverflowError, RecursionError) as problem:
        raise UnsupportedPattern(f"Python's re cannot run it: {problem}", valid=True) from None
    return source


def is_safe(pattern: str) -> str | None:
    """None, or why the pattern can take exponential time in a backtracking engine.

    Finds repetitions whose turns can be cut in many ways: `(a+)+`, `(\\w+\\s?)*`, `(a|a)*`. It does not look
    for longer alternatives that spell the same text, as in `(a|aa)*`. Raises UnsupportedPattern like
    `translate`.
    """
    return _costs(pattern)[0]


def degree(pattern: str) -> int:
    """The power of a text's length that a search for the pattern may take where it fails: 1 is linear.

    Says nothing about patterns that `is_safe` complains about. Raises UnsupportedPattern like `translate`.
    """
    return _costs(pattern)[1]


@remembered
def _costs(pattern: str) -> tuple[str | None, int]:
    """What `is_safe` and `degree` say of a pattern: each spec asks for both, and many have the same ones."""
    translator = _Translator(pattern)
    translator.run()
    return translator.risk, 1 if translator.risk else translator.degree()


class _Translator(Costs):
    """One left-to-right pass; a method per construct, each appends to `out`."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
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
        return f"(?<!{self.leading}){source}" if self.leading else source

    def disjunction(self, depth: int) -> str:
        if depth > _MAX_NESTING:
            raise self.fail(f"groups nested more than {_MAX_NESTING} deep", valid=True)
        out: list[str] = []
        text = self.text
        alternatives: list[Shape] = []
        shape = EMPTY
        self.anchored &= depth > 0 or text.startswith("^", self.at)
        while self.at < len(text) and text[self.at] != ")":
            if text[self.at] == "|":
                self.at += 1
                self.anchored &= depth > 0 or text.startswith("^", self.at)
                out.append("|")
                alternatives.append(shape)
                shape = EMPTY
                continue
            first_group, first_reference = self.count + 1, len(self.references)
            start = self.at
            term, repeatable = self.term(depth)
            bounds = self.quantifier()
            if bounds:
                if not repeatable:
                    raise self.fail("nothing to repeat")
                if not bounds.startswith("?"):
                    self.check_references(first_group, first_reference)
                single = self.shape.single and term[0] != "("  # a copied group would be numbered
                if depth == 0 and not out and single and _ENDLESS.match(bounds):
                    self.leading = term
                self.repeat(bounds, start)
            out.append(term + bounds)
            self.places.connect(shape.ends, self.shape.starts)
            shape = shape.then(self.shape)
        if depth == 0 and (alternatives or len(out) == 1):
            self.leading = ""
        self.join(shape, alternatives)
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
        elif char == "{" and (match := BRACES.match(self.text, self.at)):
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
        if self.text[self.at : self.at + 1] in {"*", "+", "?"} or BRACES.match(self.text, self.at):
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
        if char in "*+?" or (char == "{" and BRACES.match(self.text, self.at)):
            raise self.fail("nothing to repeat")
        self.at += 1
        if char in "^$":
            self.must_end |= char == "$"
            self.shape = EMPTY
            return ("^" if char == "^" else r"\Z"), False
        return self.one_of(_DOT if char == "." else ((ord(char), ord(char)),))

    def one_of(self, ranges: Ranges) -> tuple[str, bool]:
        self.shape = character(ranges, self.places.add(ranges))
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
        if opening not in ("(", "(?:"):
            self.shape = EMPTY
        return f"{opening}{body})", not behind

    def reference(self, number: int) -> str:
        if number > len(self.names):
            raise self.fail(f"back-reference to group {number}, which does not exist")
        if self.behind:
            raise self.fail("a back-reference inside a look-behind is not supported", valid=True)
        self.references.append((self.at, number))
        self.shape = EMPTY
        if number in self.void or number not in self.closed:
            return "(?:)"  # undefined there, and an undefined group matches the empty string
        return f"(?:(?({number})\\{number}))"

    def escape(self) -> tuple[str, bool]:
        char = self.text[self.at + 1 : self.at + 2]
        if char and char in "bB":
            self.at += 2
            self.shape = EMPTY
            return (_BOUNDARY if char == "b" else _NO_BOUNDARY), False
        if char == "k":
            match = _NAME.match(self.text, self.at + 2)
            if not match or match[1] not in self.names:
                raise self.fail("`\\k` without the name of a group")
            self.at = match.end()
            return self.reference(self.names.index(match[1]) + 1), True
        if char and char in "123456789":
            match = re.compile("[0-9]+").match(self.text, self.at + 1)
            assert match
            if len(match.group()) > 4:
                raise self.fail("back-reference to a group that does not exist")
            self.at = match.end()
            return self.reference(int(match.group())), True
        return self.one_of(self.character())


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
