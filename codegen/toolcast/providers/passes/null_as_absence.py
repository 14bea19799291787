"""Expresses null by the absence of a property; elsewhere, a value that may be null becomes JSON text, or any
value where another branch of a union accepts strings.

Axis: `null = "absent"`.

    {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}

Ledger: the keyword that states null, rewritten, kept elsewhere; the parent's `required` rewritten; the
keywords of what becomes any value, described or dropped.
Sent and decoded: a property that was required and is left out is decoded to null (`nulls` of the wire form).
Source: the notes on null of each profile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.keywords import METADATA
from ...jsonschema.schema_document import SchemaDocument
from ...jsonschema.schema_node import Path, Schema, SchemaNode
from ..ledger import CHECKED, Ledger, child, names_in_words
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from ..values_as_text import any_value, as_json
from .references import resolved_branch

_MAX_FOLLOWED = 8
_OMITTED = "is sent without null, which the provider lacks and the absence of the property expresses"
_DEFAULT_OMITTED = "is left out, because the absence of the property expresses null"
_AMBIGUOUS = (
    "because the provider has no null, and JSON text could not be told from the strings of another branch; "
    "decoding still checks it"
)


def states_null(schema: Schema, document: SchemaDocument, followed: int = 0) -> bool:
    """Tell whether a schema states null among its types or values. One that accepts anything does not."""
    if not isinstance(schema, SchemaNode) or followed > _MAX_FOLLOWED:
        return False
    node = schema.keywords
    if "enum" in node or "const" in node:
        values = node["enum"] if "enum" in node else [node["const"]]
        if not any(value is None for value in values) or ("const" in node and node["const"] is not None):
            return node.get("nullable") is True
    if "type" in node:
        kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
        return "null" in kinds or node.get("nullable") is True
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return any(states_null(branch, document, followed + 1) for branch in node[keyword])
    if "allOf" in node:
        return all(states_null(branch, document, followed + 1) for branch in node["allOf"])
    if "$ref" in node:
        return states_null(document.target(node["$ref"], schema.path)[0], document, followed + 1)
    return node.get("nullable") is True or "enum" in node or "const" in node


def null_as_absence(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Remove null from a node: its absence stands for it, or the whole value becomes JSON text, or any value
    where a string would be ambiguous."""
    if node.path is None:
        return node
    keywords = node.keywords
    if not states_null(node, node.document):
        return node.having(_tidied(keywords, node.path, ledger))
    rest = _without(node, node, ledger) if node.place.is_property else None
    if rest is None and node.taken("string"):
        return any_value(node, ledger, _AMBIGUOUS)
    if rest is None:
        return as_json(node, ledger)
    for keyword in ("type", "enum", "anyOf", "oneOf", "$ref"):
        if keyword in keywords:
            ledger.note(node.path, keyword, "rewritten", "kept elsewhere", _OMITTED)
    left, node = rest
    if "default" in left and left["default"] is None:
        ledger.note(node.path, "default", "dropped", "kept elsewhere", _DEFAULT_OMITTED)
        left = {key: value for key, value in left.items() if key != "default"}
    return replace(node, keywords=left, absent_null=True)


PASS = Pass(
    name="null_as_absence",
    apply=null_as_absence,
    needed=lambda dialect: dialect.null == "absent",
)


def _tidied(keywords: Keywords, path: Path, ledger: Ledger) -> Keywords:
    """Keywords that accept no null, without stating it: type and enum may exclude each other's null."""
    out = dict(keywords)
    stated = out.get("type")
    kinds = stated if isinstance(stated, list) else [stated]
    if "null" in kinds:
        left = [kind for kind in kinds if kind != "null"]
        out["type"] = "string" if not left else left[0] if len(left) == 1 else left
    values = out.get("enum")
    if isinstance(values, list) and any(value is None for value in values):
        out["enum"] = [value for value in values if value is not None]
    if ("const" in out and out["const"] is None) or kinds == ["null"]:
        out = {key: value for key, value in out.items() if key not in ("const", "enum")}
    if out.get("enum") == [] and values != []:
        del out["enum"]
    changed = [
        key
        for key in ("type", "enum", "const")
        if key in keywords and (key not in out or out[key] != keywords[key])
    ]
    for key in changed:
        ledger.note(
            path,
            key,
            "widened",
            "changed",
            "is sent without null, which the other keywords exclude" + CHECKED,
        )
    return out if changed else keywords


def _without(node: Node, schema: Schema, ledger: Ledger, depth: int = 0) -> tuple[Keywords, Node] | None:
    """The keywords of `schema` without null, and `node` with the references that were resolved for it; `None`
    if nothing is left, or its target is being resolved already."""
    if not isinstance(schema, SchemaNode):
        return None
    document = node.document
    if not states_null(schema, document):
        return schema.keywords, node
    out = schema.keywords
    if "$ref" in out:
        found, resolved = resolved_branch(node, schema, ledger)
        if not isinstance(found, SchemaNode) or depth > _MAX_FOLLOWED:
            return None
        return _without(replace(node, entered=node.entered + resolved), found, ledger, depth + 1)
    if "allOf" in out or out.get("const", 0) is None:
        return None
    out = dict(out)
    if "enum" in out:
        out["enum"] = [value for value in out["enum"] if value is not None]
        if not out["enum"]:
            return None
    if "type" in out:
        stated = out["type"] if isinstance(out["type"], list) else [out["type"]]
        kinds = [kind for kind in stated if kind != "null"]
        if not kinds:
            return None
        out["type"] = kinds if len(kinds) > 1 else kinds[0]
    for keyword in ("anyOf", "oneOf"):
        if keyword not in out:
            continue
        branches: list[Schema] = []
        for i, branch in enumerate(out[keyword]):
            if not states_null(branch, document):
                branches.append(branch)
                continue
            left = _without(node, branch, ledger, depth + 1)
            if left is not None:
                keywords, node = left
                branches.append(SchemaNode(keywords, child(schema.path, keyword, i)))
            elif not _only_null(branch, document):
                return None
        if not branches:
            return None
        out[keyword] = branches
        only: object = branches[0]
        if len(branches) == 1 and isinstance(only, SchemaNode):
            outer = {key: value for key, value in out.items() if key != keyword}
            if outer.keys() <= METADATA | {"$defs"}:
                return {**only.keywords, **outer}, node
    return out, node


def _only_null(schema: Schema, document: SchemaDocument, followed: int = 0) -> bool:
    if not isinstance(schema, SchemaNode) or followed > _MAX_FOLLOWED:
        return False
    node = schema.keywords
    if "enum" in node:
        return all(value is None for value in node["enum"])
    if "const" in node:
        return node["const"] is None
    if "type" in node:
        return bool(node["type"] in ("null", ["null"]))
    if "$ref" in node:
        return _only_null(document.target(node["$ref"], schema.path)[0], document, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return all(_only_null(branch, document, followed + 1) for branch in node[keyword])
    return False


def _note_absent_nulls(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Note the properties whose absence stands for null, and leave them out of `required`."""
    path, out = node.path, node.keywords
    own = node.form.names
    absent = [
        own.get(name, name)
        for name, schema in out["properties"].items()
        if isinstance(schema, Node) and schema.absent_null
    ]
    stated = node.before.keywords.get("required", ()) if node.before is not None else ()
    omitted = tuple(name for name in absent if name in stated)
    for name in absent:
        if name not in omitted:
            reason = (
                "is left out in place of null, so that a call with null cannot be distinguished from one "
                "without the property"
            )
            ledger.note(child(path, "properties"), name, "rewritten", "changed", reason)
    if not omitted:
        return node
    reason = f"leaves out {names_in_words(omitted)}, whose absence expresses null; decoding restores the null"
    ledger.note(path, "required", "rewritten", "kept elsewhere", reason)
    renames = node.place.walk.renames
    sent = {renames.get(name, name) for name in omitted}
    if "required" in out:
        out = {**out, "required": [name for name in out["required"] if name not in sent]}
    return node.sent(out, nulls=omitted)


COMPLETING = Pass(
    name="absent_nulls",
    apply=_note_absent_nulls,
    needed=lambda dialect: dialect.null == "absent",
    keywords=frozenset(("properties",)),
)
