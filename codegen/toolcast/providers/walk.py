"""The walk over a document: applies the passes of a dialect to each node, and goes on to the schemas
below."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar
from urllib.parse import unquote

from msgspec.structs import replace

from ..jsonschema.json_types import ATOMS, accepted_types, copied, names_type
from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import escape, unescape
from ..jsonschema.schema_node import (
    Path,
    Schema,
    SchemaError,
    SchemaNode,
    Segments,
    descendants,
    is_free,
    pointer,
    to_json,
)
from . import overlaps
from .dialect_plan import GUARDED, DialectPlan, walked
from .ledger import CHECKED, FORBIDDEN_PROPERTY, Ledger, child
from .node import PLAIN, Keywords, Node, Walk, WalkPlace
from .passes.keywords import ABSENT, changed_behind, described_keyword
from .passes.names import accepts_alike, misjudges, names_sent
from .passes.references import closes_circle
from .passes.unions import note_free_union
from .profiles.dialect import Dialect, disposition, supported_pattern

_MAX_DEPTH = 96
"""Deepest nesting of subschemas; beyond it a schema is refused, so hostile input cannot exhaust the stack."""
_MAX_NODES = 50_000
"""Most nodes in one output; references inlined into each other could otherwise multiply without end."""
_MAX_STEPS = 64
"""How often the passes for combinators are applied to one node."""
_DOWN = frozenset(
    ("items", "prefixItems", "properties", "patternProperties", "additionalProperties", "contains")
)
"""Keywords whose schemas apply to parts of a value; others apply to the same value."""
_CONDITIONAL = ("then", "else")
_COUNTING = ("minContains", "maxContains")
_UNUSED = "is left out, because no reference leads to it"


class Walker:
    """One walk over one document under one dialect."""

    def __init__(self, plan: DialectPlan, walk: Walk, ledger: Ledger) -> None:
        self.plan = plan
        self.walk = walk
        self.ledger = ledger
        self.deepest = 0
        self.encoded = False  # whether the value of some node is sent in another form
        self.names: dict[Segments, str] = {}  # of definitions in the output
        self.pending: list[Segments] = []  # referred to, not yet walked
        self.lost: set[Segments] = set()  # definitions whose meaning was changed

    def output(self) -> Node:
        """Walk the document. Raises `SchemaError`."""
        document, dialect = self.walk.document, self.plan.kept
        out = self.visit(Node(document.root.keywords, None, WalkPlace(self.walk)))
        if self.pending or "$defs" in out.keywords or "$defs" in document.root.keywords:
            out = self._definitions(out, dialect)
        return out

    # -- one node -------------------------------------------------------------------------------

    def visit(self, node: Node) -> Node:
        """Return the output for a node. Raises SchemaError for schemas nested too deeply, or too many."""
        plan, ledger = self.plan, self.ledger
        ledger.depth += 1
        ledger.schemas += 1
        if ledger.depth > self.deepest:
            self.deepest = ledger.depth
        if ledger.depth > _MAX_DEPTH:
            raise SchemaError(pointer(node.path), f"schemas are nested deeper than {_MAX_DEPTH} levels")
        if ledger.schemas > _MAX_NODES:
            raise SchemaError(pointer(node.path), f"more than {_MAX_NODES} schemas", "split the tool")
        if plan.before.concerns(node.keywords) or node.path is None or self.walk.most is not None:
            node = self._rewritten(node)
        node = self._walked(node)
        if node.notes or plan.completion.concerns(node.keywords):
            for each in plan.completion.passes:
                if each.concerns(node.keywords):
                    node = each.apply(node, plan.dialect, ledger)
        if node.form is not PLAIN:
            self.encoded = True
        ledger.depth -= 1
        return node

    def _rewritten(self, node: Node) -> Node:
        plan, ledger, dialect = self.plan, self.ledger, self.plan.dialect
        if node.path is None or self.walk.most is not None:
            for each in plan.start.passes:
                node = each.apply(node, dialect, ledger)
        for _ in range(_MAX_STEPS):
            before = node
            if plan.combinators.concerns(node.keywords):
                for each in plan.combinators.passes:
                    if each.concerns(node.keywords):
                        node = each.apply(node, dialect, ledger)
            if node is before:
                break
        else:
            raise SchemaError(pointer(node.path), "combinators are nested too deeply")
        for each in plan.rewriting.passes:
            if each.concerns(node.keywords):
                node = each.apply(node, dialect, ledger)
        return node

    def _walked(self, node: Node) -> Node:
        plan, ledger = self.plan, self.ledger
        get, other, dialect = plan.operations.get, plan.other, plan.dialect
        out: Keywords = {}
        notes = node.notes
        for key, value in node.keywords.items():
            operation = get(key, other)
            if operation is None:
                out[key] = value if value.__class__ in ATOMS else copied(value)
            elif operation is walked:
                notes += self._SUBWALKS[key](self, node, key, out)
            else:
                sent, sentences = operation(node, key, dialect, ledger)
                notes += sentences
                if sent is not ABSENT:
                    out[key] = sent
        return Node(
            out, node.path, node.place, node.entered, notes, node.form, node.absent_null, node.start, node
        )

    # -- the schemas of one keyword ---------------------------------------------------------------

    def below(self, schema: Schema, path: Path, place: WalkPlace) -> Schema:
        """Return the output for a schema at `path` below a node."""
        if type(schema) is SchemaNode:
            return self.visit(Node(schema.keywords, schema.path, place, start=self.ledger.evaluation))
        dialect = self.plan.kept
        if isinstance(schema, Node):
            return self.visit(Node(schema.keywords, schema.path, place, form=schema.form))
        if dialect.booleans == "keep":
            return schema
        if schema is False:
            reason = (
                "is replaced by a schema that accepts any value, because the provider cannot express "
                "one that accepts none; decoding still refuses every value"
            )
            self.ledger.note(path, "false", "widened", "changed", reason)
            self.ledger.block(path, "false", "cannot express a schema that accepts no value")
        return self.visit(Node({}, path, place))

    def _inside(self, node: Node, key: str) -> WalkPlace:
        """Return the place of schemas below a keyword of a node."""
        place = node.place
        deeper = self.walk.most is not None and key in _DOWN
        if not node.entered and place.overlap is None and not place.is_property and not deeper:
            return place
        opened = (*place.opened, *node.entered)
        return WalkPlace(place.walk, place.definition, opened, None, place.level + deeper)

    def _one(self, node: Node, key: str, out: Keywords) -> tuple[str, ...]:
        value: Schema = node.keywords[key]
        if key == "additionalProperties":
            if value is False:
                out[key] = False  # known as a flag where schemas cannot be true or false, too
                return ()
            if self.plan.kept.closed:
                out[key] = False
                reason = "refuses keys that no property declares"
                self.ledger.block(node.path, key, reason)
                return ()
            if is_free(value):
                if value is not True and self.plan.kept.typed:
                    reason = "is set to true, because the provider requires that schemas have a type"
                    self.ledger.note(node.path, key, "rewritten", "kept elsewhere", reason)
                    value = True
                out[key] = value  # states that keys are free, not their values
                return ()
        place = self._inside(node, key)
        if key == "items" and node.place.overlap is not None:
            overlap = overlaps.of_items(node.place.overlap, self.walk.document, self.plan.dialect)
            place = replace(place, overlap=overlap)
        out[key] = self.below(value, (node.path, key), place)
        return ()

    def _guarded(self, node: Node, key: str, out: Keywords) -> tuple[str, ...]:
        """Return a schema that must not be widened: the keyword is described where it was."""
        keywords, ledger, renames = node.keywords, self.ledger, self.walk.renames
        if key in _CONDITIONAL and "if" in keywords and "if" not in out and _follows(keywords, "if", key):
            return ()  # described with its condition
        value: Schema = keywords[key]
        if key == "propertyNames" and renames and not accepts_alike(renames, value):
            sent = names_sent(renames, value)
            if sent is None:
                cause = "some properties are sent under other names"
                return described_keyword(node, key, to_json(value), ledger, cause)
            value = sent
        changes = ledger.changes
        result = self.below(value, (node.path, key), self._inside(node, key))
        exact = key == "propertyNames" or (key == "contains" and "maxContains" not in keywords)
        if (exact or (ledger.changes == changes and not changed_behind(node, value, ledger))) and not (
            _is_needless(node, key, self.plan.kept)
        ):
            out[key] = result
            return ()
        cause = "its subschema cannot be sent unchanged"
        if _is_needless(node, key, self.plan.dialect):
            cause = "it would require an item without `minContains`, which the provider lacks"
        notes = described_keyword(node, key, to_json(value), ledger, cause)
        for other in _COUNTING if key == "contains" else ():
            if other in keywords:
                reason = "has no effect without `contains`, which is not sent" + CHECKED
                ledger.note(node.path, other, "widened", "lost", reason)
        for other in _CONDITIONAL if key == "if" else ():  # they would hold for no value, or for all
            if other in keywords:
                out.pop(other, None)
                cause = "`if` is not sent"
                notes += described_keyword(node, other, to_json(keywords[other]), ledger, cause)
        return notes

    def _many(self, node: Node, key: str, out: Keywords) -> tuple[str, ...]:
        plan, ledger = self.plan, self.ledger
        document, dialect = self.walk.document, plan.dialect
        schemas: list[Schema] = node.keywords[key]
        at: Path = (node.path, key)
        changes = ledger.changes
        place = self._inside(node, key)
        union = plan.encodes and key in ("anyOf", "oneOf")
        kinds = [accepted_types(schema, document, dialect.typed) for schema in schemas] if union else []
        if union:
            overlaps.block_ambiguous(node, key, kinds, dialect, ledger)
        overlapping = overlaps.of_branches(node, schemas, kinds, dialect) if union else []
        drop = key == "anyOf" and plan.kept.booleans == "rewrite" and any(one is not False for one in schemas)
        branches: list[Schema] = []
        for i, schema in enumerate(schemas):
            if drop and schema is False:
                continue
            if union:
                place = replace(place, overlap=overlapping[i])
            branches.append(self.below(schema, (at, str(i)), place))
        if key == "anyOf" and plan.kept.any_of != "keep" and any(map(is_free, branches)):
            note_free_union(node.path, ledger)
            return ()
        if key == "oneOf" and (
            ledger.changes != changes or any(changed_behind(node, one, ledger) for one in schemas)
        ):
            # Branches grew wider, so that one value may fit two of them: exclusiveness would refuse it.
            if "anyOf" in node.keywords:
                cause = "its branches cannot be sent unchanged"
                return described_keyword(node, key, to_json(schemas), ledger, cause)
            reason = (
                "is replaced by `anyOf`, because its branches accept more values there and may overlap; "
                "decoding still refuses a value that several match"
            )
            ledger.note(node.path, key, "rewritten", "changed", reason)
            key = "anyOf"
        out[key] = branches
        return ()

    def _named(self, node: Node, key: str, out: Keywords) -> tuple[str, ...]:
        dialect, ledger, path = self.plan.kept, self.ledger, node.path
        if key == "$defs" and path is None:
            out[key] = {}  # filled once the walk has found all references
            return ()
        if key == "$defs" and dialect.ref_targets != "any":
            reason = "is moved to the root, the only place where the provider has definitions"
            ledger.note(path, key, "rewritten", "kept elsewhere", reason)
            return ()
        own = key == "properties"
        if own and dialect.closed and "type" in node.keywords and not names_type(node, "object"):
            ledger.note(
                path, key, "dropped", "kept elsewhere", "is left out, because it applies to objects only"
            )
            return ()
        at: Path = (path, key)
        place = self._inside(node, key)
        if own and self.plan.dialect.null == "absent":
            place = replace(place, is_property=True)
        overlap = node.place.overlap if own else None
        children: dict[str, Schema] = {}
        for name, schema in node.keywords[key].items():
            if own and schema is False and dialect.booleans == "rewrite":
                ledger.note((at, name), "false", "dropped", "changed", FORBIDDEN_PROPERTY)
                continue
            if key == "patternProperties" and not self._keeps_pattern(name, at):
                continue
            if overlap is not None:
                overlapping = overlaps.of_property(overlap, name, self.walk.document, self.plan.dialect)
                place = replace(place, overlap=overlapping)
            children[name] = self.below(schema, (at, name), place)
        out[key] = children
        return ()

    def _keeps_pattern(self, pattern: str, at: Path) -> bool:
        """Return whether a pattern of keys can be sent; an entry where it is dropped."""
        renames = self.walk.renames
        if renames and misjudges(renames, pattern):
            cause = "it does not apply alike to the names under which properties are sent"
        elif not supported_pattern(self.plan.kept, pattern):
            cause = "the provider does not support this pattern"
        else:
            return True
        self.ledger.note(at, pattern, "dropped", "lost", f"is left out, because {cause}{CHECKED}")
        self.ledger.evaluation += 1
        return False

    # -- references and definitions ---------------------------------------------------------------

    def _reference(self, node: Node, key: str, out: Keywords) -> tuple[str, ...]:
        """Keep a reference and queue its target. Raises `SchemaError` where it does not resolve."""
        document, dialect = self.walk.document, self.plan.kept
        reference: str = node.keywords[key]
        _, segments = document.target(reference, node.path)
        if dialect.cycles == "block" and closes_circle(node, segments):
            self.ledger.block(node.path, "$ref", "cannot express a definition that contains itself")
        out[key] = reference
        if not segments:
            out[key] = "#"
        elif dialect.ref_targets != "any":
            name = self._name(segments)
            if not reference.startswith("#/$defs/") or segments != ("$defs", name):
                out[key] = f"#/$defs/{escape(name).replace('%', '%25')}"
                reason = (
                    f"leads to {name!r} under the root's `$defs`, the only place where the provider has "
                    "definitions"
                )
                self.ledger.note(node.path, "$ref", "rewritten", "kept elsewhere", reason)
        return ()

    def _name(self, segments: Segments) -> str:
        """Return the name of a target under the output's `$defs`; chosen once, and the target is queued."""
        name = self.names.get(segments)
        if name is None:
            own = self.walk.document.root.keywords.get("$defs", {})
            taken = {*own, *self.names.values()}
            if len(segments) == 2 and segments[0] == "$defs":
                name = segments[1]
            else:
                stem = name = segments[-1] or "definition"
                count = 1
                while name in taken:
                    count += 1
                    name = f"{stem}_{count}"
            self.names[segments] = name
            self.pending.append(segments)
        return name

    def _definitions(self, out: Node, dialect: Dialect) -> Node:
        """Return the output with the targets of references, and their targets, in its `$defs`."""
        document, ledger = self.walk.document, self.ledger
        own: dict[str, Schema] = document.root.keywords.get("$defs", {}) if dialect.refs == "keep" else {}
        for name in own if not dialect.prune_definitions else ():
            self._name(("$defs", name))
        done: dict[str, Schema] = {}
        while self.pending:
            segments = self.pending.pop()
            before = ledger.changes, ledger.evaluation
            found = document.resolve(segments)
            place = WalkPlace(
                self.walk, definition=segments, level=-_MAX_NODES
            )  # references count their depth
            done[self.names[segments]] = self.below(found, child(None, *segments), place)
            if (ledger.changes, ledger.evaluation) != before:
                self.lost.add(segments)
        if dialect.prune_definitions and dialect.ref_targets == "definitions" and done:
            done = _needed(out, done)
        for name in own:
            if name not in done:
                ledger.note((None, "$defs"), name, "dropped", "kept elsewhere", _UNUSED)
        ordered = [name for name in own if name in done] + [name for name in done if name not in own]
        if ordered or ("$defs" in out.keywords and not dialect.prune_definitions):
            return out.having({**out.keywords, "$defs": {name: done[name] for name in ordered}})
        if "$defs" in out.keywords:
            ledger.note(None, "$defs", "dropped", "kept elsewhere", _UNUSED)
            return out.having({key: value for key, value in out.keywords.items() if key != "$defs"})
        return out

    _SUBWALKS: ClassVar[dict[str, Callable[[Walker, Node, str, Keywords], tuple[str, ...]]]] = {
        **dict.fromkeys(SCHEMA, _one),
        **dict.fromkeys(GUARDED, _guarded),
        **dict.fromkeys(SCHEMA_LIST, _many),
        **dict.fromkeys(SCHEMA_MAP, _named),
        "$ref": _reference,
    }


def _follows(keywords: Keywords, first: str, second: str) -> bool:
    return next(key for key in keywords if key in (first, second)) == first


def _is_needless(node: Node, key: str, dialect: Dialect) -> bool:
    """Return whether `contains` constrains nothing by a `minContains` that the dialect lacks."""
    if key != "contains" or node.keywords.get("minContains") != 0:
        return False
    return disposition(dialect, "minContains") != "keep"


def _needed(out: Node, done: dict[str, Schema]) -> dict[str, Schema]:
    """Return the definitions that the output refers to: some that were walked may have been removed again."""
    found: set[str] = set()
    pending: list[SchemaNode] = [out]
    while pending:
        for each in descendants(pending.pop()):
            reference = each.keywords.get("$ref", "")
            if reference.startswith("#/$defs/"):
                name = unescape(unquote(reference.removeprefix("#/$defs/")))
                if name in done and name not in found:
                    found.add(name)
                    schema = done[name]
                    if isinstance(schema, SchemaNode):
                        pending.append(schema)
    return {name: schema for name, schema in done.items() if name in found}
