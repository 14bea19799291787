"""A report as one HTML file, which loads nothing from anywhere.

All data is JSON in elements that no browser executes: `index` has the report without its details, `details`
has those in chunks, each compressed, so that a page opens before it reads them. The Content-Security-Policy
names the digests of the scripts and of the style: nothing else runs or loads, whatever the specs hold.
"""

import base64
import gzip
import hashlib
import html
import re
from collections.abc import Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from ...languages.python.bindings.templates import Templates
from .report_model import Report, ToolDetail

CHUNK: Final = 50
"""Tools of one compressed chunk."""
_HERE: Final = Path(__file__).resolve().parent
_ESCAPED: Final = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
"""Characters that could end an element, or begin markup, or end a line of JavaScript."""
_ENDS: Final = re.compile(r"</script|<!--|<script", re.IGNORECASE)
"""Texts that must not stand in a script that is part of a page."""
_IMPORT: Final = re.compile(r'^import (?:\* as )?(.+) from "(.+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def render_page(report: Report) -> bytes:
    """Render a report as HTML in UTF-8; equal reports give equal pages.

    Raises:
        ValueError: the script has text that would end its element.
    """
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = page_script()
    if _ENDS.search(script):
        raise ValueError("the script of the page has text that would end its element")
    return (
        Templates()
        .render(
            "report.html.jinja",
            policy=_policy(style, script),
            title=html.escape(f"{report.title}: tools"),
            style=style,
            script=script,
            index=embedded(replace(report, details=())),
            details=embedded({"size": CHUNK, "chunks": _chunks(report.details)}),
        )
        .encode("utf-8", "surrogatepass")
    )


def page_script() -> str:
    """Join the modules of `page/` and those of the validator that they import: a block each, in strict mode,
    after the modules that it imports."""
    texts: dict[Path, str] = {}
    imported: dict[Path, list[Path]] = {}
    waiting = [_HERE / "page" / "main.js"]
    while waiting:
        file = waiting.pop()
        if file not in texts:
            texts[file] = file.read_text(encoding="utf-8")
            imported[file] = [(file.parent / name).resolve() for _, name in _IMPORT.findall(texts[file])]
            waiting += imported[file]
    blocks = (_block(file.name, texts[file]) for file in TopologicalSorter(imported).static_order())
    return f'"use strict";\n{{\nconst modules = {{}};\n{"".join(blocks)}}}\n'


def _block(name: str, text: str) -> str:
    names = ", ".join(_EXPORT.findall(text))
    body = _IMPORT.sub(
        lambda found: f'const {found[1].replace(" as ", ": ")} = modules["{Path(found[2]).name}"];', text
    )
    return f'{{\n{_EXPORT.sub("", body)}modules["{name}"] = {{ {names} }};\n}}\n'


def embedded(value: object) -> str:
    """Write a value as JSON for an element of HTML: without `<`, `>`, `&` and line separators."""
    return msgspec.json.encode(value).decode().translate(_ESCAPED)


def _chunks(details: Sequence[ToolDetail]) -> list[str]:
    """Return the details, `CHUNK` tools each: a JSON array, compressed by gzip without a time, as base64."""
    chunks = (details[start : start + CHUNK] for start in range(0, len(details), CHUNK))
    packed = (gzip.compress(msgspec.json.encode(each), 9, mtime=0) for each in chunks)
    return [base64.b64encode(each).decode() for each in packed]


def _policy(style: str, script: str) -> str:
    rules = {
        "default-src": "'none'",
        "script-src": _digest(script),
        "style-src": _digest(style),
        "img-src": "data:",
        "connect-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
