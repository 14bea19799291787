"""Replaces references by what they refer to.

Axes: `refs = "inline"`, `ref-siblings = false`, `cycles = "unroll"`, `recursion`.

    {"$ref": "#/$defs/Name", "description": "Whose."}
    {"type": "string", "description": "Whose."}

A reference inside its own target is opened as often as `recursion` says; below that, the value is free (or
JSON text, with `untyped = "json"`), and the description says what it is. Where references stay but cannot
have siblings, one with siblings is opened; a recursive one stands alone in an `anyOf`. An `allOf` of one
reference, which older drafts need to annotate it, is that reference.

Ledger: `$ref` inlined, kept elsewhere; `$ref` widened, lost, at the end of a recursion; `allOf` rewritten.
Sent and decoded: as the contract has it. Source: the notes on references of each profile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...jsonschema.keywords import METADATA
from ...jsonschema.merge import merged
from ...jsonschema.schema_document import container
from ...jsonschema.schema_node import Path, Schema, SchemaNode, Segments
from ..ledger import CHECKED, ONLY_BRANCH, Ledger, child
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from ..values_as_text import as_json

_NO_REFERENCES = "is replaced by its target, because the provider cannot resolve references"
_NO_RECURSION = "is replaced by its target, because the provider cannot express recursion"
_NO_SIBLINGS = "is replaced by its target, because the provider allows no keywords beside `$ref`"
_NO_TARGET = "is left out, because the reference beside it accepts no value"
INLINE_NODES = 5_000
"""With this many nodes in the output, references are widened instead of inlined."""
_INLINE_DEPTH = 64
"""At this depth of the output, references are widened instead of inlined."""


def _opens(dialect: Dialect) -> bool:
    return dialect.refs == "inline" or not dialect.ref_siblings or dialect.cycles == "unroll"


def _replace_references(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Replace the reference of a node, and those of its targets, where the dialect cannot have them."""
    if dialect.all_of == "merge":
        node = _unwrapped(node, ledger)
    if "$ref" not in node.keywords or not _opens(dialect):
        return node
    document, keywords, here = node.document, node.keywords, list[Segments]()
    while "$ref" in keywords:
        found, segments = document.target(keywords["$ref"], node.path)
        inline = dialect.refs == "inline" or (dialect.cycles == "unroll" and closes_circle(node, segments))
        # Notes become a description, which is a sibling too.
        if not inline and (dialect.ref_siblings or (len(keywords) == 1 and not node.notes)):
            break
        siblings = {key: value for key, value in keywords.items() if key not in ("$ref", "$defs")}
        count = node.place.opened.count(segments) + here.count(segments)
        if not inline:
            if count or not segments:
                return _entered(_alone(node, keywords["$ref"], siblings, ledger), here)
            if not siblings and not node.notes:
                keywords = {"$ref": keywords["$ref"]}
                break
        elif (
            count + (dialect.refs == "keep" and segments == node.place.definition) > dialect.recursion
            or ledger.schemas > INLINE_NODES
            or ledger.depth > _INLINE_DEPTH
            or segments in here
        ):
            return _entered(_widened(node, siblings, segments, dialect, ledger), here)
        reason = _NO_REFERENCES if dialect.refs == "inline" else _NO_RECURSION if inline else _NO_SIBLINGS
        ledger.note(node.path, "$ref", "inlined", "kept elsewhere", reason)
        here.append(segments)
        keywords = merge_target(siblings, found, node.path, ledger)
        note_dropped(siblings, keywords, node.path, ledger)
    return _entered(node.having(keywords), here)


PASS = Pass(
    name="references",
    apply=_replace_references,
    needed=lambda dialect: _opens(dialect) or dialect.all_of == "merge",
    keywords=frozenset(("$ref", "allOf")),
)


def _entered(node: Node, segments: list[Segments]) -> Node:
    return replace(node, entered=(*node.entered, *segments)) if segments else node


def _unwrapped(node: Node, ledger: Ledger) -> Node:
    branches = node.keywords.get("allOf", ())
    if len(branches) != 1 or "$ref" in node.keywords or not isinstance(branches[0], SchemaNode):
        return node
    rest = {key: value for key, value in node.keywords.items() if key != "allOf"}
    if branches[0].keywords.keys() != {"$ref"} or not rest.keys() <= METADATA | {"$defs"}:
        return node
    ledger.note(node.path, "allOf", "rewritten", "kept elsewhere", ONLY_BRANCH)
    return node.having({**branches[0].keywords, **rest})


def closes_circle(node: Node, segments: Segments) -> bool:
    """Tell whether a reference to `segments`, from a node, leads back to where the node is."""
    document = node.document
    start = container(segments)
    if not start and segments:  # a schema inside the root: it may not lead back
        return document.leads_back(segments)
    here = {container(node.place.definition), *map(container, node.place.opened)}
    return not here.isdisjoint(document.reach(start))


def _alone(node: Node, reference: str, siblings: Keywords, ledger: Ledger) -> Node:
    """A recursive reference in an `anyOf`, because the dialect allows it no siblings."""
    reason = "is moved into an `anyOf` of one branch, because the provider allows no keywords beside `$ref`"
    ledger.note(node.path, "$ref", "rewritten", "kept elsewhere", reason)
    if not siblings.keys() <= METADATA:
        ledger.block(node.path, "$ref", "cannot express constraints beside a recursive reference")
    return node.having({"anyOf": [SchemaNode({"$ref": reference}, child(node.path, "anyOf", 0))], **siblings})


def _widened(node: Node, siblings: Keywords, segments: Segments, dialect: Dialect, ledger: Ledger) -> Node:
    """A recursive reference at the limit: only the type of its target is kept."""
    found = node.document.resolve(segments)
    target = found.keywords if isinstance(found, SchemaNode) else {}
    out: Keywords = {}
    if "type" in target:
        out["type"] = target["type"]
    elif "properties" in target and dialect.typed:
        out["type"] = "object"
    if "description" in target:
        out["description"] = target["description"]
    out.update((key, value) for key, value in siblings.items() if key in METADATA)
    name = segments[-1] if segments else "the whole input"
    sentence = f"Same structure as {name}, nested further."
    if dialect.untyped == "json" and not node.taken("string"):
        annotations = {key: value for key, value in out.items() if key in METADATA}
        return as_json(node.noting(annotations, (sentence,)), ledger, keyword="$ref")
    times = "once" if dialect.recursion == 1 else f"{dialect.recursion} times"
    limit = f"recursion is expanded {times} only"
    if ledger.schemas > INLINE_NODES:
        limit = f"at most {INLINE_NODES} schemas are sent with their references replaced"
    elif ledger.depth > _INLINE_DEPTH:
        limit = f"at most {_INLINE_DEPTH} levels are sent with their references replaced"
    reason = f"is replaced by the type of its target, because {limit}{CHECKED}"
    ledger.note(node.path, "$ref", "widened", "lost", reason)
    return node.noting(out, (sentence,))


def merge_target(siblings: Keywords, found: Schema, path: Path, ledger: Ledger) -> Keywords:
    """The siblings of a reference, at `path`, merged with its target; annotations of siblings win."""
    if found is True:
        return siblings
    if not isinstance(found, SchemaNode):
        for key in siblings:
            ledger.note(path, key, "dropped", "kept elsewhere", _NO_TARGET)
        return {"not": SchemaNode({}, child(path, "not"))}
    target = found.keywords
    if "$defs" in target:
        target = {key: value for key, value in target.items() if key != "$defs"}
    if siblings.keys() <= METADATA:
        return {**target, **siblings}
    together = None if "$ref" in target else merged(siblings, target)
    if together is not None:
        return together
    return {**siblings, "allOf": [SchemaNode(target, found.path), *siblings.get("allOf", ())]}


def resolved_branch(node: Node, branch: Schema, ledger: Ledger) -> tuple[Schema | None, tuple[Segments, ...]]:
    """A branch without references, so that it can be merged, and the references that were resolved for it;
    `None` if its target is being resolved already."""
    visited: list[Segments] = []
    while isinstance(branch, SchemaNode) and "$ref" in branch.keywords:
        found, segments = node.document.target(branch.keywords["$ref"], branch.path)
        if segments in node.place.opened or segments in visited or not segments:
            return None, ()
        if branch.path is not None and not is_child(branch.path, node.path):  # no entry covers it
            reason = "is replaced by its target, so that the branch can be merged with others"
            ledger.note(branch.path, "$ref", "inlined", "kept elsewhere", reason)
        visited.append(segments)
        siblings = {key: value for key, value in branch.keywords.items() if key not in ("$ref", "$defs")}
        path = found.path if isinstance(found, SchemaNode) else branch.path
        branch = SchemaNode(merge_target(siblings, found, branch.path, ledger), path)
    return branch, tuple(visited)


def is_child(path: Path, parent: Path) -> bool:
    """Return whether a branch was written in a combinator of the schema at `parent`."""
    return path is not None and path[0] is not None and path[0][0] == parent


def note_dropped(before: Keywords, after: Keywords, path: Path, ledger: Ledger) -> None:
    """Note the properties that a merge removed, because the other schema forbids their keys."""
    if "additionalProperties" in before:
        _note_dropped_additional(
            before["additionalProperties"], after.get("additionalProperties"), path, ledger
        )
    for key in ("items", "additionalProperties"):
        if key in before and key in after:
            _note_dropped_inside(before[key], after[key], ledger)
    left = after.get("properties", {})
    for name, schema in before.get("properties", {}).items():
        if name not in left or (left[name] is False and schema is not False):
            reason = "is left out, because another part of the schema forbids this property"
            ledger.note(child(path, "properties"), name, "dropped", "kept elsewhere", reason)
        else:
            _note_dropped_inside(schema, left[name], ledger)


def _note_dropped_additional(before: Schema, after: object, path: Path, ledger: Ledger) -> None:
    """Note a schema for additional keys that the merged schema lacks, or replaces by `false`."""
    key = "additionalProperties"
    if isinstance(before, SchemaNode) and after is False:
        reason = "is left out, because another part of the schema forbids undeclared properties"
        ledger.note(path, key, "dropped", "kept elsewhere", reason)
    elif after is None and before is not False and (before is True or not before.keywords):
        reason = "is left out, because undeclared properties are accepted without it"
        ledger.note(path, key, "dropped", "kept elsewhere", reason)
    elif after is None:
        reason = "accepts any undeclared property, because the branches differ in what they accept" + CHECKED
        ledger.note(path, key, "widened", "lost", reason)


def _note_dropped_inside(before: Schema, after: Schema, ledger: Ledger) -> None:
    """The same for a subschema, and the one that a merge made of it."""
    if before is after or not isinstance(before, SchemaNode) or not isinstance(after, SchemaNode):
        return
    keyword = next(iter(after.keywords)) if len(after.keywords) == 1 else ""
    for part in after.keywords[keyword] if keyword in ("allOf", "anyOf") else (after,):
        made = isinstance(part, SchemaNode) and part is not before and part.path is before.path
        if part is after or made:
            note_dropped(before.keywords, part.keywords, before.path, ledger)
