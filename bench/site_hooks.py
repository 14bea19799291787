"""Hooks of mkdocs: lists of pages, what GitHub renders otherwise, and what screen readers miss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import relpath
from typing import Any

_LIST = "<!-- pages of this part -->"
_CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_CODE = re.compile(r"<code>[^<]*</code>")
_SEARCH = 'data-md-component="search" role="dialog"'


def on_page_markdown(markdown: str, *, page: Any, config: Mapping[str, Any], **_: object) -> str:
    """Put the pages of the same part of the navigation in place of the mark, with their first paragraphs."""
    if _LIST not in markdown:
        return markdown
    here = page.file.src_uri
    part = next(part for part in _parts(config["nav"]) if here in dict(_pages(part)).values())
    return markdown.replace(_LIST, "\n".join(_listed(part, here, Path(config["docs_dir"]))))


def on_page_content(html: str, **_: object) -> str:
    """Show `\\|` inside code of a table's cell as GitHub does: the backslash only keeps the cell together."""
    return _CELL.sub(lambda cell: _CODE.sub(lambda code: code[0].replace(r"\|", "|"), cell[0]), html)


def on_post_page(output: str, **_: object) -> str:
    """Name the dialog of the search, which the theme leaves without a name."""
    return output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')


def _parts(nav: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    return (entries for part in nav for entries in part.values() if isinstance(entries, list))


def _pages(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Title and file of each page, at any depth."""
    for entry in entries:
        for title, below in entry.items():
            if isinstance(below, str):
                yield title, below
            else:
                yield from _pages(below)


def _listed(part: list[dict[str, Any]], here: str, docs: Path) -> Iterator[str]:
    for entry in part:
        for group, below in entry.items():
            pages = [(group, below)] if isinstance(below, str) else list(_pages(below))
            if not isinstance(below, str):
                yield f"\n## {group}\n"
            for title, file in pages:
                if file != here:
                    link = relpath(file, Path(here).parent.as_posix())
                    yield f"* [{title}]({link}): {_first_paragraph((docs / file).read_text('utf-8'))}"


def _first_paragraph(text: str) -> str:
    """The text between the heading of a page and the next empty line, as one line."""
    found = re.search(r"^# .+\n+((?:.+\n)+)", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""
