"""Names of tools as specs allow them, unique in every respect, with hex digits of a hash where changed."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from ..languages.python.structs.python_names import identifier

MAX_LENGTH = 64
_ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
DIGITS = 8
_EMPTY = "tool"
"""Stands for a name of which nothing can be kept."""


def clean(name: str) -> str:
    """Return the nearest name that a spec allows. Pure.

    Accents are dropped, runs of other characters become one `_`. A name that would start with a digit or
    dash, or be empty, starts with `tool_`; a long one ends in eight hex digits of its SHA-256.
    """
    if _ALLOWED.fullmatch(name):
        return name
    stem = _stem(name)
    return stem if stem != _EMPTY and len(stem) <= MAX_LENGTH else marked(stem, name)


def fold(name: str) -> str:
    """Return the form in which two names must differ: file systems fold case; Python has no dashes, no
    keywords as names, and no public ones that begin with `_`.
    """
    return identifier(name, "tool").lower().rstrip("_")


def unique(names: Sequence[str]) -> list[str]:
    """Return a name that a spec allows for each of `names`, no two equal after `fold`.

    An allowed name is kept; every other one is cleaned and ends in hex digits of its own SHA-256. So do
    allowed names that are equal after `fold`, but for the first in sorted order. A name that comes again gets
    `_2`, `_3`, … in order.
    """
    taken: set[str] = set()
    chosen: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (_ALLOWED.fullmatch(name) is None, name.swapcase())):
        candidate = name
        digits = DIGITS
        if not _ALLOWED.fullmatch(name):
            candidate = marked(_stem(name), name)
        while fold(candidate) in taken:
            candidate = marked(_stem(name), name, digits)
            digits += 1
        taken.add(fold(candidate))
        chosen[name] = candidate
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        number, candidate = 1, chosen[name]
        while name in used and fold(candidate) in taken:
            number += 1
            candidate = _cut(chosen[name], f"_{number}")
        used.add(name)
        taken.add(fold(candidate))
        found.append(candidate)
    return found


def _stem(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "_", folded).strip("_-")
    return cleaned if re.match(r"[A-Za-z]", cleaned) else f"{_EMPTY}_{cleaned}".rstrip("_")


def marked(stem: str, name: str, digits: int = DIGITS) -> str:
    """Return `stem`, cut where it is long, with hex digits of the SHA-256 of `name`."""
    return _cut(stem, "_" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits])


def _cut(name: str, suffix: str) -> str:
    return name[: MAX_LENGTH - len(suffix)] + suffix
