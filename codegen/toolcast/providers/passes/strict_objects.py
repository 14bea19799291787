"""Makes every property required, or lets optional ones accept null.

Axis: `optional = "nullable"` (of closed objects) or "also-null".

    {"type": "object", "properties": {"a": {"type": "string"}}}
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}

Where optional properties become required, keywords that may refuse an object because a key is there are
stated in the description.

Ledger: `required` rewritten, kept elsewhere; a property that may be null itself, changed; keywords that may
refuse an object because a key is there, described or dropped.
Sent and decoded: a null for an optional property is decoded to absence, by its schema; where the schema alone
could not tell, by `drops` of the wire form. Source: the notes on strict mode of each profile.
"""

from __future__ import annotations

from math import inf

from msgspec.structs import replace

from ...jsonschema.json_types import names_type
from ...jsonschema.keywords import METADATA, TYPE_OF
from ...jsonschema.schema_node import Path, Schema, SchemaNode, to_json, with_null, wrapped, wraps
from ..constraint_texts import phrase
from ..ledger import CHECKED, Ledger, child, names_in_words
from ..node import NO_TYPE, TYPES, Keywords, Node, Pass
from ..profiles.dialect import Dialect
from .annotations import without_siblings

_NULLABLE = ("type", "anyOf", "oneOf", "enum", "const", "$ref", "allOf", "nullable")
_PRESENCE = ("maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "not", "if")
"""Keywords that may refuse an object because a key is there, in the order of their sentences."""
_CONDITIONAL = ("then", "else")
COUNTING = ("minProperties", "dependentRequired", "dependentSchemas")
_COUNTS_NULLS = (
    "counts a property that is null in place of absent; decoding restores the absence and checks the "
    "keyword again"
)


def _require_all(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Let the optional properties of an object accept null."""
    if not names_type(node, "object") or "properties" not in node.keywords:
        return node
    also = dialect.optional == "also-null"
    path, out = node.path, node.keywords
    before: Keywords = node.before.keywords if node.before is not None else {}
    properties: dict[str, Schema] = dict(out["properties"])
    required = out.get("required", [])
    optional = [name for name in properties if name not in required]
    if not optional and (also or (len(required) == len(properties) and "required" in out)):
        return node
    ledger.changes += bool(optional)  # a `not` or `oneOf` around this object must not be kept
    at = child(path, "properties")
    for name in optional:
        schema = properties[name]
        sent = _accepting_null(schema, child(at, name), dialect, ledger)
        if not also and _is_same(sent, schema):
            _note_confounded(before.get("properties", {}).get(name), child(at, name), ledger)
        properties[name] = sent
    out = {**out, "properties": properties}
    if not also and (optional or len(required) != len(properties) or "required" not in out):
        out["required"] = list(properties)
    node = node.having(out)
    if not also and optional:
        node = _presence_described(null_drops(node, before, optional), before, ledger)
    for key in COUNTING if optional else ():
        if key in node.keywords:
            ledger.note(path, key, "widened", "changed", _COUNTS_NULLS)
    if optional:
        names = names_in_words(optional)
        reason = f"also lists {names}, which may be null in place of absent; decoding restores the absence"
        if also:
            reason = f"does not list {names}, which may also be null; decoding restores the absence"
        ledger.note(path, "required", "rewritten", "kept elsewhere", reason)
    return node


OPTIONAL = Pass(
    name="optional_nulls",
    apply=_require_all,
    needed=lambda dialect: (
        dialect.optional == "also-null" or (dialect.optional == "nullable" and dialect.closed)
    ),
    keywords=frozenset(("properties",)),
)


def _is_same(sent: Schema, schema: Schema) -> bool:
    """Tell whether nothing was added to a schema that accepts null already."""
    if isinstance(sent, SchemaNode) and isinstance(schema, SchemaNode):
        return sent is schema or sent.keywords == schema.keywords  # by identity of subschemas
    return sent is schema


def null_drops(node: Node, keywords: Keywords, names: list[str]) -> Node:
    """Note in the wire form that null stands for absence of `names`, which a mode requires although they are
    optional: where `keywords` constrain which keys are present, a null may be refused."""
    if not names or keywords.keys().isdisjoint(_PRESENCE):
        return node
    own = (node.form.names.get(name, name) for name in names)
    return node.sent_as(drops=tuple(dict.fromkeys((*node.form.drops, *own))))


def _presence_described(node: Node, before: Keywords, ledger: Ledger) -> Node:
    """Describe the keywords that may refuse an object because a key is there: all of its keys are required.
    `before` are the keywords of the contract."""
    out, notes = dict(node.keywords), node.notes
    for key in (*_PRESENCE, *_CONDITIONAL) if "if" in out else _PRESENCE:
        if key not in out or (key == "maxProperties" and _most_keys(out) <= out[key]):
            continue
        sent = out.pop(key)
        cause = "optional properties are required there, and may be null"
        if key in _CONDITIONAL and not phrase("if", to_json(before.get("if"))):
            ledger.note(node.path, key, "dropped", "lost", f"is left out, because {cause}{CHECKED}")
        else:
            notes += ledger.described(node.path, key, to_json(before.get(key, sent)), cause)
    return replace(node, keywords=out, notes=notes) if len(out) < len(node.keywords) else node


def _most_keys(keywords: Keywords) -> float:
    """Return how many keys an object can have."""
    closed = keywords.get("additionalProperties") is False and "patternProperties" not in keywords
    return len(keywords["properties"]) if closed else inf


def _note_confounded(schema: object, path: Path, ledger: Ledger) -> None:
    """Note that an optional key may be null by its own schema, which must be sent where it is left out."""
    keywords = schema.keywords if isinstance(schema, SchemaNode) else {}
    keyword = next((key for key in keywords if key in _NULLABLE), "type")
    reason = (
        "accepts null already, so that a call without the property cannot be distinguished from one with "
        "null; decoding keeps the null"
    )
    ledger.note(path, keyword, "rewritten", "changed", reason)


def _accepting_null(schema: Schema, path: Path, dialect: Dialect, ledger: Ledger) -> Schema:
    """An output schema that accepts null as well, in the dialect."""
    if not isinstance(schema, Node):
        return schema or SchemaNode({"type": "null"}, path)
    out = schema.keywords
    if dialect.type_arrays == "keep":
        made = with_null(schema)
        wraps_it = wraps(out)
    elif _has_null(schema) or {"type", "$ref", "enum", "const", "anyOf"}.isdisjoint(out):
        return schema  # accepts null, or anything
    elif dialect.type_arrays == "nullable":
        made, wraps_it = SchemaNode({**out, "nullable": True}, schema.path), False
    elif "anyOf" in out and out.keys() - {"anyOf"} <= METADATA:
        null = SchemaNode({"type": "null"}, path)
        made, wraps_it = SchemaNode({**out, "anyOf": [*out["anyOf"], null]}, schema.path), False
    else:
        made, wraps_it = wrapped(schema), True
    if made is schema:
        return schema
    if wraps_it:  # the form is that of the branch
        first, *others = made.keywords["anyOf"]
        inner = replace(schema, keywords=first.keywords)
        result = Node({**made.keywords, "anyOf": [inner, *others]}, schema.path, schema.place)
    else:
        result = schema.having(made.keywords)
    if dialect.any_of == "only" and "anyOf" in result.keywords:
        result = replace(result, path=path)
        return without_siblings(result, dialect, ledger)
    return result


def _has_null(schema: SchemaNode) -> bool:
    out = schema.keywords
    return (
        out.get("type") == "null"
        or out.get("nullable") is True
        or any(isinstance(branch, SchemaNode) and _has_null(branch) for branch in out.get("anyOf", ()))
    )


def close(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Close an object."""
    if not names_type(node, "object"):
        return node
    out = node.keywords if "properties" in node.keywords else {**node.keywords, "properties": {}}
    if dialect.closed and "additionalProperties" not in out:
        if not out["properties"]:
            ledger.block(node.path, "properties", "cannot express an object with free keys")
        elif node.before is None or "additionalProperties" not in node.before.keywords:
            reason = "is set to false, as the provider requires; a call cannot contain undeclared properties"
            ledger.note(node.path, "additionalProperties", "rewritten", "changed", reason)
            out = {**out, "additionalProperties": False}
    return node.having(out)


CLOSE = Pass(
    name="closing",
    apply=close,
    needed=lambda dialect: dialect.closed or dialect.properties_required,
    types=frozenset(("object", TYPES)),
)


def _state_open(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """State `additionalProperties: true` in an object that is open by default."""
    out = node.keywords
    if "additionalProperties" in out:
        return node
    implied = "type" not in out and any(TYPE_OF.get(key) == "object" for key in out)
    if not implied and not names_type(node, "object"):
        return node
    reason = "is set to true, because the provider reads its absence as false"
    ledger.note(node.path, "additionalProperties", "rewritten", "kept elsewhere", reason)
    return node.having({**out, "additionalProperties": True})


OPEN = Pass(
    name="open",
    apply=_state_open,
    needed=lambda dialect: dialect.open == "explicit",
    types=frozenset(("object", NO_TYPE, TYPES)),
)
