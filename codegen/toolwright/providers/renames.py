"""Property names that a dialect refuses, sent under others.

A name is replaced by the same one in the whole document, wherever a schema speaks of the property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from .marks import MARK, mark
from .paths import Path
from .state import State

Node = dict[str, Any]
CONTAINERS = frozenset((dict, list))
LONGEST = 48
"""Of the cleaned part: what a collision adds must still fit in any provider's limit."""


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def names_of(document: Node, pattern: str) -> dict[str, str]:
    """The name to send for each declared property that `pattern` refuses; empty where all fit."""
    fits = _compiled(pattern).fullmatch
    found = list(dict.fromkeys(_declared(document)))
    refused = [name for name in found if not fits(name)]
    if not refused:
        return {}
    taken = set(found)
    out: dict[str, str] = {}
    for name in refused:
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:LONGEST] or "property"
        stem = stem if fits(stem) else f"p_{stem}"
        clean, count = stem, 1
        while clean in taken or not fits(clean):
            count += 1
            clean = f"{stem}_{count}"
            if count > len(found) + 2:  # nothing made of letters, digits and _ fits that pattern
                break
        taken.add(clean)
        out[name] = clean
    return out


def _declared(document: Any) -> Iterator[str]:
    """Every name that a `properties` or `required` speaks of; rather too many than too few."""
    waiting = [document]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            named = each.get("properties")
            if isinstance(named, dict):
                yield from named
            required = each.get("required")
            if isinstance(required, list):
                yield from (name for name in required if isinstance(name, str))
            waiting += [child for child in each.values() if child.__class__ in CONTAINERS]
        elif isinstance(each, list):
            waiting += each


def renamed(state: State, out: Node, key: str, children: Node, path: Path) -> Node:
    """`children`, by the names that are sent; noted on `out`, so that decoding gives the own names back."""
    changed = {state.renames[name]: name for name in children if name in state.renames}
    if not changed:
        return children
    for sent, name in changed.items():
        reason = f"is sent as {sent!r}, which decoding undoes"
        state.note((path, key), name, "rewritten", "kept elsewhere", reason)
    if key == "properties":
        sent_under(state, out, children)
    return {state.renames.get(name, name): child for name, child in children.items()}


def sent_under(state: State, out: Node, names: Iterable[str]) -> None:
    """Note on `out` which of `names` its object is sent under others: those that it declares, and those
    that it only requires."""
    changed = {state.renames[name]: name for name in names if name in state.renames}
    if changed:
        known = out[MARK].names if MARK in out else {}
        out[MARK] = mark(state, out, names={**known, **changed})[MARK]
