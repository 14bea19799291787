"""Patterns that are no regular expressions of ECMA-262, or that mean something else there: what to write."""

import re
from typing import Final

from msgspec import Struct

from ..jsonschema import UnsupportedPattern
from ..jsonschema.ecma import translate
from ..spec.reader_problems import quoted


class PatternMistake(Struct, frozen=True):
    """A pattern that cannot be used (an error), or that hardly means what it says (a warning)."""

    message: str
    hint: str
    is_error: bool


_AT: Final[tuple[tuple[str, str], ...]] = (
    (r"\?P<(?P<name>\w+)>", "write `(?<name>…)`: JSON Schema has ECMA-262's expressions, not Python's"),
    (r"\?P=", "write `\\k<name>` for what a named group matched"),
    (r"\?[aiLmsux-]+[:)]", "there are no flags; write both cases, such as `[Aa]`"),
    (r"\?#", "remove the comment; the description can say it"),
    (r"\?>|[*+?}]\+", "ECMA-262 lacks possessive and atomic groups; write a plain one: `(?:…)`, `a+`"),
    (r"\?\(|\?R|\?&|\?\d", "ECMA-262 lacks conditions and recursion; write the alternatives out with `|`"),
    (r"\\A", "write `^` for the start of the text"),
    (r"\\[Zz]", "write `$` for the end of the text"),
    (r"\\h", r"write `[ \t]` for blanks, `[0-9A-Fa-f]` for hexadecimal digits"),
    (r"\\[QE]", r"write `\` before each special character instead"),
    (r"\\a", r"write `\x07`"),
    (r"\\e", r"write `\x1b`"),
    (r"\\u", r"write four hexadecimal digits, or braces: `\u00e9`, `\u{1f600}`"),
    (r"\\x", r"write two hexadecimal digits: `\x1b`"),
    (r"\\\Z", r"write `\\` for a backslash"),
    (r"\\[pP]", r"general categories are known, such as `\p{L}` and `\p{Lu}`; list other characters in [ ]"),
    (r"\\[1-9k]", "refer to a group that stands before it: `(a)\\1`, `(?<name>a)\\k<name>`"),
    (r"\\[A-Za-z_]", "remove the backslash: letters need none"),
    (r"\[", r"close it with `]`, or write `\[` for the bracket itself"),
    (r"\(", r"close it with `)`, or write `\(` for the parenthesis itself"),
    (r"\)", r"open it with `(`, or write `\)` for the parenthesis itself"),
    (r"\{\d+,\d+\}", "write the smaller number first: `{1,3}`"),
    (r"\{\d{10}", "write a smaller number; a text can be bounded by `maxLength`"),
    (r"[*+?{]", r"put something before it that can repeat, or write `\` before it for the character itself"),
)
"""What stands at the place of an error → what to write. The first that fits counts."""
_RANGE: Final = "write the smaller character first: `[a-z]`; for a hyphen itself, put it last: `[az-]`"
_DOUBTS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        r"\A/\^|\$/[dgimsuvy]*\Z",
        "the slashes around it are part of the pattern: JSON Schema writes it without",
        "remove the slashes and what follows them; there are no flags",
    ),
    (
        r"\[\[:\^?[a-z]+:\]",
        "POSIX classes such as `[:alpha:]` do not exist in ECMA-262: this is a class of their letters",
        r"write the characters: `[A-Za-z]`, or a category: `\p{L}`",
    ),
    (
        r"[\x07\x08]",
        "it holds a control character, as `\\b` and `\\a` make inside of double quotes",
        r"put the pattern in single quotes, or double the backslash: `\\b`",
    ),
)  # fmt: skip
"""A part of a pattern that is valid → what it means there, and what to write."""
_LONGEST: Final = 4_000
"""Characters of a pattern that is searched for doubtful parts."""


def pattern_mistake(pattern: str) -> PatternMistake | None:
    """What is wrong with a pattern.

    Args:
        pattern: the value of `pattern`, or a key of `patternProperties`.

    Returns:
        An error for one that cannot be used; a warning for one that means something else than in other
        languages; None for any other.
    """
    try:
        translate(pattern)
    except UnsupportedPattern as problem:
        return _unusable(pattern, problem)
    except RecursionError:
        message = f"the pattern {quoted(pattern)} is nested too deeply"
        return PatternMistake(message, "write it with fewer groups inside of each other", is_error=True)
    if len(pattern) > _LONGEST:
        return None
    for doubt, meaning, hint in _DOUBTS:
        if re.search(doubt, pattern, re.DOTALL):
            return PatternMistake(
                f"the pattern {quoted(pattern)} is doubtful: {meaning}", hint, is_error=False
            )
    return None


def _unusable(pattern: str, problem: UnsupportedPattern) -> PatternMistake:
    what = "is not supported" if problem.valid else "is not valid"
    if problem.offset is None:
        hint = "write it in another way; the parts of a look-behind must have one length"
        if "named" in problem.reason:
            hint = "give each group a name of its own"
        return PatternMistake(f"the pattern {quoted(pattern)} {what}: {problem.reason}", hint, is_error=True)
    reason = problem.reason.removesuffix(f" at offset {problem.offset}")
    rest = pattern[problem.offset :]
    place = f"at character {problem.offset + 1}, {quoted(rest, 20)}" if rest else "at its end"
    message = f"the pattern {quoted(pattern)} {what}: {reason} {place}"
    if "range" in reason:
        return PatternMistake(message, _RANGE, is_error=True)
    if "nested" in reason:
        return PatternMistake(message, "write it with fewer groups inside of each other", is_error=True)
    before = pattern[problem.offset - 1 : problem.offset] + rest[:1] if problem.offset else ""
    hint = next(
        (hint for at, hint in _AT if re.match(at, rest) or (at.startswith(r"\?>") and re.match(at, before))),
        "correct it there; JSON Schema has the regular expressions of ECMA-262 (JavaScript)",
    )
    return PatternMistake(message, hint, is_error=True)
