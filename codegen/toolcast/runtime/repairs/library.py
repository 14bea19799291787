"""json_repair, where it is installed."""

from typing import Any

MAX_TEXT = 65_536
"""Longest text that the library is given, in characters. It takes some 15 µs for each."""
MAX_NESTING = 50
"""Brackets that are open at once in such a text at most: the library recurses."""

INSTALL = "`pip install 'toolcast[repair]'` where the tools run lets more texts be corrected."


class MissingLibraryError(ImportError):
    """json_repair is not installed."""


def read(text: str) -> Any:
    """Return the value that the library makes of `text`; None for none, or if the text is too long or nested
    too deeply. Raises MissingLibraryError."""
    try:
        from json_repair import repair_json
    except ImportError:
        raise MissingLibraryError(INSTALL) from None
    if len(text) > MAX_TEXT or nests_deeper(text, MAX_NESTING):
        return None
    try:
        value: Any = repair_json(text, return_objects=True, skip_json_loads=True)
    except Exception:  # its refusals, and its own faults at texts that it does not expect
        return None
    return value if isinstance(value, (dict, list)) else None


def nests_deeper(text: str, limit: int) -> bool:
    """Tell whether `text` opens more than `limit` brackets at once, those in strings included."""
    depth = 0
    for char in text:
        if char in "{[(":
            depth += 1
            if depth > limit:
                return True
        elif char in "}])" and depth:
            depth -= 1
    return False
