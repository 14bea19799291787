"""Sends a map as a list of pairs; with declared properties, as one property of pairs.

Axis: `maps = "pairs"`.

    {"type": "object", "additionalProperties": {"type": "integer"}}
    {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"},
     "value": {"type": "integer"}}, "required": ["key", "value"]},
     "description": "A list of key/value pairs; each key stands once."}

An object with properties of its own keeps them, and gets `additional_properties`, a list of pairs.

Ledger: `type` and `additionalProperties` rewritten, kept elsewhere; what pairs cannot express is described.
Sent and decoded: the list is decoded to an object (`pairs`, or `rest`, of the wire form).
Source: the notes on `additionalProperties` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import accepted_types
from ...jsonschema.merge import distinct_schemas, merged
from ...jsonschema.schema_node import Schema, SchemaNode, is_free, to_json
from ...runtime.wire.wire_form import KEY, VALUE
from ..ledger import CHECKED, FORBIDDEN_PROPERTY, Ledger, child
from ..node import Keywords, Node, Pass
from ..overlaps import REST, is_map
from ..profiles.dialect import Dialect
from ..values_as_text import child_as_json, without_idle, without_literals
from .strict_objects import null_drops

_SIZES = (("minProperties", "minItems"), ("maxProperties", "maxItems"))
_OF_MAPS = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties"),
    )
)
_PAIRS = (
    "applies to an object that is sent as an array of key/value pairs, because the provider cannot express "
    "undeclared keys; decoding restores the object"
)
_KEYS_OF_PAIRS = "applies to the keys of an array of key/value pairs; decoding restores the object"


def _map_as_pairs(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Send the undeclared keys of a node as pairs."""
    keywords, path = node.keywords, node.path
    if not is_map(keywords) or not _is_object(keywords) or not ("type" in keywords or dialect.typed):
        return node
    if keywords.get("propertyNames") is False:
        return node.having(_keyless(node, ledger))
    stays = path is None or bool(keywords.get("properties"))  # the root stays an object
    if not stays and node.taken("array"):
        return node
    found = _values(node, dialect, ledger)
    if found is None:
        return node
    value, notes = found
    if stays:
        return _with_rest(node.noting(keywords, notes), value, dialect, ledger)
    keywords = without_idle(keywords, "array", path, ledger)
    rest = {key: item for key, item in keywords.items() if key not in _OF_MAPS}
    out: Keywords = {
        **rest,
        "type": _renamed_type(keywords),
        "items": _pair(node, keywords, value, dialect, ledger),
    }
    for own, other in _SIZES:
        if own in keywords:
            reason = f"is replaced by `{other}` of an array of key/value pairs; decoding restores the object"
            ledger.note(path, own, "rewritten", "kept elsewhere", reason)
            out[other] = keywords[own]
    if keywords.get("required"):
        notes += (f"These keys must be given: {', '.join(map(str, keywords['required']))}.",)
        reason = (
            "is stated in the description, because the object is sent as an array of key/value "
            f"pairs{CHECKED}"
        )
        ledger.note(path, "required", "described", "kept elsewhere", reason)
    notes += ("A list of key/value pairs; each key stands once.",)
    ledger.note(path, "type", "rewritten", "kept elsewhere", _PAIRS)
    if "properties" in keywords:
        reason = "is left out, because it declares nothing"
        ledger.note(path, "properties", "dropped", "kept elsewhere", reason)
    if "additionalProperties" in keywords:
        ledger.note(path, "additionalProperties", "rewritten", "kept elsewhere", _PAIRS)
    return without_literals(node.noting(out, notes), ledger).sent_as(encoding="pairs")


PASS = Pass(
    name="maps",
    apply=_map_as_pairs,
    needed=lambda dialect: dialect.maps == "pairs",
    keywords=frozenset(("additionalProperties", "patternProperties")),
)


def all_keys_as_pairs(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """An object that declares no property, with a property that lists all its keys as pairs."""
    path = node.path
    value, notes = _values(node, dialect, ledger) or (SchemaNode({}, child(path, "additionalProperties")), ())
    for key in node.keywords.get("properties", ()):
        ledger.note(child(path, "properties", key), "false", "dropped", "changed", FORBIDDEN_PROPERTY)
    if node.keywords.get("additionalProperties") is False:
        reason = (
            "is replaced by a list of key/value pairs, because the provider requires a property; decoding "
            "still refuses every key"
        )
        ledger.note(path, "additionalProperties", "widened", "changed", reason)
    keywords = {key: item for key, item in node.keywords.items() if key != "properties"}
    return _with_rest(node.noting(keywords, notes), value, dialect, ledger)


def _keyless(node: Node, ledger: Ledger) -> Keywords:
    """A map whose keys are never fit."""
    keywords = node.keywords
    reason = (
        "is sent as `additionalProperties: false`, because no key is accepted; decoding still refuses "
        "declared properties, too"
    )
    out = {key: item for key, item in keywords.items() if key not in ("propertyNames", "patternProperties")}
    for key in ("propertyNames", "patternProperties", "additionalProperties"):
        if key in keywords:
            ledger.note(node.path, key, "rewritten", "changed", reason)
    return {**out, "additionalProperties": False}


def _is_object(keywords: Keywords) -> bool:
    stated = keywords.get("type", "object")
    if isinstance(stated, list):
        return "object" in stated and "array" not in stated
    return bool(stated == "object")


def _renamed_type(keywords: Keywords) -> object:
    stated = keywords.get("type", "object")
    if isinstance(stated, list):
        return ["array" if one in ("object", "array") else one for one in stated]
    return "array"


def _values(node: Node, dialect: Dialect, ledger: Ledger) -> tuple[SchemaNode, tuple[str, ...]] | None:
    """Return the schema of undeclared keys, and a sentence; None for anything, where pairs gain nothing."""
    path = node.path
    rest: Schema = node.keywords.get("additionalProperties", True)
    patterns: dict[str, Schema] = node.keywords.get("patternProperties", {})
    kinds = [*patterns.values(), *([] if rest is False else [rest])]
    anything = any(map(is_free, kinds))
    if anything and dialect.untyped != "json":
        return None
    distinct = distinct_schemas([kind for kind in kinds if kind is not False])
    if not distinct:
        return None
    notes: tuple[str, ...] = ()
    if patterns and (len(patterns) > 1 or rest is not False):
        cause = "key/value pairs cannot state which keys have which values"
        notes = ledger.described(path, "patternProperties", to_json(patterns), cause)
    elif patterns:
        ledger.note(path, "patternProperties", "rewritten", "kept elsewhere", _KEYS_OF_PAIRS)
    at = child(path, "additionalProperties")
    if anything:
        return SchemaNode({}, at), notes
    only = distinct[0]
    if len(distinct) == 1 and isinstance(only, SchemaNode):
        return only, notes
    return SchemaNode({"anyOf": distinct}, at), notes


def _pair(node: Node, keywords: Keywords, value: SchemaNode, dialect: Dialect, ledger: Ledger) -> SchemaNode:
    path = node.path
    if dialect.null == "absent" and "null" in accepted_types(value, node.document, dialect.typed):
        at = SchemaNode(value.keywords, child(path, "additionalProperties"))
        value = child_as_json(node, at, ledger)  # a pair cannot hold a null
    key: Keywords = {"type": "string"}
    at_key = child(path, "properties", KEY)
    patterns = keywords.get("patternProperties", {})
    if len(patterns) == 1 and keywords.get("additionalProperties") is False:
        key["pattern"] = next(iter(patterns))
        at_key = child(path, "patternProperties")
    names = keywords.get("propertyNames")
    if isinstance(names, SchemaNode) and names.keywords:
        ledger.note(path, "propertyNames", "rewritten", "kept elsewhere", _KEYS_OF_PAIRS)
        allowed = SchemaNode(
            _undeclared(names.keywords, keywords.get("properties", {})), child(path, "propertyNames")
        )
        together = None if "$ref" in allowed.keywords else merged(key, allowed.keywords)
        key = {"allOf": [SchemaNode(key, at_key), allowed]} if together is None else together
        at_key = child(path, "propertyNames")  # entries about it are at its own path
    properties = {KEY: SchemaNode(key, at_key), VALUE: value}
    out: Keywords = {"type": "object", "properties": properties, "required": [KEY, VALUE]}
    if dialect.closed or dialect.open == "explicit":
        out["additionalProperties"] = False
    return SchemaNode(out, child(path, "additionalProperties"))


def _undeclared(names: Keywords, declared: Keywords) -> Keywords:
    """Return what keys may be, without those that have a property of their own."""
    left = [name for name in names.get("enum", ()) if name not in declared]
    return {**names, "enum": left} if left else names


def _with_rest(node: Node, value: SchemaNode, dialect: Dialect, ledger: Ledger) -> Node:
    keywords, path = node.keywords, node.path
    declared: Keywords = keywords.get("properties", {})
    name, count = REST, 1
    while name in declared:
        count += 1
        name = f"{REST}_{count}"
    held = {
        "type": "array",
        "description": "Further keys of this object, as a list of key/value pairs; each key stands once.",
        "items": _pair(node, keywords, value, dialect, ledger),
    }
    reason = (
        f"applies to keys that are sent in {name!r} as an array of key/value pairs, because the provider "
        "cannot express undeclared keys; decoding restores the object"
    )
    ledger.note(path, "additionalProperties", "rewritten", "kept elsewhere", reason)
    notes: tuple[str, ...] = ()
    for key in ("minProperties", "maxProperties"):
        if key in keywords:
            notes += ledger.described(path, key, keywords[key], "some keys are sent in one array")
    taken = _OF_MAPS - {"type", "properties", "required"}
    out = {key: item for key, item in keywords.items() if key not in taken}
    out["properties"] = {**declared, name: SchemaNode(held, child(path, "additionalProperties"))}
    if dialect.closed or dialect.open == "explicit":
        out["additionalProperties"] = False
    sent = node.noting(out, notes).sent_as(rest=name)
    if dialect.optional == "nullable":
        required = keywords.get("required", ())
        return null_drops(sent, keywords, [name for name in declared if name not in required])
    return sent
