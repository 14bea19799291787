"""Descriptions without markup: HTML tags, links, headings and emphasis go, their text and all code stays.

Markdown is plain text by design: a parser and renderer (markdown-it-py, BeautifulSoup) would change lines,
too. The rules are few and local, each bounded; code is left alone.
"""

import html
import re
from functools import lru_cache
from typing import Final

MAX_LENGTH: Final = 1_024
"""Longest description, in characters: what every provider takes."""
MORE: Final = " [...]"
_MAX_READ = 50_000

_CODE = re.compile(
    r"^(```|~~~)[^\n]*\n.*?^\1[ \t]*$|(?<!`)(`++)[^\n]{1,2000}?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE
)
_COMMENT = re.compile(r"<!--.{0,5000}?-->", re.DOTALL)
_TAGS = (
    "a abbr b blockquote br button center code dd del details div dl dt em font h1 h2 h3 h4 h5 h6 hr i iframe"
    " img ins kbd li mark ol p pre s script section small span strike strong style sub summary sup table"
    " tbody td tfoot th thead tr tt u ul var"
)
_TAG = re.compile(rf"<(/?)({'|'.join(_TAGS.split())})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_INVISIBLE = re.compile(r"<(script|style)\b[^<>]{0,500}>.{0,5000}?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAKS = frozenset(
    {"br", "p", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "hr", "pre"}
)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)|\[[^\[\]\n]{0,200}\])"
)
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^ {0,3}>[ \t]?", re.MULTILINE)
_NOTE = re.compile(r"^\[!([A-Z]{3,12})\][ \t]*\n?", re.MULTILINE)
_STRONG = re.compile(r"\*\*(?=\S)([^*\n]{1,1000})(?<=\S)\*\*")
_MARKS = re.compile("[\ue000\ue001]")
"""Characters for private use: around the number of a piece of code while the rest is read."""
_KEPT = re.compile("\ue000([0-9]+)\ue001")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@lru_cache(maxsize=1_024)
def plain_text(text: str) -> str:
    """Return `text` without markup. Code, and what only looks like markup, stays as it is."""
    text = _MARKS.sub("", text[:_MAX_READ].replace("\r\n", "\n").replace("\r", "\n"))
    codes: list[str] = []

    def keep(code: re.Match[str]) -> str:
        codes.append(code.group())
        return f"\ue000{len(codes) - 1}\ue001"

    plain = _plain(_CODE.sub(keep, text))
    plain = _KEPT.sub(lambda kept: codes[int(kept.group(1))], plain)
    lines = plain.split("\n")
    joined = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", joined).strip()


def shortened(text: str, limit: int = MAX_LENGTH) -> str:
    """Return `text`, or its first sentences with a mark that more followed; at most `limit` characters."""
    if len(text) <= limit:
        return text
    room = text[: limit - len(MORE) + 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(room)]
    if ends and ends[-1] > limit // 4:
        return room[: ends[-1]].rstrip() + MORE
    words = room.rsplit(None, 1)
    in_a_word = len(words) == 2 and not room[-1].isspace()
    return (words[0] if in_a_word else room[:-1]).rstrip() + MORE


def _plain(text: str) -> str:
    """Return text without markup; pieces of code are marks that stay."""
    if "<" in text:
        text = _COMMENT.sub("", text)
        text = _INVISIBLE.sub("", text)
        text = _ADDRESS.sub(r"\1", text)
        text = _TAG.sub(_without_tag, text)
    if "[" in text:
        text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: an image may be the text of a link
    if ">" in text:
        text = _QUOTE.sub("", text)
    text = _NOTE.sub(lambda note: f"{note.group(1).capitalize()}: ", text)
    text = _HEADING.sub(r"\1", text)
    text = _STRONG.sub(r"\1", text)
    return html.unescape(text) if "&" in text else text


def _without_tag(tag: re.Match[str]) -> str:
    name = tag.group(2).lower()
    if name in ("code", "kbd", "tt", "var"):
        return "`"
    if name == "li":
        return "" if tag.group(1) else "\n- "
    return "\n" if name in _BREAKS else " " if name in ("td", "th") else ""
