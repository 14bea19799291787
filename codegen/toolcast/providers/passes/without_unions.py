"""Expresses a union, or a list of types, by one schema.

Axis: `any-of = "none"`.

    {"anyOf": [{"const": "a"}, {"type": "string", "enum": ["b", "c"]}]}
    {"type": "string", "enum": ["a", "b", "c"]}

In this order: a branch that is left alone stands for itself; branches of one type become one schema, wider
where they differ, with the difference in words; anything else is sent as JSON text.

Ledger: `anyOf` (or `type`) and its siblings rewritten, kept elsewhere; described or dropped for what is
wider. Sent and decoded: a string of JSON text is parsed (`json` of the wire form); else as the contract
has it. Source: the notes on unions of each profile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.json_types import (
    MOVED,
    accepted_types,
    distinct_types,
    inferred,
    split,
    types_of,
    types_stated,
)
from ...jsonschema.json_values import has_type, type_of
from ...jsonschema.keywords import METADATA
from ...jsonschema.merge import equal_schemas, in_words, union, widest
from ...jsonschema.schema_node import Path, Schema, SchemaNode, to_json
from ..constraint_texts import described, text
from ..ledger import CHECKED, IMPLIED_TYPE, NO_VALUE, Ledger
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from ..values_as_text import as_json, child_as_json
from .all_of import describe_or_drop, merge_all_of
from .null_as_absence import states_null
from .references import is_child, resolved_branch
from .unions import MAX_BRANCHES, one_of_as_any_of, siblings_into_branches

LITERAL = frozenset(("enum", "const"))
_NO_UNIONS = "the provider lacks unions"
_ONLY_NULL = "is replaced by the type null, because no other branch accepts a value"
_MAX_INLINED = 1024
"""Branches that are examined for one union: thirty definitions can expand to a billion of them."""


def one_schema(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express a node's union, or its list of types, by one schema. The siblings of `anyOf` are in its
    branches already."""
    path, keywords = node.path, node.keywords
    keyword = "anyOf" if "anyOf" in keywords else "type"
    outer = {key: value for key, value in keywords.items() if key not in MOVED and key != "anyOf"}
    raw: list[Schema] = (
        keywords["anyOf"]
        if keyword == "anyOf"
        else [SchemaNode(one, path) for one in split(keywords, types_stated(keywords))]
    )
    flat = _Flattening(node, dialect, ledger)
    branches = flat.branches(raw)
    node = replace(node, entered=flat.node.entered)
    if branches is None:
        return as_json(node, ledger, keyword=keyword)
    nullable = dialect.type_arrays in ("keep", "nullable")
    rest = [one for one in branches if one.keywords.get("type") != "null"] if nullable else branches
    if not branches:
        for key in keywords:
            if key in MOVED or key == "anyOf":
                ledger.note(path, key, "widened", "changed", NO_VALUE)
        return node.having(outer)
    if not rest:
        ledger.note(path, keyword, "rewritten", "kept elsewhere", _ONLY_NULL)
        return node.having({**outer, "type": "null"})
    result = _together(node, rest, raw, keyword, dialect, ledger)
    if result is None:
        return as_json(node, ledger, keyword=keyword)
    left = result.keywords if len(rest) == len(branches) else _with_null(result.keywords, dialect)
    for key in keywords:
        if key in MOVED or key == "anyOf":
            reason = "is merged into one schema of all branches, because the provider lacks unions" + CHECKED
            ledger.note(path, key, "rewritten", "kept elsewhere", reason)
    return replace(result, keywords={**left, **outer})


def _without_union(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express a union by one schema."""
    return one_schema(node, dialect, ledger) if "anyOf" in node.keywords else node


PASS = Pass(
    name="without_unions",
    apply=_without_union,
    needed=lambda dialect: dialect.any_of == "none",
    keywords=frozenset(("anyOf",)),
)


def _limit_branches(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Merge the branches of one type where an `anyOf` has more than the dialect allows."""
    raw: list[Schema] = node.keywords.get("anyOf", [])
    most = dialect.max_branches or len(raw)
    if len(raw) <= most:
        return node
    path = node.path
    reason = (
        f"has the branches of one type merged, because the provider allows at most {most} branches{CHECKED}"
    )
    ledger.note(path, "anyOf", "widened", "changed", reason)
    flattening = _Flattening(node, dialect, ledger)
    flat = flattening.branches(raw)
    node = replace(node, entered=flattening.node.entered)
    groups: dict[str, list[SchemaNode]] = {}
    for branch in flat or ():
        kind = "number" if branch.keywords["type"] == "integer" else str(branch.keywords["type"])
        groups.setdefault(kind, []).append(branch)
    if flat is None:
        groups = {kind: [] for kind in sorted(types_of(raw, node.document, dialect.typed))}
    branches: list[SchemaNode] = []
    for kind, group in groups.items():
        empty = replace(node, notes=())
        one = _together(empty, group, list(group), "anyOf", dialect, ledger) if group else None
        if one is None:
            branches.append(SchemaNode({"type": kind}, path))
            continue
        left = {"type": kind} if isinstance(one.keywords.get("type"), list) else one.keywords
        if one.notes:
            left = {**left, "description": described(left.get("description"), one.notes)}
        branches.append(one.branch_sent(left))
    outer = {key: value for key, value in node.keywords.items() if key != "anyOf"}
    if len(branches) > 1:
        return node.having({**outer, "anyOf": branches})
    return node.replaced_by(branches[0], {**branches[0].keywords, **outer})


LIMIT = Pass(
    name="max_branches",
    apply=_limit_branches,
    needed=lambda dialect: dialect.max_branches is not None,
    keywords=frozenset(("anyOf",)),
)


def _with_null(keywords: Keywords, dialect: Dialect) -> Keywords:
    if dialect.type_arrays == "nullable":
        return {**keywords, "nullable": True}
    kinds = keywords["type"] if isinstance(keywords["type"], list) else [keywords["type"]]
    out = {**keywords, "type": list(dict.fromkeys([*kinds, "null"]))}
    if isinstance(out.get("enum"), list) and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out


class _Flattening:
    """Expands a union to branches of one type each. It ends when too many were examined."""

    def __init__(self, node: Node, dialect: Dialect, ledger: Ledger) -> None:
        self.node = node
        self._dialect = dialect
        self._ledger = ledger
        self._depth = self._count = 0

    def branches(self, raw: list[Schema]) -> list[SchemaNode] | None:
        """Branches of one type each, nested unions expanded; `None` where the type of one is unknown, or
        where there are too many."""
        out: list[SchemaNode] = []
        for each in raw:
            if each is False:
                continue
            branch, resolved = resolved_branch(self.node, each, self._ledger)
            self.node = replace(self.node, entered=self.node.entered + resolved)
            self._count += 1
            if not isinstance(branch, SchemaNode) or not isinstance(each, SchemaNode):
                return None
            if self._depth > MAX_BRANCHES or self._count > _MAX_INLINED:
                return None
            more = self._kinds(branch, each.path)
            if more is None or len(out) + len(more) > MAX_BRANCHES:
                return None
            if not more and not is_child(each.path, self.node.path):
                for key in each.keywords:
                    reason = "is left out, because its branch accepts no value"
                    self._ledger.note(each.path, key, "dropped", "kept elsewhere", reason)
            out += [one for one in more if not any(equal_schemas(one, other) for other in out)]
        return out

    def _kinds(self, branch: SchemaNode, path: Path) -> list[SchemaNode] | None:
        """One branch as branches of one type each."""
        dialect, ledger = self._dialect, self._ledger
        node = self.node.branch(SchemaNode(branch.keywords, path))
        node = one_of_as_any_of(node, dialect, ledger)
        if "allOf" in node.keywords:
            node = merge_all_of(node, dialect, ledger, blocking=False)
            if not {"oneOf", "$ref", "allOf"}.isdisjoint(node.keywords):
                return self._deeper([SchemaNode(node.keywords, path)])
        if "anyOf" in node.keywords:
            node = siblings_into_branches(node, dialect, ledger)
        self.node = replace(self.node, entered=node.entered)
        left = {key: value for key, value in node.keywords.items() if key != "$defs"}
        if node.notes:
            left["description"] = described(left.get("description"), node.notes)
        if "anyOf" in left:
            inner = self._deeper(left["anyOf"])
            kept = {key: value for key, value in left.items() if key in METADATA}
            return None if inner is None else [SchemaNode({**kept, **one.keywords}, path) for one in inner]
        if "type" in left:
            kinds = types_stated(left)
        elif LITERAL.isdisjoint(left) and not dialect.typed:
            return None
        else:
            kinds = inferred(left)
            if LITERAL.isdisjoint(left) and kinds:
                ledger.note(path, "type", "rewritten", "changed", IMPLIED_TYPE)
        kinds = distinct_types(kinds)
        if not kinds:
            return None
        if len(kinds) == 1:
            return [SchemaNode({**left, "type": kinds[0]}, path)] if _possible(left, kinds[0]) else []
        kept = {key: value for key, value in left.items() if key not in MOVED}
        parts = [part for part in split(left, kinds) if "const" not in left or _possible(left, part["type"])]
        return [SchemaNode({**part, **kept}, path) for part in parts]

    def _deeper(self, raw: list[Schema]) -> list[SchemaNode] | None:
        self._depth += 1
        found = self.branches(raw)
        self._depth -= 1
        return found


def _possible(branch: Keywords, kind: str) -> bool:
    """Tell whether the literals of a branch leave anything of its type."""
    if "const" in branch:
        return has_type(branch["const"], [kind])
    return "enum" not in branch or any(has_type(value, [kind]) for value in branch["enum"])


def _together(
    node: Node, rest: list[SchemaNode], raw: list[Schema], keyword: str, dialect: Dialect, ledger: Ledger
) -> Node | None:
    """Branches without null as one node; `None` if they have several types."""
    if len(rest) == 1:
        return node.replaced_by(rest[0], rest[0].keywords)
    branches = [one.keywords for one in rest]
    encodes = dialect.enums in ("alike", "strings")
    if encodes and all(not LITERAL.isdisjoint(one) for one in branches):
        out, exact = widest(branches, "string", node.path)
        kinds = distinct_types([type_of(value) for value in out["enum"]])
        out["type"] = kinds if len(kinds) > 1 else kinds[0]
        return node.having(out) if exact else _describing(node, rest, out, keyword, ledger)
    kinds = distinct_types([one["type"] for one in branches])
    if len(kinds) > 1:
        return None
    if kinds == ["object"]:
        notes = describe_or_drop(node.path, keyword, in_words("anyOf", raw, branches), ledger, _NO_UNIONS)
        note_shared(branches, node.path, ledger)
        made = union(branches, {}, frozenset())
        return united_object(node.noting(node.keywords, notes), branches, made, dialect, ledger)
    if any("prefixItems" in one for one in branches):
        return None
    out, exact = widest(branches, kinds[0], node.path)
    return node.having(out) if exact else _describing(node, rest, out, keyword, ledger)


def _describing(node: Node, rest: list[SchemaNode], out: Keywords, keyword: str, ledger: Ledger) -> Node:
    words = f"Must match one of: {text(to_json(list(rest)))}."
    return node.noting(out, describe_or_drop(node.path, keyword, words, ledger, _NO_UNIONS))


def note_shared(objects: list[Keywords], path: Path, ledger: Ledger) -> None:
    """Note the properties of branches that others leave open: one schema for all constrains those too."""
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            undeclared_in_some = any(
                {"additionalProperties", "patternProperties"}.isdisjoint(other)
                and name not in other.get("properties", {})
                for other in objects
            )
            keywords = schema.keywords if isinstance(schema, SchemaNode) else {}
            keyword = next((key for key in keywords if key in MOVED or key == "anyOf"), "")
            if undeclared_in_some and keyword:
                reason = (
                    "applies to all branches, although some do not declare the property; other values "
                    "that those accept cannot be sent"
                )
                ledger.note(schema.path, keyword, "rewritten", "changed", reason)


def united_object(
    node: Node, objects: list[Keywords], out: Keywords, dialect: Dialect, ledger: Ledger
) -> Node:
    """`node` with the keywords `out`, which were made of alternatives that are `objects`.

    Where one of them requires what may be null and another does not, leaving it out could mean either: the
    value becomes JSON text, in which null can stand. Where what is optional takes null only because a mode
    demands every key, that null means absence.
    """
    document = node.document
    if dialect.optional == "nullable":
        required = out.get("required", ())
        names = tuple(
            name
            for name, schema in out.get("properties", {}).items()
            if name not in required and "null" not in accepted_types(schema, document, dialect.typed)
        )
        return node.sent(out, drops=names) if names else node.having(out)
    if dialect.null != "absent":
        return node.having(out)
    properties = dict(out.get("properties", {}))
    for name, schema in properties.items():
        if name in out.get("required", ()) or not any(name in o.get("required", ()) for o in objects):
            continue
        if states_null(schema, document):
            properties[name] = child_as_json(node, schema, ledger)
    return node.having({**out, "properties": properties} if properties else out)
