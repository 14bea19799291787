"""Declares the names of `required` that `properties` lacks.

Axis: `declared-required = true`.

    {"type": "object", "required": ["a"]}
    {"type": "object", "properties": {"a": {}}, "required": ["a"]}

A name gets the schema of `additionalProperties`, else one that takes anything.

Ledger: `required` rewritten, kept elsewhere; `additionalProperties` widened where it forbade the name.
Sent and decoded: as the contract has it. Source: the notes on `required` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import has_type
from ...jsonschema.schema_node import Schema, SchemaNode
from ..ledger import CHECKED, Ledger, child, names_in_words
from ..node import Node, Pass
from ..profiles.dialect import Dialect


def declare_required(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Declare the required names of a node."""
    keywords, path = node.keywords, node.path
    if "required" not in keywords:
        return node
    if not ("properties" in keywords or dialect.typed or has_type(node, "object")):
        return node
    properties: dict[str, Schema] = keywords.get("properties", {})
    # A key that is required and forbidden: unsatisfiable, which a dialect without `false` cannot state.
    lax = dialect.booleans == "rewrite"
    missing = [
        name for name in keywords["required"] if name not in properties or (lax and properties[name] is False)
    ]
    if not missing:
        return node
    rest: Schema = keywords.get("additionalProperties", True)
    covers = isinstance(rest, SchemaNode) and "patternProperties" not in keywords
    if rest is False or (isinstance(rest, SchemaNode) and not covers):
        reason = (
            f"does not apply to {names_in_words(missing)}, since the provider requires a declaration{CHECKED}"
        )
        ledger.note(path, "additionalProperties", "widened", "changed", reason)
    at = child(path, "properties")
    for name in missing:
        if name in properties:
            reason = (
                "is declared with any value, because the provider cannot express a property that is "
                "both required and forbidden; decoding still refuses it"
            )
            ledger.note(at, name, "widened", "changed", reason)
    ledger.evaluation += 1
    reason = f"lists {names_in_words(missing)}, which the provider requires `properties` to declare, too"
    ledger.note(path, "required", "rewritten", "kept elsewhere", reason)
    added = {name: rest if covers else SchemaNode({}, child(at, name)) for name in missing}
    return node.having({**keywords, "properties": {**properties, **added}})


DECLARED = Pass(
    name="declared_required",
    apply=declare_required,
    needed=lambda dialect: dialect.declared_required,
    keywords=frozenset(("required",)),
)


def without_empty(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Leave out an empty `required`."""
    if node.keywords.get("required") != []:
        return node
    reason = "is left out, because it is empty, which the provider does not allow"
    ledger.note(node.path, "required", "dropped", "kept elsewhere", reason)
    return node.having({key: value for key, value in node.keywords.items() if key != "required"})


NOT_EMPTY = Pass(
    name="empty_required",
    apply=without_empty,
    needed=lambda dialect: not dialect.empty_required,
    keywords=frozenset(("required",)),
)
