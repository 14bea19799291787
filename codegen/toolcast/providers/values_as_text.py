"""Values encoded as strings: literals of other types, and any value as JSON text; and the keywords that
cannot be kept with an encoded value."""

from __future__ import annotations

from typing import Any

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import METADATA, TYPE_OF
from ..jsonschema.schema_node import Action, Path, SchemaNode, Severity, to_json
from .constraint_texts import MAX_WORDS, described, describes_default, idle, text
from .ledger import DEFAULT_STATED, IDLE, Ledger
from .node import Keywords, Node

_REFERENCE = '"$ref":'
_LITERALS = frozenset(("default", "examples", "example"))
_SENT_AS_JSON = (
    "applies to a value that is sent as a string of JSON text, because the provider cannot express its "
    "schema; decoding restores the value and checks it"
)


def texts(values: list[Any]) -> JsonObject:
    """Return a string for each literal, in order: itself if it is a non-empty string, else its JSON text."""
    own = {value for value in values if isinstance(value, str)}
    clash = {text(value) for value in values if not isinstance(value, str)} & own
    out: JsonObject = {}
    for value in values:
        as_is = isinstance(value, str) and value and value not in clash
        out.setdefault(value if as_is else text(value), value)
    return out


def as_json(node: Node, ledger: Ledger, *, keyword: str = "type") -> Node:
    """Return a schema as a string of JSON text, with a description; `keyword` is for the ledger."""
    keywords = node.keywords
    kept = {key: item for key, item in keywords.items() if key in METADATA or key == "nullable"}
    constraints = {key: item for key, item in keywords.items() if key not in kept and key != "$defs"}
    stated = to_json(SchemaNode(constraints, None))
    for key in [key for key in constraints if idle(key, stated[key])]:
        del constraints[key], stated[key]
        ledger.note(node.path, key, "dropped", "kept elsewhere", IDLE)
    words = "JSON text"
    if not stated:
        words += " of any value"
    elif stated == {"type": "object"}:
        words += " of an object"
    else:
        schema = _whole(node, stated)
        is_described = 0 < len(schema) <= MAX_WORDS
        words += f" of a value that matches this schema: {schema}" if is_described else ""
        if not is_described:
            ledger.note(node.path, keyword, "widened", "lost", _without_schema(schema))
    for key in (keyword, *constraints):
        ledger.note(node.path, key, "rewritten", "kept elsewhere", _SENT_AS_JSON)
    _note_branches(constraints, node.path, _SENT_AS_JSON, ledger)
    out = {"type": "string", **kept}
    return without_literals(node.noting(out, (f"{words}.",)), ledger).sent_as(encoding="json")


def _without_schema(schema: str) -> str:
    """Return the reason where the description does not have the schema of a value; `schema` is its JSON."""
    cause = "which is too long for the description" if schema else "which refers to other parts of the root"
    return f"is sent as JSON text without its schema, {cause}; decoding restores and checks the value"


def any_value(node: Node, ledger: Ledger, cause: str) -> Node:
    """Return a schema that accepts any value, described as it was; `cause` is a clause for the ledger."""
    constraints = {key: item for key, item in node.keywords.items() if key not in METADATA and key != "$defs"}
    schema = _whole(node, to_json(SchemaNode(constraints, None)))
    is_described = 0 < len(schema) <= MAX_WORDS
    action: Action = "described" if is_described else "dropped"
    severity: Severity = "kept elsewhere" if is_described else "lost"
    reason = f"is stated in the description, {cause}" if is_described else f"is left out, {cause}"
    for key in constraints:
        ledger.note(node.path, key, action, severity, reason)
    _note_branches(constraints, node.path, reason, ledger)
    sentences = (f"Must match this schema: {schema}.",) if is_described else ()
    left = {key: item for key, item in node.keywords.items() if key not in constraints}
    return node.noting(left, sentences)


def child_as_json(node: Node, child: SchemaNode, ledger: Ledger) -> Node:
    """Return a schema below a node as JSON text; the sentences about it are in its own description."""
    sent = as_json(node.branch(child), ledger)
    description = described(sent.keywords.get("description"), sent.notes)
    return sent.branch_sent({**sent.keywords, "description": description})


def _note_branches(keywords: Keywords, path: Path, reason: str, ledger: Ledger) -> None:
    """Note the same for branches that come from other paths."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in keywords.get(keyword, ()):
            if not isinstance(branch, SchemaNode):
                continue
            if branch.path is not None and (
                branch.path[0] is None or branch.path[0][0] != path or branch.path[0][1] != keyword
            ):
                for key in branch.keywords:  # in this order, which no hash decides
                    if key not in METADATA:
                        ledger.note(branch.path, key, "rewritten", "kept elsewhere", reason)
            _note_branches(branch.keywords, branch.path, reason, ledger)


def _whole(node: Node, schema: Keywords) -> str:
    """JSON of `schema` with the definitions that it refers to, self-contained; empty where it
    refers to the root, or anywhere else; too long ones need not be whole."""
    words = text(schema)
    if _REFERENCE not in words:
        return words
    definitions: Keywords = {}
    pending: list[object] = [schema]
    while pending and len(words) <= MAX_WORDS:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str):
                name = reference.removeprefix("#/$defs/")
                if name == reference or "/" in name:
                    return ""
                if name not in definitions:
                    definitions[name] = to_json(node.document.target(reference, node.path)[0])
                    pending.append(definitions[name])
                    words = text({**schema, "$defs": definitions})
            pending += each.values()
    return words


def without_literals(node: Node, ledger: Ledger) -> Node:
    """Describe defaults and examples, which do not have the wire form."""
    keywords = node.keywords
    if _LITERALS.isdisjoint(keywords):
        return node
    notes: tuple[str, ...] = ()
    for key in sorted(_LITERALS & keywords.keys()):
        if key == "default" and describes_default(keywords.get("description"), keywords[key]):
            ledger.note(node.path, key, "described", "kept elsewhere", DEFAULT_STATED)
            continue
        cause = "the value is sent in another form"
        notes += ledger.described(node.path, key, keywords[key], cause)
    return node.noting({key: item for key, item in keywords.items() if key not in _LITERALS}, notes)


def without_idle(keywords: Keywords, kind: str, path: Path, ledger: Ledger) -> Keywords:
    """Keywords of a schema that accepts nothing of type `kind`, without those that apply to it: they would
    apply to the form that is sent."""
    idle = [key for key in keywords if TYPE_OF.get(key) == kind]
    for key in idle:
        reason = f"is left out, because it applies to a value of type {kind}, and none is accepted here"
        ledger.note(path, key, "dropped", "kept elsewhere", reason)
    return {key: item for key, item in keywords.items() if key not in idle} if idle else keywords
