"""Expresses `oneOf` by `anyOf`, and moves what stands beside `anyOf` into its branches.

Axes: `one-of = "any-of"`; `any-of = "alone"`, "only" or "none"; lists of types, for dialects without them.

    {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    {"anyOf": [{"type": "string"}, {"type": "integer"}]}

    {"type": "string", "minLength": 1, "anyOf": [{"pattern": "^a"}, {"maxLength": 3}]}
    {"anyOf": [{"type": "string", "minLength": 1, "pattern": "^a"},
     {"type": "string", "minLength": 1, "maxLength": 3}]}

A union with a branch that takes any value is dropped. Branches that only name required keys are described,
where repeating the properties in each would gain nothing.

Ledger: `anyOf` and its siblings rewritten, kept elsewhere; described where they are described; dropped where
any value is accepted. Sent and decoded: as the contract has it. Source: the notes on `anyOf` of each profile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.json_types import MOVED
from ...jsonschema.json_values import JsonObject, equal
from ...jsonschema.merge import merged, required_groups
from ...jsonschema.schema_node import Path, Schema, SchemaNode, is_free, to_json
from ..constraint_texts import text
from ..ledger import NO_VALUE, Ledger
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from .all_of import all_evaluated, describe_or_drop
from .references import resolved_branch

_BESIDE = "the provider cannot express it beside the other keywords"
_MERGED_INTO_BRANCHES = (
    "is moved into each branch of `anyOf`, because the provider cannot express it beside `anyOf`"
)
_MERGED_WITH_SIBLINGS = (
    "has the keywords beside it moved into its branches, because the provider cannot express them beside it"
)
MAX_BRANCHES = 64
"""Branches up to which the siblings of a union are merged into each of them."""


def note_free_union(path: Path, ledger: Ledger) -> None:
    """Note that a union is dropped, because it accepts any value."""
    reason = "is left out, because one branch accepts any value, so that the others have no effect"
    ledger.note(path, "anyOf", "dropped", "kept elsewhere", reason)


def siblings_into_branches(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Leave only annotations beside `anyOf`: merge the other keywords into each branch."""
    path, keywords = node.path, node.keywords
    branches: list[Schema] = keywords["anyOf"]
    if any(map(is_free, branches)):
        note_free_union(path, ledger)
        return node.having({key: value for key, value in keywords.items() if key != "anyOf"})
    if dialect.booleans == "rewrite" and all(branch is False for branch in branches):
        ledger.note(path, "anyOf", "widened", "changed", NO_VALUE)
        ledger.block(path, "anyOf", "cannot express a schema that accepts no value")
        return node.having({key: value for key, value in keywords.items() if key != "anyOf"})
    base = {key: value for key, value in keywords.items() if key in MOVED}
    if not base:
        return node
    outer = {key: value for key, value in keywords.items() if key not in MOVED and key != "anyOf"}
    groups = required_groups(branches)
    if groups and "properties" in base and not dialect.closed:
        words = "At least one of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
        return node.noting({**outer, **base}, describe_or_drop(path, "anyOf", words, ledger, _BESIDE))
    entered, distinct = node.entered, list[SchemaNode]()
    for raw in branches:
        if raw is False:
            continue
        branch, resolved = resolved_branch(node, raw, ledger)
        entered += resolved
        one = merged(base, branch.keywords) if isinstance(branch, SchemaNode) else None
        if one is None and isinstance(branch, SchemaNode) and _disjoint(base, branch.keywords):
            continue  # this branch is unsatisfiable together with the siblings
        if one is None or len(distinct) >= MAX_BRANCHES or not isinstance(raw, SchemaNode):
            ledger.block(path, "anyOf", "cannot express `anyOf` beside these keywords")
            words = f"Must also match one of: {text(to_json(branches))}."
            notes = describe_or_drop(path, "anyOf", words, ledger, _BESIDE)
            left = {**outer, **all_evaluated(base, path, ledger)}
            return replace(node, keywords=left, notes=node.notes + notes, entered=entered)
        distinct.append(SchemaNode({key: value for key, value in one.items() if key != "$defs"}, raw.path))
    for key in ("anyOf", *base):
        reason = _MERGED_WITH_SIBLINGS if key == "anyOf" else _MERGED_INTO_BRANCHES
        ledger.note(path, key, "rewritten", "kept elsewhere", reason)
    left = {**outer, "anyOf": distinct} if distinct else {**outer, **base}
    return replace(node, keywords=left, entered=entered)


def _apply(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Move what stands beside `anyOf` into its branches."""
    if "anyOf" not in node.keywords:
        return node
    listed = isinstance(node.keywords.get("type"), list)
    if dialect.any_of == "keep" and not (listed and dialect.type_arrays != "keep"):
        return node
    return siblings_into_branches(node, dialect, ledger)


SIBLINGS = Pass(
    name="union_siblings",
    apply=_apply,
    needed=lambda dialect: dialect.any_of != "keep" or dialect.type_arrays != "keep",
    keywords=frozenset(("anyOf",)),
)


def _disjoint(left: Keywords, right: Keywords) -> bool:
    mine, theirs = left.get("type"), right.get("type")
    if mine is None or theirs is None:
        return False
    both: tuple[JsonObject, JsonObject] = {"type": mine}, {"type": theirs}
    return not equal(mine, theirs) and merged(*both) is None


def one_of_as_any_of(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Replace `oneOf`. Beside an `anyOf`, both go into an `allOf`."""
    keywords = node.keywords
    if "oneOf" not in keywords:
        return node
    reason = (
        "is replaced by `anyOf`, because the provider lacks the keyword; decoding still refuses a value that "
        "several branches match"
    )
    ledger.note(node.path, "oneOf", "rewritten", "changed", reason)
    if "anyOf" not in keywords:
        return node.having({("anyOf" if key == "oneOf" else key): value for key, value in keywords.items()})
    rest = {key: value for key, value in keywords.items() if key != "oneOf"}
    other = SchemaNode({"anyOf": keywords["oneOf"]}, node.path)
    return node.having({**rest, "allOf": [*keywords.get("allOf", ()), other]})


ONE_OF = Pass(
    name="one_of",
    apply=one_of_as_any_of,
    needed=lambda dialect: dialect.one_of == "any-of",
    keywords=frozenset(("oneOf",)),
)
