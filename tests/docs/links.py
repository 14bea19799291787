"""Links in the Markdown of the repository: what each names, and whether it is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/toolcast/toolcast"
SITE = "https://toolcast.github.io/toolcast/"
RAW = "https://raw.githubusercontent.com/toolcast/toolcast/"
_FILES = re.compile(rf"(?:{re.escape(REPOSITORY)}/(?:blob|tree|raw)/|{re.escape(RAW)})(?:main|HEAD)/(.+)")
_PARSER = MarkdownIt("commonmark").enable("table")
_OWN_ANCHOR = re.compile(r"<(?:a|h[1-6]|div|span)\s[^>]*\b(?:id|name)=\"([^\"]+)\"")
_ATTRIBUTES = re.compile(r"\s*\{\s*#([\w.-]+)\s*\}\s*$")


def links(text: str) -> Iterator[tuple[int, str]]:
    """Every link and image of a page, with its line, from 1."""
    for token in _PARSER.parse(text):
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src")
            if isinstance(target, str):
                yield (token.map or [0])[0] + 1, target


def rendered(text: str) -> str:
    """The HTML that CommonMark with tables makes of a page, as GitHub does."""
    html = _PARSER.render(text)
    assert isinstance(html, str)
    return html


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them, and those that its HTML states."""
    found: list[str] = []
    tokens = _PARSER.parse(page.read_text("utf-8"))
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            title = "".join(_words(token))
            stated = _ATTRIBUTES.search(title)
            slug = stated[1] if stated else _slug(title)
            count = sum(
                each == slug or re.fullmatch(rf"{re.escape(slug)}[-_]\d+", each) is not None for each in found
            )
            found.append(f"{slug}-{count}" if count else slug)
    return frozenset((*found, *_OWN_ANCHOR.findall(page.read_text("utf-8"))))


def _words(token: Token) -> Iterator[str]:
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            yield child.content


def _slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def broken(page: Path, target: str) -> str | None:
    """Why a link of a page leads nowhere; None where it leads somewhere, or out of the project."""
    if found := _FILES.fullmatch(target):
        path, _, anchor = found[1].partition("#")
        return _missing(ROOT / unquote(path), anchor)
    if target.startswith(SITE):
        path, _, anchor = target.removeprefix(SITE).partition("#")
        return _missing(_source(path), anchor)
    parts = urlsplit(target)
    if parts.scheme in ("https", "http", "mailto"):
        return None
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return "is neither relative nor a web address"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if page.is_relative_to(DOCS) and not path.is_relative_to(DOCS):
        return f"leads out of docs/, which the site does not have; write {REPOSITORY}/blob/main/…"
    return _missing(path, parts.fragment)


def _source(path: str) -> Path:
    """The page that the site shows at a path."""
    plain = path.rstrip("/")
    if not plain:
        return DOCS / "index.md"
    page = DOCS / f"{plain}.md"
    return page if page.is_file() else DOCS / plain / "index.md"


def _missing(path: Path, anchor: str) -> str | None:
    if not path.exists():
        return f"leads to {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}, which is not there"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"leads to the anchor #{anchor}, which {path.relative_to(ROOT)} does not have"
    return None
