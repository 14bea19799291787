"""Families of escapes, each undone by one pass over a text in UTF-8 with a character for each byte."""

import html
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from .searched_values import as_bytes

_HEX = "[0-9a-fA-F]"


_NEXT = rf"\\x[89abAB]{_HEX}"
_NUMBER = rf"\\x{_HEX}{{2}}"
_BYTES = rf"\\x[c-dC-D]{_HEX}{_NEXT}|\\x[eE]{_HEX}(?:{_NEXT}){{2}}|\\x[fF][0-7](?:{_NEXT}){{3}}|{_NUMBER}"
"""One character whose UTF-8 bytes stand each in hexadecimal, or one number."""
_OCTAL = r"\\[0-3][0-7][0-7]"
_OCTALS = (
    r"\\3[0-3][0-7]\\2[0-7][0-7]|\\34[0-7](?:\\2[0-7][0-7]){2}|\\35[0-7](?:\\2[0-7][0-7]){2}"
    r"|\\36[0-7](?:\\2[0-7][0-7]){3}"
)
_SLASHES = (
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}"
    rf"|\\U{_HEX}{{8}}|\\u\{{{_HEX}{{1,6}}\}}|\\N\{{[A-Za-z0-9() -]{{1,100}}\}}|{{bytes}}{_OCTAL}"
    r"|\\[0-7]{1,2}|\\(?:[\s\S])"
)
_SLASH = _SLASHES.replace("{bytes}", f"{_BYTES}|{_OCTALS}|")
_SLASH_CHARACTERS = _SLASHES.replace("{bytes}", f"{_NUMBER}|")
"""The same where each number is a character, as in a text of Python's, and not a byte."""
_PERCENT = rf"%{_HEX}{{2}}|%u{_HEX}{{4}}"
_ENTITY = rf"&\#0{{0,100}}[0-9]{{1,7}};?|&\#[xX]0{{0,100}}{_HEX}{{1,6}};?|&[A-Za-z][A-Za-z0-9]{{1,31}};?"
_PRINTABLE = rf"={_HEX}{{2}}|=[ \t]*\r?\n"
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}


class Family(Struct, frozen=True):
    """`sign`: the character that each token of the family begins with; "" for several."""

    sign: str
    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str]], str]


def _slash(token: str) -> str:
    kind = token[1]
    if kind in "01234567":
        return _bytes_or_character([int(part, 8) for part in token.split("\\")[1:]])
    if len(token) == 2:
        return _LETTERS.get(kind, "" if kind == "\n" else kind)
    if kind == "x":
        return _bytes_or_character([int(part, 16) for part in token.split("\\x")[1:]])
    if kind == "N":
        import unicodedata

        try:
            return as_bytes(unicodedata.lookup(token[3:-1]))
        except KeyError:
            return token
    if len(token) == 12:  # a surrogate pair
        high, low = int(token[2:6], 16), int(token[8:], 16)
        return as_bytes(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
    return _character(int(token[2:].strip("{}"), 16)) or token


def _bytes_or_character(numbers: list[int]) -> str:
    """Several bytes are those of one character in UTF-8; one number is a character."""
    return bytes(numbers).decode("latin-1") if len(numbers) > 1 else _character(numbers[0])


def _character(code: int) -> str:
    return as_bytes(chr(code)) if code <= 0x10FFFF else ""


def _percent(token: str) -> str:
    return _character(int(token[2:], 16)) if token[1] == "u" else chr(int(token[1:], 16))


def _entity(token: str) -> str:
    meaning = html.unescape(token)
    if not meaning:  # HTML has no control characters; a terminal that is sent them has
        digits = token[2:].rstrip(";")
        return _character(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    return as_bytes(meaning)


def _printable(token: str) -> str:
    return chr(int(token[1:], 16)) if len(token) == 3 and token[1] not in " \t\r" else ""


_MEANINGS: dict[str, Callable[[str], str]] = {"\\": _slash, "%": _percent, "&": _entity, "=": _printable}


@lru_cache(maxsize=4096)
def _of_token(token: str) -> str:
    return _MEANINGS[token[0]](token)


def _meaning(found: re.Match[str]) -> str:
    return _of_token(found[0])


FAMILIES: Final = tuple(
    Family(sign, re.compile(pattern), _meaning)
    for sign, pattern in (
        ("\\", _SLASH),
        ("\\", _SLASH_CHARACTERS),
        ("%", _PERCENT),
        ("&", _ENTITY),
        ("=", _PRINTABLE),
        ("", f"{_SLASH}|{_PERCENT}|{_ENTITY}|{_PRINTABLE}"),
    )
)
"""One family at a time, since a value may hold what looks like another's escape; and all at once."""
