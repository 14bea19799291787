"""Hooks of mkdocs: what GitHub renders otherwise, and what screen readers miss."""

from __future__ import annotations

import re

_CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_CODE = re.compile(r"<code>[^<]*</code>")
_EMPTY_HEADER = re.compile(r"<th[^>]*></th>")
_SEARCH = 'data-md-component="search" role="dialog"'
_WORKER = re.compile(r'(?<="search": ")([./]*assets/)(javascripts/workers/search\.\w+\.min\.js)(?=")')


def on_page_content(html: str, **_: object) -> str:
    """Correct tables, as HTML.

    `\\|` inside code is shown as GitHub does: the backslash only keeps the cell together. An empty cell of
    the head is no header.
    """
    html = _EMPTY_HEADER.sub("<td></td>", html)
    return _CELL.sub(lambda cell: _CODE.sub(lambda code: code[0].replace(r"\|", "|"), cell[0]), html)


def on_post_page(output: str, **_: object) -> str:
    """Name the dialog of the search, which the theme leaves without a name, and rank by headings."""
    output = _WORKER.sub(r"\1search.js?\2", output)
    return output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')
