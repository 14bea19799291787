"""HTML to headings and paragraphs, by lxml; nothing of it runs or is loaded."""

from importlib import import_module
from typing import Any, Final

from msgspec import Struct

from .blocks import Block

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


class HtmlText(Struct, frozen=True):
    """What an HTML document says.

    Attributes:
        blocks: headings and paragraphs.
        links: addresses of http and https, each once.
        fields: what it declares of itself: title, author, created, updated, language.
    """

    blocks: list[Block]
    links: list[str]
    fields: dict[str, str]


def html_text(data: bytes) -> HtmlText:
    """Read an HTML document.

    Args:
        data: its bytes: UTF-8, or the encoding that it declares.

    Returns:
        Its text, without scripts, styles and forms.

    Raises:
        ValueError: it has no element, or lxml refuses it.
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
    return HtmlText(reader.blocks, list(links), fields)


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


def _parsed(data: bytes) -> Any:
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
