"""Hooks of mkdocs: what Python-Markdown renders otherwise than GitHub."""

import re

_CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_CODE = re.compile(r"<code>[^<]*</code>")


def on_page_content(html: str, **_: object) -> str:
    """Show `\\|` inside code of a table's cell as GitHub does: the backslash only keeps the cell together."""
    return _CELL.sub(lambda cell: _CODE.sub(lambda code: code[0].replace(r"\|", "|"), cell[0]), html)
