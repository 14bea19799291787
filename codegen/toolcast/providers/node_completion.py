"""What concerns a node as a whole, settled when all its keywords have been through the table."""

from __future__ import annotations

from typing import Any

from .arrays_and_objects import has_type, opened, strict_object, without_empty
from .constraint_texts import described
from .cycles import changed_behind
from .dialect import Dialect
from .json_paths import Path
from .keyword_rules import Rules
from .nulls_as_absence import not_required
from .state import State
from .union_siblings import without_siblings
from .unions import nullable_union
from .way_marks import MARK

Node = dict[str, Any]

WATCHED = frozenset(("uniqueItems", "unevaluatedProperties", "unevaluatedItems"))
"""Keywords whose meaning what others say is part of."""


def ended(state: State, rules: Rules, node: Node, out: Node, path: Path, notes: list[str]) -> Node:
    """`out`, the output for `node`, with what the dialect wants of objects, unions and nulls. `notes` go into
    its description."""
    dialect = rules.dialect
    if rules.ends:
        if rules.objects and has_type(out, "object"):
            if rules.closes and (
                ("additionalProperties" not in out and dialect.closed) or _takes_nulls(dialect)
            ):
                strict_object(state, out, node, path)
            elif "properties" not in out and (dialect.properties_required or dialect.closed):
                out["properties"] = {}
        if MARK in out and rules.nulls:
            not_required(state, out)
        if "additionalProperties" not in out and dialect.open == "explicit":
            opened(state, out, path)
        if out.get("required") == [] and not dialect.empty_required:
            without_empty(state, out, path)
    if "anyOf" in out and dialect.type_arrays == "nullable":
        out = nullable_union(state, out, path)
    if "nullable" in out and out.get("type") == "null":
        del out["nullable"]  # null already: a definition that is null, put in place beside a null branch
    if notes:
        words = described(out.get("description"), notes)
        if words:
            out["description"] = words
    if "anyOf" in out and dialect.any_of == "only":
        out = without_siblings(state, out, path)
    return out


def _takes_nulls(dialect: Dialect) -> bool:
    """Whether a key that is optional takes null."""
    return dialect.optional == "also-null" or (dialect.optional == "nullable" and dialect.closed)


def watched(state: State, node: Node, out: Node, path: Path, lossy: int, evaluation: int) -> None:
    """What the meaning of others is part of: told, or taken out, where that was changed."""
    if (
        state.dialect.optional != "keep"
        and out.get("uniqueItems")
        and (state.lossy != lossy or changed_behind(state, node.get("items")))
    ):
        reason = "items may differ by a null that stands for a key left out"
        state.note(path, "uniqueItems", "widened", "changed", reason)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if key in out and (state.evaluation != evaluation or changed_behind(state, node)):
            del out[key]
            reason = "what else evaluates keys and items cannot be said here as it is"
            state.note(path, key, "dropped", "lost", reason)
