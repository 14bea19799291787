"""Hooks of mkdocs: what GitHub renders otherwise, and what screen readers miss."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

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


_RULES = Path(__file__).parents[1] / "codegen" / "toolcast" / "providers"
"""The folder of the data of what providers take."""


def on_post_build(config: Any, **_: object) -> None:
    """Publish the data of what providers take beside the page about it, which reads it."""
    folder = Path(config["site_dir"]) / "reference"
    for path in _RULES.glob("provider-rules*.json"):
        shutil.copyfile(path, folder / path.name)
    shutil.copytree(_RULES / "vectors", folder / "vectors", dirs_exist_ok=True)
