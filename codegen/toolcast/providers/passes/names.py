"""Sends properties whose names a dialect refuses under other names.

Axis: `property-names`.

    {"type": "object", "properties": {"a b": {"type": "string"}}, "required": ["a b"]}
    {"type": "object", "properties": {"a_b": {"type": "string"}}, "required": ["a_b"]}

Ledger: the name, in `properties` or `dependentSchemas`, rewritten, kept elsewhere.
Sent and decoded: the name of the contract is given back (`names` of the wire form).
Source: the notes on names of each profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...jsonschema.keywords import METADATA
from ...jsonschema.schema_node import SchemaNode
from ...jsonschema.search import found
from ..ledger import Ledger, child, names_in_words
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect

_FURTHER = ("additionalProperties", "patternProperties", "unevaluatedProperties")
_LISTS = ("required", "propertyOrdering")
"""Keywords that list names."""
_KEYWORDS = frozenset(("properties", "dependentSchemas", "dependentRequired", *_LISTS))


def _rename_properties(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Rename the properties of a node wherever it speaks of them."""
    renames = node.place.walk.renames
    if not renames:
        return node
    out = dict(node.keywords)
    changed: dict[str, str] = {}
    for key in [key for key in out if key in _KEYWORDS]:
        value: Any = out[key]
        if key in _LISTS:
            if isinstance(value, list):  # of OpenAPI's keyword, the form is not checked
                names = [name for name in value if isinstance(name, str)]
                changed.update(_changed_names(renames, names))
                out[key] = [renames.get(name, name) if isinstance(name, str) else name for name in value]
        elif key == "dependentRequired":
            changed.update(
                _changed_names(renames, [*value, *(one for names in value.values() for one in names)])
            )
            out[key] = {
                renames.get(name, name): [renames.get(one, one) for one in names]
                for name, names in value.items()
            }
        else:
            renamed = _changed_names(renames, value)
            for sent, name in renamed.items():
                reason = (
                    f"is sent as {sent!r}, because the provider does not allow the name; decoding "
                    "restores the name"
                )
                ledger.note(child(node.path, key), name, "rewritten", "kept elsewhere", reason)
            out[key] = {renames.get(name, name): schema for name, schema in value.items()}
            if renamed and key == "properties":
                changed.update(renamed)
                _note_further(node, renamed, ledger)
    return node.with_form(out, node.form) if not changed else node.sent(out, names=changed)


PASS = Pass(
    name="property_names",
    apply=_rename_properties,
    needed=lambda dialect: bool(dialect.property_names),
    keywords=_KEYWORDS,
)


def _note_further(node: Node, renamed: dict[str, str], ledger: Ledger) -> None:
    """Note the keywords that speak of a renamed property as of a further key."""
    keywords: Keywords = node.before.keywords if node.before is not None else node.keywords
    for keyword in _FURTHER:
        if keywords.get(keyword, False) is not False:
            reason = (
                f"applies also to {names_in_words(renamed.values())}, which the provider's schema "
                "declares under other names; decoding restores the names"
            )
            ledger.note(node.path, keyword, "rewritten", "kept elsewhere", reason)


_LONGEST = 48
"""Characters of the cleaned part: a suffix for collisions must still fit in any provider's limit."""
Renames = Mapping[str, str]
"""Names that are sent, by the names that they replace."""


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def renames_of(nodes: Sequence[SchemaNode], pattern: str) -> Renames:
    """The name to send for each property declared in a document's `nodes` that `pattern` refuses; empty where
    all fit.
    """
    fits = _compiled(pattern).fullmatch
    names = _declared(nodes)
    refused = [name for name in names if not fits(name)]
    if not refused:
        return {}
    taken = {*names, *_listed(nodes)}
    searches = _patterns(nodes)
    out: dict[str, str] = {}
    for name in refused:
        available = [clean for clean in _candidates(name, len(names)) if clean not in taken and fits(clean)]
        # Patterns of keys apply to the new name: prefer one for which they have the same verdict.
        alike = (clean for clean in available if all(_agree(each, name, clean) for each in searches))
        out[name] = clean = next(alike, available[0] if available else name)
        taken.add(clean)
    return out


def _candidates(name: str, others: int) -> Iterator[str]:
    """Names of letters, digits and `_` for `name`; more than there are others."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:_LONGEST] or "property"
    for start in (stem, f"p_{stem}"):
        yield start
        yield from (f"{start}_{count}" for count in range(2, others + 4))


def _agree(pattern: str, name: str, sent: str) -> bool:
    """Tell whether a pattern of keys has one verdict for both names; False where that is not decided."""
    own = found(pattern, name)
    return own is not None and own == found(pattern, sent)


def misjudges(renames: Renames, pattern: str) -> bool:
    """Tell whether a pattern of keys has another verdict for some new name than for the original one."""
    return not all(_agree(pattern, name, sent) for name, sent in renames.items())


def accepts_alike(renames: Renames, names: object) -> bool:
    """Tell whether `propertyNames` has the same verdict for all new names as for the original ones."""
    if not isinstance(names, SchemaNode):
        return True
    for name, sent in renames.items():
        for key, value in names.keywords.items():
            if key == "pattern":
                same = _agree(value, name, sent)
            elif key == "maxLength":
                same = (len(name) <= value) == (len(sent) <= value)
            elif key == "minLength":
                same = (len(name) >= value) == (len(sent) >= value)
            else:
                same = key == "type" or key in METADATA
            if not same:
                return False
    return True


def names_sent(renames: Renames, names: object) -> SchemaNode | None:
    """`propertyNames` with new names, where they list the allowed names; else `None`."""
    if not isinstance(names, SchemaNode) or "enum" not in names.keywords:
        return None
    if names.keywords.keys() - {"enum", "type"} - METADATA:
        return None
    values = [renames.get(name, name) if isinstance(name, str) else name for name in names.keywords["enum"]]
    return SchemaNode({**names.keywords, "enum": values}, names.path)


def holds_names(renames: Renames, value: object) -> bool:
    """Tell whether a literal has a property that is sent under another name somewhere."""
    if isinstance(value, list):
        return any(holds_names(renames, one) for one in value)
    if not isinstance(value, dict):
        return False
    return not renames.keys().isdisjoint(value) or any(holds_names(renames, one) for one in value.values())


def _changed_names(renames: Renames, names: Iterable[str]) -> dict[str, str]:
    """Those of `names` that are sent under others, by the names that are sent."""
    return {renames[name]: name for name in names if name in renames}


def _declared(nodes: Sequence[SchemaNode]) -> list[str]:
    found: dict[str, None] = {}
    for node in nodes:
        for keyword in ("properties", "required"):
            if keyword in node.keywords:
                found.update(dict.fromkeys(node.keywords[keyword]))
    return list(found)


def _patterns(nodes: Sequence[SchemaNode]) -> tuple[str, ...]:
    patterns: list[str] = []
    for node in nodes:
        patterns += node.keywords.get("patternProperties", ())
        names = node.keywords.get("propertyNames")
        if isinstance(names, SchemaNode) and "pattern" in names.keywords:
            patterns.append(names.keywords["pattern"])
    return tuple(dict.fromkeys(patterns))


def _listed(nodes: Sequence[SchemaNode]) -> Iterator[str]:
    """Names that a `propertyNames` lists."""
    for node in nodes:
        names = node.keywords.get("propertyNames")
        values = names.keywords.get("enum", ()) if isinstance(names, SchemaNode) else ()
        yield from (name for name in values if isinstance(name, str))
