"""Colours of text for terminals.

This module is on the path of every `toolcast generate`; it may import only what the interpreter has loaded.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_STYLES = {
    "error": "1;31",
    "warning": "1;35",
    "note": "1;34",
    "hint": "36",
    "plain": "",
    "bold": "1",
    "add": "32",
    "del": "31",
}
"""Colours that are read on light and on dark terminals: no yellow, white, grey or bright ones."""


def wants_colour(stream: "IO[str]") -> bool:
    """Return whether to colour: on terminals, unless `NO_COLOR` or `FORCE_COLOR` say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return os.environ["FORCE_COLOR"] != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, colour: bool) -> str:
    code = _STYLES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text and code else text


def uncoloured(text: str) -> str | None:
    """Return `text` without its colours; None where it holds anything else that steers a terminal or a CI
    runner, as text of a file from elsewhere may."""
    first, *rest = text.split("\x1b[")
    parts = [first]
    for each in rest:
        code, mark, part = each.partition("m")
        if not mark or not code.replace(";", "").isdecimal():
            return None
        parts.append(part)
    plain = "".join(parts)
    lines = plain.split("\n")
    steers = any(not line.isprintable() or line.lstrip().startswith("::") or "##[" in line for line in lines)
    return None if steers else plain
