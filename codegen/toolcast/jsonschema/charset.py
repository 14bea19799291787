"""Sets of code points as sorted ranges, for the character classes of regular expressions."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

Ranges = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points, ascending, apart from one another."""

LAST = 0x10FFFF
LAST_IN_TABLE = 0xFFFF
"""The last code point that `re` looks up in a table; it compares others with ranges, in turn."""


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted and merged."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Every code point that is not in `ranges`."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# WhiteSpace and LineTerminator of ECMA-262: Zs, tab, VT, FF, BOM, LF, CR, LS, PS.
SPACE: Ranges = union(
    [
        *((9, 13), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
        *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
    ]
)
NEWLINE: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))


def source(ranges: Ranges) -> str:
    """Python `re` source that matches one code point of `ranges`."""
    if not ranges:
        return "(?!)"
    if ranges == ((0, LAST),):
        return r"[\s\S]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return literal(ranges[0][0])
    inverse = complement(ranges)
    negate, shown = ("^", inverse) if len(inverse) < len(ranges) else ("", ranges)
    return f"[{negate}{''.join(_span(low, high) for low, high in shown)}]"


def _span(low: int, high: int) -> str:
    first, last = literal(low, in_class=True), literal(high, in_class=True)
    if low == high:
        return first
    return first + last if high == low + 1 else f"{first}-{last}"


# Outside a class these mean something to `re`; inside one, also `^`, `-` and what may become a set operation.
_SYNTAX = frozenset("\\.^$*+?{}[]|()")
_CLASS_SYNTAX = frozenset("\\^-[]&~|")


def literal(point: int, *, in_class: bool = False) -> str:
    """Python `re` source of one code point, escaped only where `re` needs it."""
    char = chr(point)
    if 0x20 <= point < 0x7F and char not in (_CLASS_SYNTAX if in_class else _SYNTAX):
        return char
    if point < 0x80:
        return f"\\x{point:02x}" if point < 0x20 or point == 0x7F else "\\" + char
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


# Long names of General_Category values that ECMA-262 accepts next to the short ones.
_LONG = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
    "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
    "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
    "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z",
    "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C",
    "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co",
    "Unassigned": "Cn",
}  # fmt: skip
_SHORT = frozenset(_LONG.values())


def category(name: str) -> Ranges | None:
    r"""Return the code points of `\p{name}` for a general category, ASCII, Any; None for anything else.

    The Unicode version is that of Python's `unicodedata`.
    """
    name = re.sub(r"^(General_Category|gc)=", "", name)
    if name == "Any":
        return ((0, LAST),)
    if name == "ASCII":
        return ((0, 0x7F),)
    short = _LONG.get(name, name)
    if short not in _SHORT:
        return None
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else (short,)
    return union(span for cat, spans in _categories().items() if cat.startswith(wanted) for span in spans)


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    import unicodedata  # one pass over Unicode, about a tenth of a second, only where \p is used

    found: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, unicodedata.category(chr(0))
    for point in range(1, LAST + 1):
        cat = unicodedata.category(chr(point))
        if cat != current:
            found.setdefault(current, []).append((start, point - 1))
            start, current = point, cat
    found.setdefault(current, []).append((start, LAST))
    return found


class Alphabet:
    """The classes of characters that some sets distinguish. `accepted[i]`: those in the i-th set."""

    def __init__(self, sets_of_states: Sequence[Ranges]) -> None:
        sets = list(dict.fromkeys(sets_of_states))
        edges = sorted(
            (point, index)
            for index, ranges in enumerate(sets)
            for low, high in ranges
            for point in (low, high + 1)
        )
        kinds: dict[int, int] = {0: 0}  # by the sets, one bit for each
        accepted: list[list[int]] = [[] for _ in sets]
        self._starts, self._kinds = [0], [0]
        mask = 0
        for position, (point, index) in enumerate(edges):
            mask ^= 1 << index
            if position + 1 < len(edges) and edges[position + 1][0] == point:
                continue
            if mask not in kinds:
                kinds[mask] = len(kinds)
                for each, letters in enumerate(accepted):
                    if mask >> each & 1:
                        letters.append(kinds[mask])
            self._starts.append(point)
            self._kinds.append(kinds[mask])
        indices = {ranges: index for index, ranges in enumerate(sets)}
        self.accepted = [accepted[indices[ranges]] for ranges in sets_of_states]

    def ranges(self) -> tuple[list[int], list[int]]:
        """The first code points of all ranges, ascending, and the class of each range."""
        return list(self._starts), list(self._kinds)

    def kind(self, character: str) -> int:
        """The class of one character."""
        return self._kinds[bisect_right(self._starts, ord(character)) - 1]
