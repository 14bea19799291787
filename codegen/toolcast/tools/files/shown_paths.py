"""Paths as results show them: a name may hold what a terminal or a log would obey."""

from ...hidden_characters import escape_hidden

_ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t"})


def shown_path(path: str) -> str:
    """A path with control characters, hidden characters and bytes that are no UTF-8 as JSON escapes them."""
    return escape_hidden(path).translate(_ESCAPES)
