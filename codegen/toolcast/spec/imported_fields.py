"""What the keys `icons`, `meta` and `source` may hold, which imports write."""

import re
from typing import Final, get_args

from .tool_spec import SourceKind

SOURCE_KINDS: Final[tuple[SourceKind, ...]] = get_args(SourceKind)


def _any_case(word: str) -> str:
    """A pattern for a word in letters of any case, which editors read as `re` does."""
    return "".join(f"[{each}{each.upper()}]" for each in word)


ICON_SOURCE: Final = re.compile(
    f"^(?:{_any_case('http')}{_any_case('s')}?://|{_any_case('data')}:{_any_case('image')}/)"
)
"""Addresses of icons; MCP warns of others, such as `javascript:`. Schemes (RFC 3986, 3.1) and types of media
(RFC 6838, 4.2) are the same in capitals."""
_LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
META_KEY: Final = re.compile(
    rf"^(?:{_LABEL}(?:[.]{_LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$"
)
"""Keys of MCP's `_meta`: "a series of labels separated by dots (.), followed by a slash (/)" or nothing, and
a name (MCP 2026-07-28, basic, General fields). For `fullmatch`."""
_RESERVED_LABELS: Final = frozenset(("modelcontextprotocol", "mcp"))
_RESERVED_NAMES: Final = frozenset(("traceparent", "tracestate", "baggage"))
THEMES: Final = ("light", "dark")


def is_reserved_meta_key(key: str) -> bool:
    """Whether MCP keeps a key of `_meta` for itself.

    Prefixes whose second label is `modelcontextprotocol` or `mcp` are reserved (2025-11-25 on), before that
    those which have one of them in a label other than the last; so are the names of trace contexts
    (2026-07-28, SEP-414).
    """
    prefix, slash, _ = key.rpartition("/")
    if not slash:
        return key in _RESERVED_NAMES
    labels = prefix.lower().split(".")
    return not _RESERVED_LABELS.isdisjoint((*labels[:-1], *labels[1:2]))
