"""Tool names: cleaned to what a spec allows, cut with a hash where too long, unique in every respect."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

MAX_LENGTH = 64
_ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def clean(name: str) -> str:
    """`name` if a spec allows it, else the nearest name that it does. The same for the same name, always.

    Accents are dropped, runs of other characters become one `_`; what starts with a digit or dash, or
    has nothing left, starts with `tool_`; what is too long ends in eight hex digits of its SHA-256.
    """
    if _ALLOWED.fullmatch(name):
        return name
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "_", folded).strip("_-")
    if not re.search(r"[A-Za-z0-9]", cleaned):
        return "tool_" + _digest(name)
    if not re.match(r"[A-Za-z_]", cleaned):
        cleaned = "tool_" + cleaned
    return cleaned if len(cleaned) <= MAX_LENGTH else _cut(cleaned, "_" + _digest(name))


def fold(name: str) -> str:
    """What two names must differ in: file systems fold case, Python names have no dash."""
    return name.lower().replace("-", "_")


def unique(names: Sequence[str]) -> list[str]:
    """A cleaned name for each of `names`, no two equal after `fold`.

    Names that need no cleaning come first and keep theirs; later equals get `_2`, `_3`, ….
    """
    cleaned = [clean(name) for name in names]
    order = sorted(range(len(names)), key=lambda index: (cleaned[index] != names[index], index))
    taken: set[str] = set()
    chosen = list(cleaned)
    for index in order:
        number, candidate = 1, cleaned[index]
        while fold(candidate) in taken:
            number += 1
            candidate = _cut(cleaned[index], f"_{number}")
        taken.add(fold(candidate))
        chosen[index] = candidate
    return chosen


def _cut(name: str, suffix: str) -> str:
    return name[: MAX_LENGTH - len(suffix)] + suffix


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
