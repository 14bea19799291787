"""Keeps, drops or describes each keyword that holds no schema, as the dialect says.

Axes: `keep`, `describe`, `drop`, `block`, `other`; `formats`, `patterns`, `integers-only`, `at-most`,
`pattern-alone`; `property-names` for lists of names.

    {"type": "string", "minLength": 2}
    {"type": "string", "description": "Must have at least 2 characters."}

Ledger: the keyword dropped, lost; or described, kept elsewhere; or dropped, kept elsewhere, where it
constrains nothing. Sent and decoded: as the contract has it; a renamed property by `names` of the wire form.
Source: the list of keywords of each profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...jsonschema.json_types import ATOMS, copied, names_type
from ...jsonschema.keywords import DIALECT, TYPE_OF
from ...jsonschema.schema_node import Schema, SchemaNode, Segments, subnodes, to_json
from ...jsonschema.upgrade import outdated
from ...runtime.mcp_headers import KEYWORD as MCP_HEADER
from ..constraint_texts import describes_default, idle
from ..ledger import CHECKED, DEFAULT_STATED, IDLE, UNEVALUATED, Ledger, checked
from ..node import Node, Pass
from ..profiles.dialect import Dialect, Disposition, disposition, supported_pattern
from .names import holds_names

ABSENT: object = object()
"""The value of a keyword that is left out."""
Result = tuple[Any, tuple[str, ...]]
"""The value of a keyword in the output, and sentences for the description."""
Operation = Callable[[Node, str, Dialect, Ledger], Result]
"""The treatment of one keyword of a node."""
LENGTHS = frozenset(("minLength", "maxLength"))
_ITEMS = frozenset(("items", "prefixItems", "contains", "unevaluatedItems"))
_SAME_VALUE = frozenset(("allOf", "anyOf", "oneOf", "if", "then", "else"))
_LEFT_OUT: Result = (ABSENT, ())


def describe(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Leave a keyword out; its constraint is described where there is a sentence for it."""
    value = to_json(node.keywords[key])
    if key == "default" and describes_default(node.keywords.get("description"), value):
        ledger.note(node.path, key, "described", "kept elsewhere", DEFAULT_STATED)
        return _LEFT_OUT
    return ABSENT, described_keyword(node, key, value, ledger, _cause(key, dialect))


def described_keyword(node: Node, key: str, value: object, ledger: Ledger, cause: str) -> tuple[str, ...]:
    """The sentence for a keyword that is left out, with an entry. `cause`: why, as a clause."""
    if idle(key, value):
        ledger.note(node.path, key, "dropped", "kept elsewhere", IDLE)
        return ()
    return ledger.described(node.path, key, value, cause)


def _cause(key: str, dialect: Dialect) -> str:
    """Return why a dialect does not have a keyword, as a clause."""
    if (key == "format" and dialect.formats) or (key == "pattern" and disposition(dialect, key) == "keep"):
        return f"the provider does not support this {key}"
    return "the provider lacks the keyword"


def drop(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Leave a keyword out; only the ledger has it."""
    reason = f"is left out, because {_cause(key, dialect)}{checked(key, node.keywords[key])}"
    ledger.note(node.path, key, "dropped", "lost", reason)
    return _LEFT_OUT


def omit(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Leave out a keyword that constrains nothing, and costs tokens in every request."""
    header = "only HTTP clients of MCP 2026-07-28 read it"
    why = header if key == MCP_HEADER else "it constrains nothing and costs tokens in every request"
    reason = f"is left out, because {why}"
    ledger.note(node.path, key, "dropped", "kept elsewhere", reason)
    return _LEFT_OUT


def block(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Leave a keyword out, which is a reason against the mode."""
    ledger.block(node.path, key, "lacks the keyword")
    return _LEFT_OUT


def draft(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """The name of a draft; an older one is replaced by the newest."""
    if not outdated(node.keywords[key]):
        return node.keywords[key], ()
    reason = "is replaced by draft 2020-12, to which the schema is upgraded"
    ledger.note(node.path, key, "rewritten", "kept elsewhere", reason)
    return DIALECT, ()


def inlined(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Definitions of a dialect that has none."""
    reason = "is left out, because every reference is replaced by its target"
    ledger.note(node.path, key, "inlined", "kept elsewhere", reason)
    return _LEFT_OUT


def renamed_literals(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Literals, unless they have a property that is sent under another name."""
    if holds_names(node.place.walk.renames, node.keywords[key]):
        cause = "a property in its values is sent under another name"
        return ABSENT, described_keyword(node, key, node.keywords[key], ledger, cause)
    return copied(node.keywords[key]), ()


def format(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """A format, if the dialect knows it."""
    value = node.keywords[key]
    if dialect.formats is None or value in dialect.formats:
        return value, ()
    operation = BY_DISPOSITION[dialect.other_formats]
    return (value, ()) if operation is None else operation(node, key, dialect, ledger)


def pattern(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """A pattern, if the provider gives it the same meaning."""
    if supported_pattern(dialect, node.keywords[key]):
        return node.keywords[key], ()
    return describe(node, key, dialect, ledger)


def guarded(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """A keyword that the dialect knows under some conditions only."""
    value = node.keywords[key]
    most = next(
        (most for one, most in dialect.at_most if key == one and _number(value) and value > most), None
    )
    cause = ""
    if key in dialect.integers_only and not _integer(node):
        cause = "the provider supports the keyword for integers only"
    elif most is not None:
        cause = f"the provider supports no value above {most:.15g}"
    elif dialect.pattern_alone and key in LENGTHS and _shaped(node, dialect):
        cause = "the provider does not support it beside a pattern or a format"
    if cause:
        return ABSENT, described_keyword(node, key, value, ledger, cause)
    return (value if value.__class__ in ATOMS else copied(value)), ()


BY_DISPOSITION: dict[Disposition, Operation | None] = {
    "keep": None,
    "drop": drop,
    "describe": describe,
    "block": block,
}


def _integer(node: SchemaNode) -> bool:
    kinds = node.keywords.get("type")
    return kinds == "integer" or (isinstance(kinds, list) and set(kinds) - {"null"} == {"integer"})


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shaped(node: SchemaNode, dialect: Dialect) -> bool:
    """Tell whether a pattern or a format of this node is kept."""
    keywords = node.keywords
    shaped = "pattern" in keywords and disposition(dialect, "pattern") == "keep"
    if shaped and supported_pattern(dialect, keywords["pattern"]):
        return True
    if "format" not in keywords or disposition(dialect, "format") != "keep":
        return False
    if dialect.formats is None or keywords["format"] in dialect.formats:
        return True
    return dialect.other == "keep" and dialect.other_formats == "keep"


def _allow_undeclared(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Allow undeclared keys where a pattern of keys was dropped."""
    before = node.before.keywords.get("patternProperties", ()) if node.before is not None else ()
    if len(node.keywords.get("patternProperties", ())) >= len(before):
        return node
    out = dict(node.keywords)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        value: Schema = out.get(keyword, True)
        if value is not True and (value is False or value.keywords):
            out[keyword] = True
            reason = "is replaced by true, because a pattern of `patternProperties` is left out" + CHECKED
            ledger.note(node.path, keyword, "widened", "lost", reason)
    return node.having(out)


PATTERNS = Pass(
    name="dropped_patterns",
    apply=_allow_undeclared,
    keywords=frozenset(("additionalProperties", "unevaluatedProperties")),
)


def _depends_on_others(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Drop what depends on keywords that were changed, or note it."""
    out = node.keywords
    if dialect.optional != "keep" and out.get("uniqueItems") and _may_leave_out(node, dialect):
        reason = (
            "compares items in which null may express the absence of a property; decoding restores the "
            "absence and compares again"
        )
        ledger.note(node.path, "uniqueItems", "widened", "changed", reason)
    for key in ("unevaluatedProperties", "unevaluatedItems"):
        if key in out and (ledger.evaluation != node.start or changed_behind(node, node.before, ledger)):
            out = {other: value for other, value in out.items() if other != key}
            ledger.note(node.path, key, "dropped", "lost", UNEVALUATED)
    return node.having(out)


def _may_leave_out(node: Node, dialect: Dialect) -> bool:
    """Tell whether a property may be missing in the items of a node, by its contract or as it is sent."""
    pending: list[tuple[Schema, bool]] = [] if node.before is None else [(node.before, False)]
    visited: set[tuple[Segments, bool]] = set()
    while pending:
        schema, in_item = pending.pop()
        if not isinstance(schema, SchemaNode):
            continue
        if in_item and _has_optional(schema, dialect):
            return True
        for (keyword, *_), below in subnodes(schema):
            if in_item or keyword in _ITEMS or keyword in _SAME_VALUE:
                pending.append((below, in_item or keyword in _ITEMS))
        if "$ref" in schema.keywords:
            target, segments = node.document.target(schema.keywords["$ref"], schema.path)
            if (segments, in_item) not in visited:
                visited.add((segments, in_item))
                pending.append((target, in_item))
    return False


def _has_optional(schema: SchemaNode, dialect: Dialect) -> bool:
    """Tell whether a schema, or the form it is sent in, has a property that may be left out."""
    keywords = schema.keywords
    if "prefixItems" in keywords and dialect.tuples == "object":
        return True
    if not names_type(schema, "object") and ("type" in keywords or not _merges_types(dialect)):
        return False
    if dialect.maps == "pairs":
        return any(TYPE_OF.get(key) == "object" for key in keywords) or "type" in keywords
    required = keywords.get("required", ())
    return any(name not in required for name in keywords.get("properties", ()))


def _merges_types(dialect: Dialect) -> bool:
    """Tell whether a node without a type may be given one."""
    merges = (dialect.all_of, dialect.any_of, dialect.refs)
    return dialect.typed or any(axis != "keep" for axis in merges)


def _needed(dialect: Dialect) -> bool:
    kept = ("unevaluatedProperties", "unevaluatedItems")
    return dialect.optional != "keep" or any(disposition(dialect, key) == "keep" for key in kept)


DEPENDENT = Pass(
    name="unevaluated",
    apply=_depends_on_others,
    needed=_needed,
    keywords=frozenset(("uniqueItems", "unevaluatedProperties", "unevaluatedItems")),
)


def changed_behind(node: Node, schema: object, ledger: Ledger) -> bool:
    """Tell whether a definition that `schema` refers to was changed in meaning by an earlier walk. The ledger
    notes the question, so that another walk is made where the answer changes.
    """
    if not isinstance(schema, SchemaNode):
        return False
    ledger.compared.append(schema)
    return node.document.reaches(schema, node.place.walk.changed)
