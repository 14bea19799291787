"""Property names that a dialect refuses, sent under others.

A name is replaced by the same one in the whole document, wherever a schema speaks of the property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ..jsonschema.json_values import nested_objects
from ..jsonschema.keywords import METADATA
from ..jsonschema.search import found
from .json_paths import Path
from .state import State
from .wire_forms import MARK, mark

Node = dict[str, Any]
FURTHER = ("additionalProperties", "patternProperties", "unevaluatedProperties")
LONGEST = 48
"""Characters of the cleaned part: a suffix for collisions must still fit in any provider's limit."""


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def names_of(document: Node, pattern: str, known: list[str] | None = None) -> dict[str, str]:
    """The name to send for each declared property that `pattern` refuses; empty where all fit.

    `known` are the `declared` names, where they were looked for before.
    """
    fits = _compiled(pattern).fullmatch
    names = declared(document) if known is None else known
    refused = [name for name in names if not fits(name)]
    if not refused:
        return {}
    taken = {*names, *_listed(document)}
    searches = _patterns(document)
    out: dict[str, str] = {}
    for name in refused:
        available = [clean for clean in _candidates(name, len(names)) if clean not in taken and fits(clean)]
        # Patterns of keys apply to the new name: prefer one for which they have the same verdict.
        alike = (clean for clean in available if all(agree(each, name, clean) for each in searches))
        out[name] = clean = next(alike, available[0] if available else name)
        taken.add(clean)
    return out


def _candidates(name: str, others: int) -> Iterator[str]:
    """Names of letters, digits and `_` for `name`; more than there are others."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:LONGEST] or "property"
    for start in (stem, f"p_{stem}"):
        yield start
        yield from (f"{start}_{count}" for count in range(2, others + 4))


def agree(pattern: str, name: str, sent: str) -> bool:
    """Whether a pattern of keys has one verdict for both names; False where that is not decided."""
    own = found(pattern, name)
    return own is not None and own == found(pattern, sent)


def misjudges(state: State, pattern: str) -> bool:
    """Whether a pattern of keys has another verdict for some new name than for the original one."""
    return not all(agree(pattern, name, sent) for name, sent in state.renames.items())


def accepts_alike(state: State, names: Any) -> bool:
    """Whether `propertyNames` has the same verdict for all new names as for the original ones."""
    if not isinstance(names, dict):
        return True
    for name, sent in state.renames.items():
        for key, value in names.items():
            if key == "pattern" and isinstance(value, str):
                same = agree(value, name, sent)
            elif key == "maxLength":
                same = (len(name) <= value) == (len(sent) <= value)
            elif key == "minLength":
                same = (len(name) >= value) == (len(sent) >= value)
            else:
                same = key == "type" or key in METADATA
            if not same:
                return False
    return True


def names_sent(state: State, names: Any) -> Any:
    """`propertyNames` with new names, where they list the allowed names; else `None`."""
    if not isinstance(names, dict) or not isinstance(names.get("enum"), list):
        return None
    if names.keys() - {"enum", "type"} - METADATA:
        return None
    values = [state.renames.get(name, name) if isinstance(name, str) else name for name in names["enum"]]
    return {**names, "enum": values}


def holds_names(state: State, value: Any) -> bool:
    """Whether a literal has a property that is sent under another name somewhere."""
    if isinstance(value, list):
        return any(holds_names(state, one) for one in value)
    if not isinstance(value, dict):
        return False
    return not state.renames.keys().isdisjoint(value) or any(
        holds_names(state, one) for one in value.values()
    )


def _patterns(document: Any) -> tuple[str, ...]:
    """Every pattern of keys in a document."""
    found = (node.get("patternProperties") for node in nested_objects(document))
    named = (node.get("propertyNames") for node in nested_objects(document))
    also = (each.get("pattern") for each in named if isinstance(each, dict))
    keys = (key for each in found if isinstance(each, dict) for key in each)
    return tuple(dict.fromkeys(key for key in (*keys, *also) if isinstance(key, str)))


def _listed(document: Any) -> Iterator[str]:
    """Names that a `propertyNames` lists."""
    for node in nested_objects(document):
        names = node.get("propertyNames")
        values = names.get("enum") if isinstance(names, dict) else None
        yield from (name for name in values if isinstance(name, str)) if isinstance(values, list) else ()


def declared(document: Any) -> list[str]:
    """Every name in a `properties` or `required`, or more."""
    found: dict[str, None] = {}
    for each in nested_objects(document):
        named = each.get("properties")
        if isinstance(named, dict):
            found.update(dict.fromkeys(named))
        required = each.get("required")
        if isinstance(required, list):
            found.update(dict.fromkeys(name for name in required if isinstance(name, str)))
    return list(found)


def renamed(state: State, node: Node, out: Node, key: str, children: Node, path: Path) -> Node:
    """`children`, by the names that are sent; noted on `out`, so that decoding gives the own names back."""
    changed = {state.renames[name]: name for name in children if name in state.renames}
    if not changed:
        return children
    for sent, name in changed.items():
        reason = f"is sent as {sent!r}, which decoding undoes"
        state.note((path, key), name, "rewritten", "kept elsewhere", reason)
    if key == "properties":
        sent_under(state, out, children)
        for keyword in FURTHER:
            if node.get(keyword, False) is not False:
                reason = f"speaks of {', '.join(changed.values())} as of a further key, where it is sent so"
                state.note(path, keyword, "rewritten", "kept elsewhere", reason)
    return {state.renames.get(name, name): child for name, child in children.items()}


def sent_under(state: State, out: Node, names: Iterable[str]) -> None:
    """Note on `out` which of `names` its object is sent under others: those that it declares, and those
    that it only requires."""
    changed = {state.renames[name]: name for name in names if name in state.renames}
    if changed:
        known = out[MARK].names if MARK in out else {}
        out[MARK] = mark(state, out, names={**known, **changed})[MARK]
