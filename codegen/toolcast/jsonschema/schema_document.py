"""A schema document: the nodes of a schema, and the targets of its references.

Each defect of an unchecked schema costs what it constrains, and nothing beside it. Leaving a constraint out
makes a schema accept more. Where that would make another keyword accept less (`not`, `if`, `oneOf`,
`maxContains`, and keywords for what others left unevaluated), that keyword goes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from operator import is_not
from typing import Final

from msgspec import Struct

from .json_values import JsonObject
from .keywords import SCHEMA_LIST, SCHEMA_MAP
from .schema_node import (
    Changes,
    References,
    Schema,
    SchemaChange,
    SchemaError,
    SchemaNode,
    Segments,
    changes_of,
    record,
    subnodes,
)
from .schema_parser import Parser, Repairs
from .unusable_values import is_dialect, is_type, unusable_pattern


class SchemaDocument(References):
    """A schema and everything that its references lead to. It does not change once it is made.

    `changes` are older forms that were upgraded when it was parsed, and defects that were left out; of them,
    `upgrades` read an older form.
    """

    __slots__ = ("_graph", "_reach", "changes", "upgrades")

    def __init__(
        self,
        root: SchemaNode,
        parser: Parser,
        changes: tuple[SchemaChange, ...] = (),
        upgrades: tuple[SchemaChange, ...] = (),
    ) -> None:
        super().__init__(root, parser.target, parser.unresolved)
        self.changes = changes
        self.upgrades = upgrades
        self._graph: dict[Segments, set[Segments]] | None = None
        self._reach: dict[Segments, frozenset[Segments]] = {}

    # -- which definitions refer to which -------------------------------------------------------

    def reach(self, start: Segments) -> frozenset[Segments]:
        """Return the segments of the definitions that references lead to from one definition, and on; itself
        included. Empty segments stand for what is outside of definitions.
        """
        known = self._reach.get(start)
        if known is None:
            graph = self._graph
            if graph is None:
                graph = self._graph = _graph(self)
            found: set[Segments] = set()
            pending = [start]
            while pending:
                each = pending.pop()
                if each not in found:
                    found.add(each)
                    pending += graph.get(each, ())
            known = self._reach[start] = frozenset(found)
        return known

    def leads_back(self, segments: Segments) -> bool:
        """Return whether references from a schema outside of definitions lead to the root, to itself, or into
        any circle.
        """
        return self._leads_back(segments, frozenset(), set())

    def _leads_back(self, segments: Segments, above: frozenset[Segments], clear: set[Segments]) -> bool:
        """`above` are the schemas that the search is in, `clear` those known not to lead back."""
        if segments in above or not segments:
            return True
        if segments in clear:
            return False
        above |= {segments}
        for target in self.targets(self.resolve(segments)):
            start = container(target)
            if start:
                if () in self.reach(start):
                    return True
            elif target == segments[: len(target)] or self._leads_back(target, above, clear):
                return True
        clear.add(segments)
        return False

    def reaches(self, schema: Schema, locations: frozenset[Segments]) -> bool:
        """Return whether references inside a schema, followed to the end, lead to one of several places."""
        pending = [*self.targets(schema)] if locations else []
        visited: set[Segments] = set()
        while pending:
            segments = pending.pop()
            if segments in locations:
                return True
            if segments not in visited:
                visited.add(segments)
                pending += self.targets(self.resolve(segments))
        return False

    def targets(self, schema: Schema) -> Iterator[Segments]:
        """Yield the segments of the targets of references inside a schema, each that is resolved."""
        pending = [schema]
        visited: set[int] = set()
        while pending:
            each = pending.pop()
            if not isinstance(each, SchemaNode) or id(each) in visited:
                continue
            visited.add(id(each))
            if "$ref" in each.keywords:
                with suppress(SchemaError):  # reported where the reference is read
                    yield self.target(each.keywords["$ref"], each.path)[1]
            pending += [below for _, below in subnodes(each)]


def container(segments: Segments) -> Segments:
    """Return the segments of the definition that contains a schema; `()` outside of definitions."""
    return segments[:2] if len(segments) > 1 and segments[0] == "$defs" else ()


def _graph(document: SchemaDocument) -> dict[Segments, set[Segments]]:
    graph: dict[Segments, set[Segments]] = {}
    pending: list[tuple[Schema, Segments]] = [(document.root, ())]
    visited: set[int] = set()
    while pending:
        node, at = pending.pop()
        if not isinstance(node, SchemaNode) or id(node) in visited:
            continue
        visited.add(id(node))
        if "$ref" in node.keywords:
            try:
                target, segments = document.target(node.keywords["$ref"], node.path)
            except SchemaError:  # reported where the reference is read
                pass
            else:
                graph.setdefault(at, set()).add(container(segments))
                pending.insert(0, (target, container(segments)))
        for segments, below in subnodes(node):
            pending.append((below, segments if node is document.root and segments[0] == "$defs" else at))
    return graph


def refuses_none(_: str) -> str:
    """Refuse no pattern."""
    return ""


def parse_schema(
    schema: JsonObject, *, checked: bool = False, refuses: Callable[[str], str] = refuses_none
) -> SchemaDocument:
    """Parse a schema of any draft into nodes, in the keywords of 2020-12 and without its defects. The schema
    is not changed.

    A `checked` schema is a contract: nothing of it needs a change. `refuses` returns why a pattern is not to
    be used, besides those that cannot. Raises SchemaError for schemas that are nested too deeply or too many,
    and for references to what cannot be used.
    """
    parser = Parser(schema, checked=checked, refuses=refuses)
    root = parser.parsed()
    if checked:
        return SchemaDocument(root, parser)
    changes = {**parser.upgrades, **parser.converted, **changes_of(parser.changes_of_values(root))}
    root = _without_defects(root, parser, refuses, changes)
    upgrades = tuple(parser.upgrades.values())
    return SchemaDocument(root, parser, tuple(changes.values()), upgrades)


_ROUNDS: Final = 20
"""Most rounds: a part left out may be the target of a reference, which the next round leaves out."""
_LEFT: Final = {
    **dict.fromkeys(("$dynamicRef", "$recursiveRef"), "dynamic references are not supported"),
    "$vocabulary": "only a meta-schema has vocabularies",
}
_IN_PLACE: Final = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"))
"""Keywords whose schemas apply to the value itself."""
_EVALUATING: Final = (_IN_PLACE - {"not"}) | {"contains"}
"""Keywords whose schemas determine which parts of a value are evaluated."""


def _without_defects(
    root: SchemaNode, parser: Parser, refuses: Callable[[str], str], changes: Changes
) -> SchemaNode:
    """Leave out the defects of a schema; return its root, the same where there is none.
    `refuses`: why a pattern is not to be used; "" where it is. `changes` receives what is left out. Raises
    SchemaError where references lead to what cannot be used.
    """
    references = References(root, parser.target, parser.unresolved)
    if not parser.suspicious and not parser.repairs and _all_lead_on(parser.references, references):
        return root
    repairs: Mapping[int, Repairs] = parser.repairs
    for first in (True, *([False] * (_ROUNDS - 1))):
        survey = _Survey(root, references, repairs, refuses, first=first)
        if survey.clean:
            return root
        root = _Cleaner(survey, changes).cleaned(root)
        if not parser.references:  # nothing refers to what was left out
            return root
        references = References(root, parser.target, parser.unresolved)
    raise SchemaError("", "its references lead to what cannot be used")


def _all_lead_on(nodes: list[SchemaNode], references: References) -> bool:
    """Return whether the references of `nodes` lead to schemas, and none back to itself."""
    if any(_target(node, references)[1] for node in nodes):
        return False
    return next(_circular(nodes, references), None) is None


class _Defect(Struct, frozen=True):
    """A keyword to be left out, or one name of `patternProperties`."""

    keyword: str
    cause: str  # a clause
    name: str = ""


class _Site(Struct, frozen=True):
    """A node of a document, with the schemas directly below it and the node that it refers to."""

    node: SchemaNode
    below: tuple[tuple[Segments, Schema], ...]
    target: SchemaNode | None
    unresolved: str  # why its reference leads nowhere


class _Survey:
    """The defects of a document by the id of their node, and the nodes that accept more without."""

    def __init__(
        self,
        root: SchemaNode,
        references: References,
        repairs: Mapping[int, Repairs],
        refuses: Callable[[str], str],
        *,
        first: bool,
    ) -> None:
        """`first`: what lost a malformed value when it was parsed accepts more now."""
        self._root = root
        self._refuses = refuses
        self._sites = self._reached(references)
        self._refers = any(site.target for site in self._sites.values())
        standing = self._standing()
        self.defects: dict[int, list[_Defect]] = {}
        self.accepts_more: set[int] = set()  # ids of nodes
        for each, site in self._sites.items():
            found = list(self._defects(site))
            if each not in standing and _has_repairs(site, repairs):
                found.append(_Defect("", "has a malformed value"))
            if found:
                self.defects[each] = found
        nodes = [site.node for site in self._sites.values()] if self._refers else []
        for node in _circular(nodes, references):
            reason = "the reference leads only back to itself"
            self.defects.setdefault(id(node), []).append(_Defect("$ref", reason))
        lossy = {
            each
            for each, repair in (repairs.items() if first else ())
            if each in standing and any(change.severity == "lost" for change in repair.changes.values())
        }
        if self.defects or lossy:
            self._rise(lossy)
        for each in standing if self.accepts_more else ():
            # What no keyword holds is left as it is, so that it can only be left out.
            target = self._sites[each].target
            if target is not None and id(target) not in standing and self.widens(target):
                reason = "the reference leads to a part of the schema that cannot be used"
                self.defects.setdefault(each, []).append(_Defect("$ref", reason))
        self.defects = {each: found for each, found in self.defects.items() if each in standing}
        self.clean = not self.defects and not lossy

    def _reached(self, references: References) -> dict[int, _Site]:
        """Every node of a document, and those that references lead to, by id."""
        sites: dict[int, _Site] = {}
        reached = {id(self._root)}
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            target, unresolved = _target(node, references)
            below = tuple(subnodes(node))
            sites[id(node)] = _Site(node, below, target, unresolved)
            for item in (*(item for _, item in below), target):
                if isinstance(item, SchemaNode) and id(item) not in reached:
                    reached.add(id(item))
                    waiting.append(item)
        return sites

    def _standing(self) -> dict[int, None]:
        """The ids of the nodes that keywords of others hold, in the order in which they were reached."""
        if not self._refers:
            return dict.fromkeys(self._sites)
        found = {id(self._root)}
        waiting = [id(self._root)]
        while waiting:
            for _, item in self._sites[waiting.pop()].below:
                if id(item) in self._sites and id(item) not in found:
                    found.add(id(item))
                    waiting.append(id(item))
        return {each: None for each in self._sites if each in found}

    def _rise(self, lossy: set[int]) -> None:
        """Find what accepts more: nodes with defects, and all whose verdict looks at them."""
        above: dict[int, list[int]] = {}
        for each, site in self._sites.items():
            for (key, *_), item in site.below:
                if key != "$defs":
                    above.setdefault(id(item), []).append(each)
            if site.target is not None:
                above.setdefault(id(site.target), []).append(each)
        self.accepts_more = {*self.defects, *lossy}
        rising = [*self.accepts_more]
        while rising:
            for each in above.get(rising.pop(), ()):
                if each not in self.accepts_more:
                    self.accepts_more.add(each)
                    rising.append(each)

    def widens(self, schemas: object) -> bool:
        """Return whether a schema, or one of a list, accepts more once defects are left out."""
        if isinstance(schemas, list):
            return any(map(self.widens, schemas))
        return isinstance(schemas, SchemaNode) and id(schemas) in self.accepts_more

    def evaluates_less(self, node: SchemaNode) -> bool:
        """Return whether parts of a value that `node` would have evaluated may not be once defects are left
        out.
        """
        if any(defect.keyword != "type" for defect in self.defects.get(id(node), ())):
            return True
        site = self._sites[id(node)]
        evaluating = [item for (key, *_), item in site.below if key in _EVALUATING]
        return any(map(self.widens, [*evaluating, site.target]))

    def _defects(self, site: _Site) -> Iterator[_Defect]:
        keywords = site.node.keywords
        if site.unresolved:
            yield _Defect("$ref", site.unresolved)
        for key, reason in _LEFT.items():
            if key in keywords:
                yield _Defect(key, reason)
        if site.node is not self._root and "$schema" in keywords and not is_dialect(keywords["$schema"]):
            yield _Defect("$schema", "only the root can name a draft")
        if "type" in keywords and not is_type(keywords["type"]):
            yield _Defect("type", f"{keywords['type']!r:.60} is not a type of JSON Schema")
        if isinstance(keywords.get("pattern"), str):
            reason = unusable_pattern(keywords["pattern"]) or self._refuses(keywords["pattern"])
            if reason:
                yield _Defect("pattern", reason)
        for name in keywords.get("patternProperties", ()):
            reason = unusable_pattern(name) or self._refuses(name)
            if reason:
                yield _Defect("patternProperties", reason, name)


def _has_repairs(site: _Site, repairs: Mapping[int, Repairs]) -> bool:
    return id(site.node) in repairs or any(
        id(item) in repairs and "" in repairs[id(item)].changes for _, item in site.below
    )


def _circular(nodes: Iterable[SchemaNode], references: References) -> Iterator[SchemaNode]:
    """The nodes whose `$ref` closes a circle of schemas that apply to the same value: one for each circle."""
    done: set[int] = set()
    for start in nodes:
        if id(start) in done:
            continue
        stack: list[tuple[SchemaNode | None, Iterator[_Applied]]] = [(None, _applied(start, references))]
        path = [start]
        depths = {id(start): 0}
        while stack:
            goal, by = next(stack[-1][1], (None, None))
            if goal is None:
                stack.pop()
                finished = id(path.pop())
                done.add(finished)
                del depths[finished]
            elif id(goal) in depths:
                yield [node for node, _ in (*stack[depths[id(goal)] + 1 :], (by, stack)) if node][-1]
            elif id(goal) not in done:
                depths[id(goal)] = len(stack)
                path.append(goal)
                stack.append((by, _applied(goal, references)))


_Applied = tuple[SchemaNode, SchemaNode | None]
"""A schema that applies to the same value as another, and the node whose `$ref` applies it."""


def _applied(node: SchemaNode, references: References) -> Iterator[_Applied]:
    if not _IN_PLACE.isdisjoint(node.keywords):
        for (key, *_), below in subnodes(node):
            if key in _IN_PLACE and isinstance(below, SchemaNode):
                yield below, None
    if "$ref" in node.keywords:
        target, _ = _target(node, references)
        if target is not None:
            yield target, node


def _target(node: SchemaNode, references: References) -> tuple[SchemaNode | None, str]:
    if "$ref" not in node.keywords:
        return None, ""
    if id(node) in references.unresolved:
        return None, references.unresolved[id(node)]
    try:
        found, _ = references.target(node.keywords["$ref"], node.path)
    except SchemaError as problem:
        return None, problem.message
    return (found if isinstance(found, SchemaNode) else None), ""


class _Cleaner:
    """Leaves out the defects that a survey found, and what must not stay beside them. Each node once."""

    def __init__(self, survey: _Survey, changes: Changes) -> None:
        self._survey = survey
        self._changes = changes
        self._made: dict[int, SchemaNode] = {}

    def cleaned(self, node: SchemaNode) -> SchemaNode:
        """A node without its own defects and without those below it; the same where nothing changes."""
        known = self._made.get(id(node))
        if known is not None:
            return known
        before = after = self._own(node)
        for key, value in before.items():
            if isinstance(value, SchemaNode):
                new: object = self.cleaned(value)
                changed = new is not value
            elif key in SCHEMA_LIST:
                new = [self.cleaned(each) if isinstance(each, SchemaNode) else each for each in value]
                changed = any(map(is_not, new, value))
            elif key in SCHEMA_MAP:
                new = {
                    name: self.cleaned(each) if isinstance(each, SchemaNode) else each
                    for name, each in value.items()
                }
                changed = any(map(is_not, new.values(), value.values()))
            else:
                continue
            if changed:
                after = {**before} if after is before else after
                after[key] = new
        made = node if after is node.keywords else SchemaNode(after, node.path)
        self._made[id(node)] = made
        return made

    def _own(self, node: SchemaNode) -> JsonObject:
        """The keywords of a node without its own defects; the same where it has none."""
        defects = self._survey.defects.get(id(node), [])
        gone = self._contrary(node.keywords, node)
        widened = self._survey.widens(node.keywords.get("oneOf"))
        if not defects and not gone and not widened:
            return node.keywords
        kept = dict(node.keywords)
        for defect in defects:
            reason = f"is left out, because {defect.cause}"
            if defect.keyword != "patternProperties":
                record(self._changes, node.path, defect.keyword, "dropped", "lost", reason)
                kept.pop(defect.keyword, None)
                continue
            at = node.path, "patternProperties"
            record(self._changes, at, defect.name, "dropped", "lost", reason)
            left = {key: value for key, value in kept["patternProperties"].items() if key != defect.name}
            kept["patternProperties"] = left
            if node.keywords.get("additionalProperties", True) is not True:
                gone.add("additionalProperties")
        for keyword in sorted(gone & kept.keys()):
            reason = "is left out, because it would accept less without other parts that are left out"
            record(self._changes, node.path, keyword, "dropped", "lost", reason)
            del kept[keyword]
        if widened:
            reason = "is replaced by `anyOf`, because branches without the parts left out may overlap"
            record(self._changes, node.path, "oneOf", "widened", "lost", reason)
            branches = kept.pop("oneOf")
            if "anyOf" in kept:
                others = kept.get("allOf", [])
                at = (node.path, "allOf"), str(len(others))
                kept["allOf"] = [*others, SchemaNode({"anyOf": branches}, at)]
            else:
                kept["anyOf"] = branches
        return kept

    def _contrary(self, keywords: JsonObject, node: SchemaNode) -> set[str]:
        """Keywords of a node that would accept less once others accept more."""
        survey = self._survey
        gone = {"not"} if survey.widens(keywords.get("not")) else set[str]()
        if survey.widens(keywords.get("if")):
            gone |= {"if", "then", "else"} & keywords.keys()
        if survey.widens(keywords.get("contains")):
            gone |= {"maxContains"} & keywords.keys()
        left = {"unevaluatedProperties", "unevaluatedItems"} & keywords.keys()
        return gone | left if left and survey.evaluates_less(node) else gone
