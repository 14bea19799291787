"""Text for a model, cut to a length: most of the beginning, some of the end."""

from unicodedata import category

import msgspec

from ..result import Content, ToolResult

HEAD = 0.7
"""The share of the beginning in what is kept."""

_NEAR = 32
"""Most code points by which a cut moves to spare a character that is written with several code points."""

_JOINER = "\u200d"


def cut(text: str, limit: int) -> str:
    """Keep at most `limit` characters of a text: 70 % of them from its beginning and 30 % from its end, and a
    line between that says how many are missing. A few less are kept if a cut would go through an accent, an
    emoji sequence, a flag, or between CR and LF."""
    if len(text) <= limit:
        return text
    head, tail = _cut_offsets(text, limit)
    return f"{text[:head]}{_line(text, head, tail)}{text[tail:]}"


def cut_result(result: ToolResult, limit: int) -> ToolResult:
    """Return `result` with at most `limit` characters of text; the same object if it has no more. `output`
    and the texts in `content` are one text, in this order: its middle is cut, and a piece that lies in there
    is left out. `error` is cut by itself."""
    pieces = [piece.text for piece in result.content if piece.kind == "text"] if result.content else []
    whole = sum(map(len, pieces), len(result.output))
    if whole <= limit and len(result.error) <= limit:
        return result
    output, content = result.output, result.content
    if whole > limit:
        output, *texts = _cut_all([output, *pieces], limit)
        content = with_texts(content, texts)
    return msgspec.structs.replace(result, output=output, content=content, error=cut(result.error, limit))


def _cut_all(parts: list[str], limit: int) -> list[str]:
    """Cut the parts of one text as a whole."""
    text = "".join(parts)
    head, tail = _cut_offsets(text, limit)
    cut_parts: list[str] = []
    begin = 0
    for part in parts:
        end = begin + len(part)
        line = _line(text, head, tail) if begin <= head < end else ""
        cut_parts.append(text[begin : min(end, head)] + line + text[max(begin, tail) : end])
        begin = end
    return cut_parts


def with_texts(content: tuple[Content, ...], texts: list[str]) -> tuple[Content, ...]:
    """Return `content` with these texts, one for each piece of text; an empty piece is left out."""
    left = iter(texts)
    pieces: list[Content] = []
    for piece in content:
        text = next(left) if piece.kind == "text" else ""
        if text or piece.kind != "text":
            pieces.append(msgspec.structs.replace(piece, text=text) if piece.kind == "text" else piece)
    return tuple(pieces)


def _line(text: str, head: int, tail: int) -> str:
    return f"\n[… {tail - head} of {len(text)} characters are left out here …]\n"


def _cut_offsets(text: str, limit: int) -> tuple[int, int]:
    """Return the offsets at which a text that is too long ends for now, and goes on."""
    head = _before(text, int(limit * HEAD))
    return head, _after(text, len(text) - (limit - int(limit * HEAD)))


def _before(text: str, offset: int) -> int:
    for near in range(offset, max(offset - _NEAR, -1), -1):
        if not _joined(text, near):
            return near
    return offset


def _after(text: str, offset: int) -> int:
    for near in range(offset, min(offset + _NEAR, len(text) + 1)):
        if not _joined(text, near):
            return near
    return offset


def _joined(text: str, offset: int) -> bool:
    """Tell whether the code points on both sides of `offset` are one character (most of UAX 29)."""
    if not 0 < offset < len(text):
        return False
    left, right = text[offset - 1], text[offset]
    if _JOINER in (left, right) or (left, right) == ("\r", "\n"):
        return True
    if category(right) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if "\u1160" <= right <= "\u11ff":  # vowels and finals of Hangul
        return True
    if "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff":
        return True
    return _is_flag(right) and _flags_before(text, offset) % 2 == 1


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _flags_before(text: str, offset: int) -> int:
    count = 0
    while count < offset and count < 2 * _NEAR and _is_flag(text[offset - 1 - count]):
        count += 1
    return count
