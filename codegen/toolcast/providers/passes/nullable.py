"""Expresses null by OpenAPI's `nullable`; a union of one branch is that branch.

Axis: `type-arrays = "nullable"`.

    {"anyOf": [{"type": "string"}, {"type": "null"}]}
    {"type": "string", "nullable": true}

Ledger: `anyOf` rewritten, kept elsewhere. Sent and decoded: as the contract has it.
Source: OpenAPI 3.0.4, section 4.7.24 (nullable); the notes on `type` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import MOVED
from ...jsonschema.keywords import METADATA, TYPE_OF
from ...jsonschema.schema_node import Schema, SchemaNode
from ..ledger import CHECKED, NO_VALUE, ONLY_BRANCH, Ledger
from ..node import Node, Pass
from ..profiles.dialect import Dialect

_BY_NULLABLE = "is sent without its null branch, which is expressed by `nullable`"


def nullable_branch(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express the null branches of a union by `nullable`."""
    if "anyOf" not in node.keywords:
        return node
    path, keywords = node.path, node.keywords
    branches = [branch for branch in keywords["anyOf"] if branch is not False]
    rest = [branch for branch in branches if not _is_null(branch)]
    if len(rest) == len(keywords["anyOf"]) and len(rest) != 1:
        return node
    if not branches:
        ledger.note(path, "anyOf", "widened", "changed", NO_VALUE)
        return node.having({key: value for key, value in keywords.items() if key != "anyOf"})
    out = dict(keywords)
    if len(rest) < len(branches):
        ledger.note(path, "anyOf", "rewritten", "kept elsewhere", _BY_NULLABLE)
        for branch in branches:
            _note_dropped(branch, ledger)
        if not rest:
            del out["anyOf"]
            out["type"] = "null"
            return node.having(out)
        out["nullable"] = True
    out["anyOf"] = rest
    if len(rest) == 1 and isinstance(rest[0], SchemaNode):
        del out["anyOf"]
        ledger.note(path, "anyOf", "rewritten", "kept elsewhere", ONLY_BRANCH)
        return node.replaced_by(rest[0], {**rest[0].keywords, **out})
    return node.having(out)


PASS = Pass(
    name="nullable_branch",
    apply=nullable_branch,
    needed=lambda dialect: dialect.type_arrays == "nullable",
    keywords=frozenset(("anyOf",)),
)


def _is_null(branch: Schema) -> bool:
    return isinstance(branch, SchemaNode) and branch.keywords.get("type") == "null"


def _is_nullable(branch: Schema) -> bool:
    """Tell whether a branch of an output accepts null: by itself, or by a branch of its own."""
    if not isinstance(branch, SchemaNode):
        return False
    keywords = branch.keywords
    if keywords.get("nullable") is True:
        return True
    return keywords.keys() - METADATA == {"anyOf"} and any(map(_is_nullable, keywords["anyOf"]))


def _note_dropped(branch: Schema, ledger: Ledger) -> None:
    """Note the other keywords of a null branch, which are dropped with it."""
    if not isinstance(branch, SchemaNode) or not _is_null(branch):
        return
    for key, value in branch.keywords.items():
        if TYPE_OF.get(key):
            reason = "is left out, because it does not apply to null"
            ledger.note(branch.path, key, "dropped", "kept elsewhere", reason)
        elif key in ("anyOf", *MOVED) and key != "type" and value not in (None, [None]):
            reason = "is left out, because null is expressed by `nullable` alone" + CHECKED
            ledger.note(branch.path, key, "dropped", "lost", reason)


def nullable_union(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express by `nullable` the branches of an output that turned out to be null: inlined definitions."""
    if "anyOf" in node.keywords and dialect.type_arrays == "nullable":
        node = _without_null(node, ledger)
    out = node.keywords
    if "nullable" in out and (out.get("type") == "null" or any(map(_is_nullable, out.get("anyOf", ())))):
        out = {key: value for key, value in out.items() if key != "nullable"}
    return node.having(out)


COMPLETING = Pass(
    name="nullable_union",
    apply=nullable_union,
    needed=lambda dialect: dialect.type_arrays == "nullable" or dialect.booleans == "rewrite",
    keywords=frozenset(("anyOf", "nullable")),
)


def _without_null(node: Node, ledger: Ledger) -> Node:
    branches: list[Schema] = node.keywords["anyOf"]
    rest = [branch for branch in branches if not _is_null(branch)]
    if len(rest) == len(branches) and len(rest) != 1:
        return node
    reason = _BY_NULLABLE if len(rest) < len(branches) else ONLY_BRANCH
    ledger.note(node.path, "anyOf", "rewritten", "kept elsewhere", reason)
    outer = {key: value for key, value in node.keywords.items() if key != "anyOf"}
    if not rest:
        return node.having({"type": "null", **outer})
    if len(rest) < len(branches):
        outer["nullable"] = True
    only = rest[0]
    if len(rest) == 1 and isinstance(only, SchemaNode):
        return node.replaced_by(only, {**only.keywords, **outer})
    return node.having({**outer, "anyOf": rest})
