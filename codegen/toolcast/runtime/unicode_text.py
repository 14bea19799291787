"""Text that UTF-8 can encode, text that does nothing to a terminal, and scripts without spaces."""

from typing import Final

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Letters of scripts that are written without spaces between words, and Hangul, whose words carry their
particles, for a class of a regular expression: Thai, Lao, Myanmar, Khmer, Hangul Jamo, Kana, Bopomofo, CJK
ideographs, Hangul syllables. NFKC replaces the compatibility forms."""


def is_encodable(text: str) -> bool:
    """Tell whether UTF-8 can carry `text`: it has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def replace_surrogates(text: str) -> str:
    """Put U+FFFD for each lone surrogate; two that make a character become it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escape_control(text: str, keep: str = "") -> str:
    r"""Escape what a terminal acts on: line breaks, control characters, and characters that turn or hide
    their neighbours are written as `\x1b`, `\u202e`; all but those in `keep`.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )
