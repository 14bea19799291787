"""Characters that a reader does not see and a model reads: text may hide in them, or seem of another order.

After Unicode's Default_Ignorable_Code_Point and UTS #51; joiners and variation selectors stay where writing
needs one (Unicode Standard, chapters 9.2, 12.1 and 23.2 to 23.4).
"""

import json
from unicodedata import category, name

_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Letters, marks and symbols without ink."""
_PREFIXED = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)))
"""Format characters with ink: signs below or around a number."""
_JOINERS = frozenset("\u200c\u200d")
_EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")
_KEYCAP = "\u20e3"
_REORDERING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
_JOINING = (
    *((0x600, 0x860), (0x870, 0xE00), (0x1000, 0x10A0), (0x1780, 0x18B0), (0x1A20, 0x1B80), (0xA800, 0xAAE0)),
    *((0xABC0, 0xAC00), (0xFB50, 0xFE00), (0xFE70, 0xFF00), (0x10A00, 0x12000), (0x1E900, 0x1E960)),
)
"""Scripts whose letters join: Arabic and its kin, those of India and South-East Asia, Mongolian."""
_IDEOGRAPHS = ((0x3400, 0xA000), (0x20000, 0x31350))
_DOTTED = ((0x1000, 0x10A0), (0xA840, 0xA878), (0xAA60, 0xAA80))
_MONGOLIAN = ((0x1800, 0x18B0),)


def hidden_offsets(text: str) -> tuple[int, ...]:
    """Offsets of the characters in `text` that a reader does not see, or that change the direction of
    writing. Line feeds and tabs are none."""
    if text.isascii() and text.isprintable():
        return ()
    return tuple(index for index, letter in enumerate(text) if may_hide(letter) and _hides(text, index))


def without_hidden(text: str) -> str:
    """`text` without hidden characters; the separators of lines and paragraphs become line feeds."""
    indexes = frozenset(hidden_offsets(text))
    if not indexes:
        return text
    return "".join(
        letter if index not in indexes else "\n" if letter in "\u2028\u2029" else ""
        for index, letter in enumerate(text)
    )


def escape_hidden(text: str) -> str:
    """`text` with each hidden character as JSON escapes it (`\\u200b`)."""
    indexes = frozenset(hidden_offsets(text))
    return "".join(
        json.dumps(letter)[1:-1] if index in indexes else letter for index, letter in enumerate(text)
    )


def is_deceptive(letter: str) -> bool:
    """Tell whether a hidden character spells text that nobody sees, or shows text in another order."""
    return letter in _REORDERING or 0xE0000 <= ord(letter) <= 0xE0FFF


def describe_character(letter: str) -> str:
    """`U+202E RIGHT-TO-LEFT OVERRIDE`."""
    other = "control character" if category(letter) == "Cc" else ""
    return f"U+{ord(letter):04X} {name(letter, other)}".rstrip()


def may_hide(letter: str) -> bool:
    """Tell whether a reader does not see a character, at least in some texts."""
    if letter.isascii():
        return not letter.isprintable() and letter not in "\n\t"
    if _is_selector(letter) or letter in _BLANK:
        return True
    return not letter.isprintable() and category(letter) in _CATEGORIES and letter not in _PREFIXED


def _is_selector(letter: str) -> bool:
    code = ord(letter)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or code in (0x180B, 0x180C, 0x180D, 0x180F)


def _hides(text: str, index: int) -> bool:
    """Tell whether a character that may hide does so: single joiners and selectors have their place in some
    texts.
    """
    letter = text[index]
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    if letter in _JOINERS:
        return not _joins(letter, before, after)
    if _is_selector(letter):
        return not before or (bool(after) and _is_selector(after)) or not _selects(letter, before, after)
    return True


def _joins(joiner: str, before: str, after: str) -> bool:
    if not before:
        return False
    if _is_in(before, _JOINING) and category(before)[0] in "LM":
        virama = category(before) == "Mn" and " VIRAMA" in name(before, "")  # a half form may end a word
        return (virama and after not in _JOINERS) or (bool(after) and _is_in(after, _JOINING))
    emoji = before in _EMOJI_SELECTORS or category(before) in ("So", "Sk")
    return (
        joiner == "\u200d"
        and emoji
        and bool(after)
        and category(after) in ("So", "Sm")
        and after not in _BLANK
    )


def _selects(selector: str, before: str, after: str) -> bool:
    """Tell whether `before` is a base that takes the selector."""
    if selector in _EMOJI_SELECTORS:
        if before in "#*0123456789":
            return after == _KEYCAP
        return before not in _BLANK and (category(before) in ("So", "Sm") or before in "‼⁉〰ℹ")
    if _is_in(selector, _MONGOLIAN):
        return _is_in(before, _MONGOLIAN) and category(before) == "Lo"
    if selector == "\ufe00" and (category(before) == "Sm" or _is_in(before, _DOTTED)):
        return True
    return selector in "\ufe00\ufe01\ufe02" and _is_in(before, _IDEOGRAPHS)


def _is_in(letter: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= ord(letter) < end for start, end in ranges)
