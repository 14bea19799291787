"""Documents as blocks: what stands under which headings, for Markdown, HTML and plain text."""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from msgspec import Struct

from ..generated.knowledge.get_document_info import Section

PASSAGE: Final = 1500
"""Characters of a passage."""
MAX_PASSAGES: Final = 5000
"""Passages of one document; the rest of it is not indexed."""
MAX_HEADINGS: Final = 500
"""Headings that are kept of one document."""
_HEADING: Final = 300
"""Characters of a heading."""


class Block(Struct, frozen=True):
    """A heading, or a paragraph.

    Attributes:
        level: 1 to 6 for a heading; 0 for a paragraph.
    """

    text: str
    level: int = 0


class Passage(Struct, frozen=True):
    """A part of a document that is found by itself.

    Attributes:
        section: the headings that it stands below, the outermost first.
    """

    section: str
    text: str


class Heading(Struct, frozen=True):
    """A heading of the outline; `level` counts from 1."""

    level: int
    title: str


def headings(blocks: Sequence[Block]) -> list[Heading]:
    """Return the headings of a document, at most `MAX_HEADINGS`, each cut at 300 characters."""
    found = [Heading(level=block.level, title=block.text[:_HEADING]) for block in blocks if block.level]
    return found[:MAX_HEADINGS]


def passages(blocks: Sequence[Block]) -> list[Passage]:
    """Cut a document into passages: paragraphs of one section, up to 1,500 characters. Returns its passages,
    at most `MAX_PASSAGES`. A heading without a paragraph is a passage of its own.
    """
    found: list[Passage] = []
    trail: list[Heading] = []
    parts: list[str] = []
    used = True

    def end() -> None:
        section = " > ".join(heading.title for heading in trail)
        if parts or not used:
            found.append(Passage(section, "\n\n".join(parts) or trail[-1].title))
        parts.clear()

    for block in blocks:
        if len(found) >= MAX_PASSAGES:
            return found[:MAX_PASSAGES]
        if block.level:
            end()
            while trail and trail[-1].level >= block.level:
                trail.pop()
            trail.append(Heading(level=block.level, title=block.text[:_HEADING]))
            used = False
            continue
        for piece in _pieces(block.text):
            if parts and sum(map(len, parts)) + len(piece) > PASSAGE:
                end()
            parts.append(piece)
            used = True
    end()
    return found[:MAX_PASSAGES]


def outline(found: Sequence[Heading], depth: int) -> list[Section]:
    """Return the headings as a tree: the sections, each with those below it.

    Args:
        found: the headings, in their order.
        depth: levels of the tree.
    """
    roots: list[Section] = []
    # Levels may be left out (1, then 3): the tree goes down by one all the same.
    trail: list[tuple[int, list[Section]]] = [(0, roots)]
    for heading in found:
        while trail[-1][0] >= heading.level:
            trail.pop()
        below: list[Section] = []
        if len(trail) <= depth:
            trail[-1][1].append(Section(title=heading.title, sections=below))
        trail.append((heading.level, below))
    return roots


def _pieces(text: str) -> Iterator[str]:
    """Yield a paragraph in pieces of at most `PASSAGE` characters, cut between words where there are any."""
    start = 0
    while len(text) - start > PASSAGE:
        end = start + PASSAGE
        space = max(text.rfind(" ", start + PASSAGE // 2, end), text.rfind("\n", start + PASSAGE // 2, end))
        end = space if space > 0 else end
        yield text[start:end].strip()
        start = end
    rest = text[start:].strip()
    if rest:
        yield rest


_HIDDEN: Final = frozenset(
    (
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "svg",
        "math",
        "iframe",
        "object",
        "select",
        "textarea",
    )
)
_INLINE: Final = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
     "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
     "tt", "u", "var", "wbr")
)  # fmt: skip
_FIELDS: Final = {
    "author": "author",
    "date": "created",
    "article:published_time": "created",
    "dcterms.created": "created",
    "article:modified_time": "updated",
    "dcterms.modified": "updated",
    "last-modified": "updated",
}


class _HtmlText(Struct, frozen=True):
    """The content of an HTML document.

    Attributes:
        blocks: headings and paragraphs.
        links: addresses of http and https, each once.
        fields: what it declares of itself: title, author, created, updated, language.
    """

    blocks: list[Block]
    links: list[str]
    fields: dict[str, str]


def html_text(data: bytes) -> _HtmlText:
    """Read an HTML document.

    Returns its text, without scripts, styles and forms. Raises ValueError: it has no element, or lxml refuses
    it.

    Args:
        data: its bytes: UTF-8, or the encoding that it declares.
    """
    root = _parsed(data)
    if root is None:
        raise ValueError("There is no element in it.")
    fields = _fields(root)
    links: dict[str, None] = {}
    reader = _Reader()
    walk = import_module("lxml.etree").iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            if element.tag in _HIDDEN:
                walk.skip_subtree()
                continue
            reader.start(str(element.tag), element.text or "")
            address = element.get("href", "") if element.tag == "a" else ""
            if address.startswith(("http://", "https://")):
                links[address.strip()] = None
        elif event == "end":
            reader.end(str(element.tag), element.tail or "")
        else:
            reader.add(element.tail or "")
    reader.flush()
    return _HtmlText(reader.blocks, list(links), fields)


class _Reader:
    """Gathers text between the tags that end a paragraph."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._level = 0
        self._kept = 0

    def start(self, tag: str, text: str) -> None:
        self._kept += tag == "pre"
        if tag not in _INLINE:
            self.flush()
            self._level = int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0
        self.add(text)

    def end(self, tag: str, tail: str) -> None:
        if tag not in _INLINE:
            self.flush()
            self._level = 0
        self._kept -= tag == "pre"
        self.add(tail)

    def add(self, text: str) -> None:
        if text:
            self._text.append(text)

    def flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        text = text.strip("\n") if self._kept and not self._level else " ".join(text.split())
        if text.strip():
            self.blocks.append(Block(text, self._level))


def _parsed(data: bytes) -> object:
    html = import_module("lxml.html")
    try:
        data.decode()
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # as the document declares
    # Without `huge_tree`, libxml2 bounds depth and lengths.
    parser = html.HTMLParser(encoding=encoding, no_network=True, huge_tree=False)
    problem = import_module("lxml.etree").LxmlError
    try:
        return html.document_fromstring(data, parser=parser)
    except (problem, LookupError, AssertionError) as refused:
        raise ValueError(f"It is not read as HTML: {type(refused).__name__}.") from refused


def _fields(root: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    title = root.find(".//title")
    if title is not None:
        found["title"] = " ".join("".join(title.itertext()).split())
    if language := (root.get("lang") or "").strip():
        found["language"] = language
    for meta in root.iterfind(".//meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("http-equiv") or "").lower()
        content = (meta.get("content") or "").strip()
        if name in _FIELDS and content:
            found.setdefault(_FIELDS[name], content)
    return {name: value[:500] for name, value in found.items() if value}


_URL: Final = re.compile(r"https?://[^\s<>()\[\]{}\"'`|\\^]{1,2000}")
_MARKDOWN_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def markdown_blocks(text: str) -> list[Block]:
    """Read Markdown.

    Returns its headings and paragraphs; marks within them stay as they are. A fenced block is one paragraph.

    Args:
        text: the document, without front matter.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    fence = ""

    def end() -> None:
        paragraph = "\n".join(lines).strip("\n")
        if paragraph.strip():
            blocks.append(Block(paragraph))
        lines.clear()

    for line in text.split("\n"):
        if fence:
            lines.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                end()
                fence = ""
        elif match := _FENCE.match(line):
            end()
            fence = match[1]
            lines.append(line)
        elif match := _MARKDOWN_HEADING.match(line):
            end()
            title = line.strip().lstrip("#").rstrip().rstrip("#").strip()
            if title:
                blocks.append(Block(title, len(match[1])))
        elif len(lines) == 1 and _UNDERLINE.match(line):
            title = lines.pop().strip()
            blocks.append(Block(title, 1 if "=" in line else 2))
        elif line.strip():
            lines.append(line.rstrip())
        else:
            end()
    end()
    return blocks


def text_blocks(text: str) -> list[Block]:
    """Read plain text: paragraphs between empty lines."""
    return [Block(part.strip("\n")) for part in re.split(r"\n[ \t]*\n", text) if part.strip()]


def links_in(text: str) -> list[str]:
    """Return the addresses of http and https in a text: each address once, in their order."""
    return list(dict.fromkeys(match.rstrip(".,;:!?*_") for match in _URL.findall(text)))
