"""The forms of a secret's value that are searched in decoded text."""

import re
from typing import Final

from msgspec import Struct

SHORTEST: Final = 8
"""Characters, white space aside, that a value must have. A shorter one would occur in many texts by chance,
and be found out by asking for all there are."""

_LINE = 16  # characters that make a line of a longer value worth hiding on its own

SPACE: Final = re.compile(
    "(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+"
)
"""White space, in UTF-8 with a character for each byte."""
INVISIBLE: Final = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,512}(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>])"
    "|[\0-\x08\x7f]|\xc2[\x80-\x84\x86-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\xa0[\x8b-\x8f]"
    "|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xf3\xa0[\x80-\x87][\x80-\xbf]"
)
"""What a terminal or a page shows as nothing: ANSI sequences, control and zero-width characters. Again in
UTF-8 with a character for each byte."""


class Form(Struct, frozen=True):
    """A form to search in text that is `flattened` and in lower case. `pattern` replaces it where letters
    beyond ASCII have other bytes in the other case."""

    text: str
    name: str
    pattern: re.Pattern[str] | None = None

    def find(self, text: str, start: int) -> tuple[int, int]:
        """The next occurrence; (-1, -1) where there is none."""
        if self.pattern is not None:
            found = self.pattern.search(text, start)
            return (-1, -1) if found is None else found.span()
        at = text.find(self.text, start)
        return (at, at + len(self.text)) if at >= 0 else (-1, -1)


def as_bytes(text: str) -> str:
    """`text` in UTF-8, with a character for each byte."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")


def flattened(text: str) -> str:
    """`as_bytes` of a text, without what shows as nothing."""
    return SPACE.sub("", INVISIBLE.sub("", as_bytes(text)))


def forms(name: str, value: str) -> list[Form]:
    """The value and each long line of it, and each backwards: its text, and its digits in hexadecimal."""
    lines = [line for line in value.splitlines() if not line.startswith("-----")]
    kept = [line for line in lines if len(flattened(line)) >= _LINE] if len(lines) > 1 else []
    made: list[Form] = []
    for part in (value, *kept):
        digits = part.encode("utf-8", "surrogatepass").hex()[::-1]
        made += _form(name, part), _form(name, part[::-1]), Form(digits, name)
    return [form for form in made if form.text]


def without_plus(form: Form) -> Form:
    """The same for text in which plus signs stood for white space."""
    plus = re.escape("+")
    pattern = None if form.pattern is None else re.compile(form.pattern.pattern.replace(plus, ""))
    return Form(form.text.replace("+", ""), form.name, pattern)


def shortest_match(form: Form) -> int:
    """How many bytes a text has at least in which the form, or the form without plus signs, is found."""
    length = len(form.text) - form.text.count("+")
    # A letter may have fewer bytes in the other case, but one at least.
    return length if form.pattern is None else length // 4


def _form(name: str, part: str) -> Form:
    text = flattened(part).lower()
    if part.isascii():
        return Form(text, name)
    return Form(text, name, re.compile("".join(map(_either_case, part))))


def _either_case(char: str) -> str:
    """A pattern for one character: an ASCII one in lower case, another one in any."""
    cases = (char, char.upper(), char.lower(), char.casefold(), char.title())
    texts = dict.fromkeys(flattened(case).lower() for case in cases)
    patterns = [re.escape(text) for text in texts]
    return patterns[0] if len(patterns) == 1 else f"(?:{'|'.join(patterns)})"


def is_too_short(value: str) -> bool:
    """Whether a value cannot be kept out of results."""
    shown = flattened(value).encode("latin-1").decode("utf-8", "surrogatepass")
    return len(shown) < SHORTEST
