"""Makes the root an object without the combinators that a provider refuses there.

Axes: `root-forbid`, `any-of = "only"` or "none".

    {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {}}}
    {"type": "object", "properties": {"a": {}, "b": {}},
     "description": "Exactly one of these sets of keys must be given: a; b."}

The properties of all alternatives stand in one object, each with the schema that its own alternative gives
it; which belong together, the description says.

Ledger: `type` rewritten, `$ref` inlined, kept elsewhere; combinators described or dropped.
Sent and decoded: as the contract has it; the contract's union is checked by the decoder.
Source: the notes on the root of each profile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.json_types import inferred, names_type
from ...jsonschema.merge import in_words, merged, union
from ...jsonschema.schema_node import SchemaError, SchemaNode, to_json
from ..constraint_texts import phrase
from ..ledger import Ledger
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect, forbidden
from .all_of import describe_or_drop, merge_all_of
from .references import note_dropped, resolved_branch
from .without_unions import note_shared, united_object

_NOT_AT_ROOT = "the provider does not allow it at the root"
_IS_OBJECT_TARGET = "is replaced by its target, because the root must be an object schema"
_MAX_COMBINATORS = 96
"""Combinators of combinators that are merged into the root."""


def _root_object(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Make the root an object. Raises `SchemaError` if it accepts no object at all."""
    if node.path is not None:
        return node
    keywords = node.keywords
    if "$ref" in keywords and (
        keywords.get("type") != "object" or dialect.root_forbid or dialect.refs == "inline"
    ):
        node = _resolved(node, ledger)
    node = node.having(_object(node.keywords, ledger))
    return node if forbidden(dialect).isdisjoint(node.keywords) else _flattened(node, dialect, ledger)


PASS = Pass(name="root", apply=_root_object)


def _resolved(node: Node, ledger: Ledger) -> Node:
    own = {key: value for key, value in node.keywords.items() if key in ("$defs", "$schema", "$id")}
    rest = {key: value for key, value in node.keywords.items() if key not in own}
    found, resolved = resolved_branch(node, SchemaNode(rest, None), ledger)
    if not isinstance(found, SchemaNode):
        raise SchemaError("", "the root refers to itself", "give the root a type of its own")
    ledger.note(None, "$ref", "inlined", "kept elsewhere", _IS_OBJECT_TARGET)
    return replace(node, keywords={**found.keywords, **own}, entered=node.entered + resolved)


def _object(keywords: Keywords, ledger: Ledger) -> Keywords:
    kind = keywords.get("type")
    reason = "is set to `object`, because the arguments of a call are an object"
    if kind == "object":
        return keywords
    if isinstance(kind, list) and "object" in kind:
        ledger.note(None, "type", "rewritten", "kept elsewhere", reason)
        return {**keywords, "type": "object"}
    hint = "put the value into a property"
    if kind is not None:
        raise SchemaError("", f"the parameters of a tool are an object, not {kind!r}", hint)
    types = inferred(keywords)
    if types and "object" not in types and not {"enum", "const"}.isdisjoint(keywords):
        raise SchemaError("", "the parameters of a tool are an object", hint)
    ledger.note(None, "type", "rewritten", "kept elsewhere", reason)
    return {"type": "object", **keywords}


def _flattened(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Merge root combinators into one object with the common `required`; the rest is described."""
    refused = forbidden(dialect)
    for _ in range(_MAX_COMBINATORS):
        keyword = next(
            (key for key in ("allOf", "anyOf", "oneOf") if key in node.keywords and key in refused), ""
        )
        if not keyword:
            break
        if keyword == "allOf":
            node = merge_all_of(node, dialect, ledger, blocking=False)
        else:
            node = _united(node, keyword, dialect, ledger)
    for keyword in dialect.root_forbid:
        if keyword in node.keywords:
            sentence = phrase(keyword, to_json(node.keywords[keyword])) or keyword
            notes = describe_or_drop(None, keyword, sentence, ledger, _NOT_AT_ROOT)
            left = {key: value for key, value in node.keywords.items() if key != keyword}
            node = node.noting(left, notes)
    return node


def _united(node: Node, keyword: str, dialect: Dialect, ledger: Ledger) -> Node:
    base = {key: value for key, value in node.keywords.items() if key != keyword}
    outer: Keywords = {key: base.pop(key) for key in ("$defs", "$schema", "$id") if key in base}
    objects: list[Keywords] = []
    entered = node.entered
    for raw in node.keywords[keyword]:
        branch, resolved = resolved_branch(node, raw, ledger)
        entered += resolved
        if branch is False or (
            isinstance(branch, SchemaNode) and "type" in branch.keywords and not names_type(branch, "object")
        ):
            continue  # no object fits this branch
        one = base
        if isinstance(branch, SchemaNode):
            rest = {key: value for key, value in branch.keywords.items() if key != "$defs"}
            one = merged(base, rest) or base
        objects.append(one)
    words = in_words(keyword, node.keywords[keyword], objects)
    notes = describe_or_drop(None, keyword, words, ledger, _NOT_AT_ROOT)
    node = replace(node, keywords=base, entered=entered, notes=node.notes + notes)
    if objects:
        together = union(objects, base, forbidden(dialect))
        note_dropped(base, together, None, ledger)
        note_shared(objects, None, ledger)
        node = united_object(node, objects, together, dialect, ledger)
    return node.having({**node.keywords, **outer})
