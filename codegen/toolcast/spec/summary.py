"""The default `summary`: the first sentence of a description."""

import re

# A sentence ends at . ! or ? before white space or the end, or at an ideographic full stop.
_END = re.compile(r"[.!?][)\"'”’\]]*(?=\s|\Z)|[。！？]")
_BREAK_LINE = re.compile(r"\s*(?:[-*+#>|<]|\d+[.)]\s|```|\w[\w ]{0,30}:\s*\Z)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.\s?g|i\.\s?e|etc|vs|cf|approx|incl|resp|no|nr|fig|al|Dr|Mr|Mrs|Ms|St|Inc|Ltd)|\b[A-Z]|\A\d+)\.\Z",
    re.IGNORECASE,
)


def first_sentence(description: str) -> str:
    """The first sentence, on one line; the first line where no sentence ends in the first paragraph.

    A paragraph ends at a blank line or where a list, heading, quote, table, tag or label (`Args:`) begins.
    `e.g.`, `i.e.` and the like end no sentence, unless a capital letter follows `etc.`.
    """
    lines = description.strip().splitlines()
    if not lines:
        return ""
    paragraph = [lines[0]]
    for line in lines[1:]:
        if not line.strip() or _BREAK_LINE.match(line):
            break
        paragraph.append(line)
    text = " ".join(" ".join(paragraph).split())
    for end in _END.finditer(text):
        if not _abbreviates(text, end.end()):
            return text[: end.end()]
    return " ".join(lines[0].split())


def _abbreviates(text: str, end: int) -> bool:
    """Whether the full stop before `end` belongs to a short form, with the sentence going on after it."""
    rest = text[end:].lstrip()
    if not rest or not _ABBREVIATION.search(text[max(0, end - 12) : end]):
        return False
    is_etc = text[:end].lower().endswith("etc.")
    return not (is_etc and rest[0].isupper())
