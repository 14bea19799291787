"""The rules of the keys `icons` and `meta`, which imports write. As in `fields`, each reports
problems."""

import re
from typing import Any, Final, get_args

from .reader_problems import quoted
from .spec_checker import SpecChecker, choices, kind_of
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
_ICON_KEYS: Final = ("src", "mimeType", "sizes", "theme")


def icons(checker: SpecChecker, value: Any) -> tuple[dict[str, Any], ...]:
    """Images that stand for the tool."""
    if not isinstance(value, list):
        checker.wrong_type(("icons",), value, "a list of mappings", "write `- ` before each icon")
        return ()
    for index, icon in enumerate(value):
        if isinstance(icon, dict):
            _icon(checker, ("icons", index), icon)
        else:
            message = f"an icon must be a mapping, not {kind_of(icon)}"
            hint = "write `src:` and the address of the image"
            checker.report(("icons", index), "wrong-type", message, hint)
    return tuple(icon for icon in value if isinstance(icon, dict))


def meta(checker: SpecChecker, value: Any) -> dict[str, Any]:
    """Data for programs, by keys as MCP wants them."""
    entries = checker.mapping(("meta",), value) or {}
    for key in entries:
        if META_KEY.fullmatch(key) is None:
            message = f"{quoted(key, 60)} is no key of MCP's `_meta`"
            hint = (
                "write letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit, and "
                "before that a domain of yours, turned around, and a slash, such as `com.example/team`"
            )
            checker.report(("meta", key), "bad-meta-key", message, hint, key=True)
    return entries


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


def _icon(checker: SpecChecker, path: tuple[str | int, ...], icon: dict[str, Any]) -> None:
    checker.known_keys(path, icon, _ICON_KEYS, {"mime_type": "mimeType"})
    if "src" not in icon:
        checker.report(path, "missing-key", "an icon lacks its `src`", "write the address of the image")
    for key in ("src", "mimeType", "theme"):
        text = checker.text((*path, key), icon[key]) if key in icon else None
        if text is None:
            continue
        if key == "src" and ICON_SOURCE.match(text) is None:
            message = f"{quoted(text, 60)} is no address of an icon"
            checker.report((*path, key), "bad-icon", message, "begin it with https:// or data:image/")
        elif key == "theme" and text not in THEMES:
            message = f"{quoted(text)} is no theme of an icon"
            checker.report((*path, key), "bad-icon", message, f"themes are {choices(THEMES)}")
    sizes = icon.get("sizes", [])
    if not isinstance(sizes, list):
        checker.wrong_type((*path, "sizes"), sizes, "a list of texts", "write a list, such as `[48x48]`")
        return
    for index, size in enumerate(sizes):
        checker.text((*path, "sizes", index), size)
