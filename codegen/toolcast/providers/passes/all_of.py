"""Merges the branches of `allOf` into one schema.

Axis: `all-of = "merge"`.

    {"allOf": [{"type": "string"}, {"maxLength": 5}]}
    {"type": "string", "maxLength": 5}

References in branches are resolved, so that they can be merged. A branch that cannot be merged exactly is
stated in the description.

Ledger: `allOf` rewritten, kept elsewhere; the index of a branch that was not merged, described or dropped,
lost. Sent and decoded: as the contract has it. Source: JSON Schema 2020-12, section 10.2.1.1.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.keywords import METADATA
from ...jsonschema.merge import merged
from ...jsonschema.schema_node import Path, SchemaNode, to_json
from ..constraint_texts import MAX_WORDS, text
from ..ledger import CHECKED, UNEVALUATED, Ledger
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from .references import note_dropped, resolved_branch

_MERGED = "is merged into the schema around it, because the provider cannot express it here"
_NOT_MERGED = METADATA | {"$defs", "$schema", "$id", "propertyOrdering"}


def merge_all_of(node: Node, dialect: Dialect, ledger: Ledger, *, blocking: bool = True) -> Node:
    """Merge `allOf` into the node. A branch that cannot be merged is described; with `blocking`, it is also
    a reason against the mode."""
    if "allOf" not in node.keywords:
        return node
    path = node.path
    base = {key: value for key, value in node.keywords.items() if key != "allOf"}
    outer = {key: base.pop(key) for key in list(base) if key in _NOT_MERGED}
    ledger.note(path, "allOf", "rewritten", "kept elsewhere", _MERGED)
    annotations: Keywords = {}
    own, notes, entered = base, node.notes, node.entered
    for i, raw in enumerate(node.keywords["allOf"]):
        branch, resolved = resolved_branch(node, raw, ledger)
        entered += resolved
        together = base if branch is True else None
        if isinstance(branch, SchemaNode):
            for key in branch.keywords:
                if key in METADATA:
                    annotations.setdefault(key, branch.keywords[key])
            rest = {key: value for key, value in branch.keywords.items() if key not in _NOT_MERGED}
            together = merged(base, rest)
        if together is not None:
            base = together
            continue
        location = raw.path if isinstance(raw, SchemaNode) else None
        if location is None:  # true or false, or the root
            location = (path, "allOf"), str(i)
        if blocking:
            ledger.block(location, "allOf", "cannot express an `allOf` whose branches cannot be merged")
        base = all_evaluated(base, path, ledger)
        words = f"Must also match: {text(to_json(raw))}."
        cause = "it cannot be merged with the other branches"
        notes += describe_or_drop(location[0], location[1], words, ledger, cause)
    note_dropped(own, base, path, ledger)
    return replace(node, keywords={**base, **annotations, **outer}, notes=notes, entered=entered)


PASS = Pass(
    name="all_of",
    apply=merge_all_of,
    needed=lambda dialect: dialect.all_of == "merge",
    keywords=frozenset(("allOf",)),
)


def all_evaluated(keywords: Keywords, path: Path, ledger: Ledger) -> Keywords:
    """Keywords without those for unevaluated keys and items, because another keyword was removed."""
    out = dict(keywords)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if out.pop(key, None) is not None:
            ledger.note(path, key, "dropped", "lost", UNEVALUATED)
    return out


def describe_or_drop(path: Path, keyword: str, sentence: str, ledger: Ledger, cause: str) -> tuple[str, ...]:
    """The sentence for the description, if it is short enough; the ledger has an entry either way. `cause`:
    why the keyword is not sent, as a clause."""
    if len(sentence) <= MAX_WORDS:
        reason = f"is stated in the description, because {cause}{CHECKED}"
        ledger.note(path, keyword, "described", "kept elsewhere", reason)
        return (sentence,)
    reason = f"is left out, because {cause}, and is too long for the description{CHECKED}"
    ledger.note(path, keyword, "dropped", "lost", reason)
    return ()
