"""The parts of a page that a command writes: between `<!-- name:begin -->` and `<!-- name:end -->`."""

from __future__ import annotations

from pathlib import Path


def replaced(text: str, name: str, body: str) -> str:
    """`text` with `body` between the marks of `name`. Raises ValueError where they do not stand once each."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"the page has no part {begin} … {end}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{body.strip()}\n\n{end}{after}"


def write(page: Path, name: str, body: str) -> None:
    """Put `body` between the marks of `name` in the file `page`; all else in it stays. Raises ValueError."""
    text = replaced(page.read_text(encoding="utf-8"), name, body)
    page.write_text(text, encoding="utf-8", newline="\n")
