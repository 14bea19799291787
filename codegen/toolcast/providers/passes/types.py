"""Gives every node one type: stated, or inferred from its other keywords; or the dialect's form of any value.

Axes: `typed`, `untyped`, `type-arrays`.

    {"properties": {"a": {"type": "string"}}}
    {"type": "object", "properties": {"a": {"type": "string"}}}

    {"type": ["string", "integer"], "maxLength": 3}
    {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}

A node that uses keywords of some types only is read as those types. A value of any type is a string of JSON
text (`untyped = "json"`), or a union of all types ("union", for dialects whose arrays and objects need state
nothing of their parts), or is a reason against the mode ("block").

    {}
    {"type": "string", "description": "JSON text of any value."}

JSON text is the smallest form that has room for every value: a union that states items and properties at each
level is ten times as long, and ends at some level. Models write JSON inside a string well, but escape every
quote of nested text, so only what has no schema is sent as text, and one text never contains another. A text
that holds no JSON stands for itself, so a model may write a plain string. Where another branch of a union
accepts a string too, the value is a union of all types, whose items are JSON text.

Ledger: `type` rewritten: kept elsewhere, or changed where a type is inferred that nothing states.
Sent and decoded: JSON text is parsed (`json` of the wire form). Source: the notes on `type` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import MOVED, distinct_types, inferred, split, types_stated
from ...jsonschema.schema_node import SchemaNode, Severity
from ...runtime.wire import WireForm
from ..ledger import IMPLIED_TYPE, Ledger
from ..node import NO_TYPE, PLAIN, TYPES, Keywords, Node, Pass
from ..overlaps import of_items
from ..profiles.dialect import Dialect
from ..values_as_text import as_json
from .without_unions import one_schema

_STRUCTURAL = frozenset(("anyOf", "$ref", "oneOf", "allOf"))
JSON = WireForm(encoding="json")
_ANY_AS_JSON = "JSON text of any value."
_SENT_AS = {"texts": "string", "json": "string", "pairs": "array"}


def typed(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Give a node without a type the one that its keywords imply."""
    keywords = node.keywords
    if "type" in keywords or not _STRUCTURAL.isdisjoint(keywords):
        return node
    kinds = inferred(keywords)
    if not kinds:
        return _untyped(node, dialect, ledger)
    if "enum" in keywords or "const" in keywords:
        reason = "is set to the types of the listed values, because the provider requires a type"
        ledger.note(node.path, "type", "rewritten", "kept elsewhere", reason)
    else:
        ledger.note(node.path, "type", "rewritten", "changed", IMPLIED_TYPE)
    return node.having({"type": kinds if len(kinds) > 1 else kinds[0], **keywords})


PASS = Pass(name="types", apply=typed, needed=lambda dialect: dialect.typed, types=frozenset((NO_TYPE,)))


def _untyped(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    if dialect.untyped == "block":
        ledger.block(node.path, "type", "cannot express a value of any type")
    if dialect.untyped in ("keep", "block"):
        return node
    if dialect.untyped == "json" and not node.taken("string"):
        return as_json(node, ledger)
    if dialect.null == "absent":  # a list of types would refuse null
        return node
    return _all_types(node, dialect, ledger)


_ANY_TYPE_RESTORED = "decoding restores what is sent as JSON text"


def _all_types(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """A node of all types, as a list. Where arrays and objects must state schemas of their parts, these are
    sent as JSON text; or are scalars, where another branch of a union may accept the text."""
    scalars = ["string", "number", "boolean", "null"]
    text = Node({"type": "string", "description": _ANY_AS_JSON}, node.path, node.place, form=JSON)
    scalar = SchemaNode({"type": scalars}, node.path)
    overlap = node.place.overlap
    parts: Keywords = {}
    if dialect.items_required:
        ambiguous = overlap is not None and "string" in of_items(overlap, node.document, dialect)
        parts["items"] = scalar if ambiguous else text
    if dialect.empty_objects == "json":
        parts["additionalProperties"] = scalar if node.taken("object") else text
    severity: Severity = "changed" if scalar in parts.values() else "kept elsewhere"
    reason = "is expressed by a union of all types, because the provider requires a type; " + (
        "parts of values are scalars only" if scalar in parts.values() else _ANY_TYPE_RESTORED
    )
    for keyword in ("type", *parts):
        ledger.note(node.path, keyword, "rewritten", severity, reason)
    return node.having({**node.keywords, "type": [*scalars, "object", "array"], **parts})


def single_type(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """A list of types as one type, for a dialect without unions; some keep a null next to it."""
    listed = node.keywords.get("type")
    if not isinstance(listed, list):
        return node
    kinds = [kind for kind in listed if kind != "null"]
    if len(listed) == 1:
        return node.having({**node.keywords, "type": listed[0]})
    if len(kinds) == 1 and dialect.type_arrays == "keep":
        return node
    if len(kinds) < 2 and dialect.type_arrays == "nullable":
        return _listed_types(node, dialect, ledger)
    return one_schema(node, dialect, ledger)


def _single_unless_literals(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express a list of types by one schema, unless literals will be sent as strings."""
    if "enum" in node.keywords and dialect.enums in ("alike", "strings"):
        return node
    return single_type(node, dialect, ledger)


def _single_for_tuples(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express the list of types of a tuple by one schema, before the tuple gets another form."""
    return single_type(node, dialect, ledger) if "prefixItems" in node.keywords else node


SINGLE_FIRST = Pass(
    name="single_type",
    apply=_single_unless_literals,
    needed=lambda dialect: dialect.any_of == "none",
    types=frozenset((TYPES,)),
)
SINGLE_TUPLES = Pass(
    name="single_type_of_tuples",
    apply=_single_for_tuples,
    needed=lambda dialect: dialect.any_of == "none",
    keywords=frozenset(("prefixItems",)),
)


def _listed_types(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """A list of types by `anyOf`; null by `nullable` if the dialect has it."""
    keywords = node.keywords
    kinds = types_stated(keywords)
    if len(kinds) == 1:
        return node.having({**keywords, "type": kinds[0]})
    if dialect.type_arrays == "any-of":
        reason = "is replaced by `anyOf`, because the provider allows no list of types"
        ledger.note(node.path, "type", "rewritten", "kept elsewhere", reason)
        return _split(node, list(dict.fromkeys(kinds)), ledger)
    rest = distinct_types([kind for kind in kinds if kind != "null"])
    reason = "is replaced by `nullable` and `anyOf`, because the provider allows no list of types"
    ledger.note(node.path, "type", "rewritten", "kept elsewhere", reason)
    out = dict(keywords)
    if not rest:
        out["type"] = "null"
        return node.having(out)
    if "null" in kinds:
        out["nullable"] = True
    if len(rest) == 1:
        out["type"] = rest[0]
        return node.having(out)
    return _split(node.having(out), rest, ledger)


def _listed(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express a list of types by `anyOf`, by `nullable` or by one schema."""
    if node.keywords.get("type").__class__ is not list:
        return node
    return (single_type if dialect.any_of == "none" else _listed_types)(node, dialect, ledger)


LISTED = Pass(
    name="type_arrays",
    apply=_listed,
    needed=lambda dialect: dialect.type_arrays != "keep" or dialect.any_of == "none",
    types=frozenset((TYPES,)),
)


def _split(node: Node, kinds: list[str], ledger: Ledger) -> Node:
    """One branch for each type; the wire form goes to the branch of its type."""
    keywords = node.keywords
    outer = {key: value for key, value in keywords.items() if key not in MOVED and key != "nullable"}
    branches = [
        {"type": "null"} if one["type"] == "null" else one for one in split(keywords, distinct_types(kinds))
    ]
    if "nullable" in keywords:
        outer["nullable"] = keywords["nullable"]
    sent = _SENT_AS.get(node.form.encoding, "object")
    if len(branches) == 1:
        for key in keywords:
            if key in MOVED and key not in branches[0]:
                reason = "is left out, because it does not apply to the only type"
                ledger.note(node.path, key, "dropped", "kept elsewhere", reason)
        form = node.form if branches[0]["type"] == sent else PLAIN
        return node.with_form({**branches[0], **outer}, form)
    for key in keywords:
        if key in MOVED and key != "type":
            reason = "is moved into the branches of the types to which it applies"
            ledger.note(node.path, key, "rewritten", "kept elsewhere", reason)
    made = [
        Node(one, node.path, node.place, form=node.form if one["type"] == sent else PLAIN) for one in branches
    ]
    return node.with_form({**outer, "anyOf": made}, PLAIN)
