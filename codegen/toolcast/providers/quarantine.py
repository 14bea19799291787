"""Defects of schemas that no one checked: each costs what it constrains, and nothing beside it.

`without_defects` is applied once, before anything walks or judges a schema that is met at run time or
imported. So what providers are offered and what decodes the answer are made from the same schema.

Leaving a constraint out makes a schema accept more. Where that would make another keyword accept less (`not`,
`if`, `oneOf`, `maxContains`, and keywords for what others left unevaluated), that keyword goes, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from ..jsonschema.ecma import translate
from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP, TYPES
from ..jsonschema.satisfiable import FORBIDDEN, Satisfiability
from ..jsonschema.subschemas import Path as Segments
from ..jsonschema.subschemas import subschemas
from ..jsonschema.upgrade import NEWEST, outdated
from ..jsonschema.validator_errors import UnsupportedPattern
from .json_paths import Path, extended, pointer
from .ledger import Action, LedgerEntry, SeverityOfLoss
from .profiles.dialect import Dialect
from .provider_errors import SchemaError
from .state import State
from .upgraded_schema import Source, source_of
from .wellformed import is_malformed, mended

Node = dict[str, Any]

ROUNDS = 20
"""What is left out may be what a reference elsewhere leads to, which is then left out in the next round."""
_LEFT = {
    **dict.fromkeys(("$dynamicRef", "$recursiveRef"), "dynamic references are not followed"),
    "$vocabulary": "only a dialect has vocabularies",
}
_IN_PLACE = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"))
"""Keywords whose schemas apply to the value itself."""
_EVALUATING = (_IN_PLACE - {"not"}) | {"contains"}
"""Keywords whose schemas tell which parts of a value are evaluated."""


def _refuses_none(_: str) -> str:
    return ""


def quarantined(
    schema: Node, *, refuses: Callable[[str], str] = _refuses_none
) -> tuple[Node, tuple[LedgerEntry, ...]]:
    """`schema` without its defects, and what became of it: the very same object where there is none.

    Left out are values that their keywords cannot have, references that lead nowhere in the schema,
    references that close a circle, patterns that are no ECMA-262 or that `re` cannot run, types that do not
    exist, and what is no schema where one must be. An optional property that no value fits becomes `false`,
    which means the same. `refuses` tells why another pattern is not to be used, "" where it is. What is
    returned instead of `schema` is in 2020-12 words. Never changes `schema`. Paths are JSON pointers into it.
    Raises `SchemaError` for a root that is no object, and for unbounded nesting.
    """
    if not isinstance(schema, dict):
        raise SchemaError("", "the schema of parameters or of a result is an object here")
    source = source_of(schema)
    found = quarantined_source(source, refuses)
    if found.document is source.document:
        return schema, ()
    return standing_alone(found), tuple(found.entries.values())


def standing_alone(source: Source) -> Node:
    """The document of `source`, which is in 2020-12 words, under that name if it says an older one."""
    document = source.document
    return {**document, "$schema": NEWEST} if outdated(document.get("$schema")) else document


def quarantined_source(source: Source, refuses: Callable[[str], str] = _refuses_none) -> Source:
    """`source` without its defects, and with `false` for optional properties that no value fits. Raises
    `SchemaError`."""
    return _Forbidder(without_defects(source, refuses)).cleaned()


def without_defects(source: Source, refuses: Callable[[str], str] = _refuses_none) -> Source:
    """`source` without its defects; its document is the very same where there is none. Raises
    `SchemaError`."""
    found, wider = mended(source)
    current = source if found.entries == source.entries else found
    for _ in range(ROUNDS):
        survey = _Survey(current, refuses, wider)
        if not survey.defects and not wider:
            return current
        wider = frozenset()
        current = _Cleaner(current, survey).cleaned()
    raise SchemaError("", "its references lead to what cannot be used")


class _Defect(Struct, frozen=True):
    """A keyword to be left out, or one name of `patternProperties`."""

    keyword: str
    reason: str
    name: str = ""


class _Site(NamedTuple):
    """A schema object of a document, with the schemas directly below it and the one that it refers to."""

    node: Node
    path: Path
    below: tuple[tuple[Segments, Any], ...]
    target: tuple[Node, Path] | None
    unresolved: str  # why its reference leads nowhere


class _Survey:
    """The defects of a document by the id of their schema, and the schemas that accept more without."""

    def __init__(self, source: Source, refuses: Callable[[str], str], wider: frozenset[int]) -> None:
        self._refuses = refuses
        self._state = State(source, Dialect())
        self._sites = self._reached(source.document)
        self._wider: set[int] = set()
        standing = self._standing(source.document)
        repeated = _repeated_anchors(source.document, [self._sites[each].node for each in standing])
        self.defects: dict[int, list[_Defect]] = {}
        for each, site in self._sites.items():
            found = list(self._defects(site, repeated))
            if each not in standing and _is_unusable(site):
                found.append(_Defect("", "has a malformed value"))
            if found:
                self.defects[each] = found
        for node in _circular(self._sites):
            reason = "the reference leads back to itself and says nothing"
            self.defects.setdefault(id(node), []).append(_Defect("$ref", reason))
        if self.defects or wider:
            self._rise(wider)
        for each in standing if self._wider else ():
            # What no keyword holds is left as it is, so that it can only be left out.
            target = self._sites[each].target
            if target is not None and id(target[0]) not in standing and self.widens(target[0]):
                reason = "it leads to a part of the schema that cannot be used"
                self.defects.setdefault(each, []).append(_Defect("$ref", reason))
        self.defects = {each: found for each, found in self.defects.items() if each in standing}

    def _reached(self, document: Node) -> dict[int, _Site]:
        """Every schema object in a document, and those that references lead to, by id."""
        sites: dict[int, _Site] = {}
        reached = {id(document)}
        waiting: list[tuple[Node, Path]] = [(document, None)]
        while waiting:
            node, path = waiting.pop()
            target, unresolved = self._target(node, path)
            below = tuple(subschemas(node))
            sites[id(node)] = _Site(node, path, below, target, unresolved)
            for segments, item in below:
                if isinstance(item, dict) and id(item) not in reached:
                    reached.add(id(item))
                    waiting.append((item, extended(path, segments)))
            if target is not None and id(target[0]) not in reached:
                reached.add(id(target[0]))
                waiting.append(target)
        return sites

    def _standing(self, document: Node) -> dict[int, None]:
        """The ids of the schemas that keywords of others hold, in the order in which they were reached."""
        if not any(site.target for site in self._sites.values()):
            return dict.fromkeys(self._sites)
        found = {id(document)}
        waiting = [id(document)]
        while waiting:
            for _, item in self._sites[waiting.pop()].below:
                if id(item) in self._sites and id(item) not in found:
                    found.add(id(item))
                    waiting.append(id(item))
        return {each: None for each in self._sites if each in found}

    def _target(self, node: Node, path: Path) -> tuple[tuple[Node, Path] | None, str]:
        """The object schema that `node` refers to with its path, and why a reference leads nowhere."""
        if "$ref" not in node:
            return None, ""
        try:
            found, place, _ = self._state.target(node["$ref"], path)
        except SchemaError as problem:
            return None, problem.message
        return ((found, place) if isinstance(found, dict) else None), ""

    def _rise(self, wider: frozenset[int]) -> None:
        """Note what accepts more: schemas with defects, and all whose verdict looks at them."""
        above: dict[int, list[int]] = {}
        for each, site in self._sites.items():
            for (key, *_), item in site.below:
                if key != "$defs":
                    above.setdefault(id(item), []).append(each)
            if site.target is not None:
                above.setdefault(id(site.target[0]), []).append(each)
        self._wider = {*self.defects, *wider}
        rising = [*self._wider]
        while rising:
            for each in above.get(rising.pop(), ()):
                if each not in self._wider:
                    self._wider.add(each)
                    rising.append(each)

    def widens(self, schema: Any) -> bool:
        """Whether `schema` accepts more once defects are left out."""
        if isinstance(schema, list):
            return any(map(self.widens, schema))
        return isinstance(schema, dict) and id(schema) in self._wider

    def evaluates_less(self, node: Node) -> bool:
        """Whether parts of a value that `node` would have evaluated may not be once defects are left out."""
        if any(defect.keyword != "type" for defect in self.defects.get(id(node), ())):
            return True
        site = self._sites[id(node)]
        evaluating = [item for (key, *_), item in site.below if key in _EVALUATING]
        return any(map(self.widens, [*evaluating, site.target[0] if site.target else None]))

    def _defects(self, site: _Site, repeated: frozenset[str]) -> Iterator[_Defect]:
        node = site.node
        if site.unresolved:
            yield _Defect("$ref", site.unresolved)
        for key, reason in _LEFT.items():
            if key in node:
                yield _Defect(key, reason)
        if isinstance(node.get("$id"), str) and node["$id"].partition("#")[2]:
            yield _Defect("$id", "the address of a schema has no fragment")
        if repeated and node.get("$anchor") in repeated:
            yield _Defect("$anchor", "another schema has this anchor, too")
        if site.path is not None and "$schema" in node and not _is_dialect(node["$schema"]):
            yield _Defect("$schema", "only the whole schema can name a dialect")
        if "type" in node and not _is_type(node["type"]):
            yield _Defect("type", f"{node['type']!r:.60} is no type of JSON Schema")
        if isinstance(node.get("pattern"), str):
            reason = _unusable(node["pattern"]) or self._refuses(node["pattern"])
            if reason:
                yield _Defect("pattern", reason)
        names = node.get("patternProperties")
        for name in names if isinstance(names, dict) else ():
            reason = _unusable(name) or self._refuses(name)
            if reason:
                yield _Defect("patternProperties", reason, name)


def _repeated_anchors(document: Node, nodes: list[Node]) -> frozenset[str]:
    """Anchors that two schemas have; none where a schema with an `$id` of its own may tell them apart."""
    names = [node["$anchor"] for node in nodes if isinstance(node.get("$anchor"), str)]
    if not names or any("$id" in node for node in nodes if node is not document):
        return frozenset()
    return frozenset(name for name, times in Counter(names).items() if times > 1)


def _circular(sites: Mapping[int, _Site]) -> Iterator[Node]:
    """The schemas whose `$ref` closes a circle of schemas that apply to the same value: one for each."""
    if not any(site.target for site in sites.values()):
        return
    inside: dict[int, list[tuple[int, Node | None]]] = {}  # by schema: those applied, and by which `$ref`
    for each, site in sites.items():
        applied: list[tuple[int, Node | None]] = []
        applied += [(id(item), None) for (key, *_), item in site.below if key in _IN_PLACE]
        if site.target is not None:
            applied.append((id(site.target[0]), site.node))
        if applied:
            inside[each] = applied
    done: set[int] = set()
    for start in inside:
        stack: list[tuple[int, Node | None, Iterator[tuple[int, Node | None]]]] = [
            (start, None, iter(inside[start]))
        ]
        depths = {start: 0}
        while stack and start not in done:
            _, _, following = stack[-1]
            goal, by = next(following, (None, None))
            if goal is None:
                done.add(stack[-1][0])
                del depths[stack.pop()[0]]
            elif goal in depths:
                yield [node for _, node, _ in (*stack[depths[goal] + 1 :], (goal, by, following)) if node][-1]
            elif goal not in done and goal in inside:
                depths[goal] = len(stack)
                stack.append((goal, by, iter(inside[goal])))


def _is_unusable(site: _Site) -> bool:
    """Whether a keyword of a schema has a value that it cannot have."""
    held = (isinstance(item, dict | bool) for _, item in site.below)
    maps = (isinstance(value, dict) for key, value in site.node.items() if key in SCHEMA_MAP)
    return is_malformed(site.node) or not all(held) or not all(maps)


def _is_dialect(value: Any) -> bool:
    """Whether a `$schema` names a draft of JSON Schema."""
    return outdated(value) or (isinstance(value, str) and value.rstrip("#") == NEWEST)


def _is_type(value: Any) -> bool:
    """Whether `value` names types."""
    if isinstance(value, str):
        return value in TYPES
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(name, str) and name in TYPES for name in value) and len({*value}) == len(value)


def _unusable(pattern: str) -> str:
    """Why a pattern cannot be used; empty where it can."""
    try:
        translate(pattern)
    except UnsupportedPattern as problem:
        return f"the pattern {pattern!r:.60} cannot be used: {problem.reason}"
    except RecursionError:
        return f"the pattern {pattern!r:.60} is nested too deeply"
    return ""


class _Rebuilder:
    """Goes through a schema and makes it anew where something changes; each object once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._entries = {**source.entries}
        self._before = {**source.locations}
        self._after: dict[int, Path] = {}
        self._made: dict[int, Any] = {}

    def cleaned(self) -> Source:
        """What becomes of the whole; the very same where nothing changes."""
        document = self._clean(self._source.document, None)
        if document is self._source.document:
            return self._source
        return Source(document, self._after, self._entries)

    def node(self, node: Node, path: Path) -> Node:
        """What becomes of a schema object, which was written at `path`, and of what is below it."""
        out: Node = {}
        for key, value in node.items():
            out[key] = value
            if key in SCHEMA:
                out[key] = self._clean(value, (path, key))
            elif key in SCHEMA_LIST and isinstance(value, list):
                items = [self._clean(item, ((path, key), str(i))) for i, item in enumerate(value)]
                out[key] = items if any(a is not b for a, b in zip(items, value, strict=True)) else value
            elif key in SCHEMA_MAP and isinstance(value, dict):
                named = {name: self._clean(item, ((path, key), name)) for name, item in value.items()}
                out[key] = named if any(named[name] is not value[name] for name in value) else value
        return out if any(out[key] is not node[key] for key in node) else node

    def place(self, schema: Any, path: Path) -> None:
        """Remember where a schema was written that is moved."""
        if isinstance(schema, dict):
            self._before.setdefault(id(schema), path)

    def note(
        self, path: Path, keyword: str, reason: str, action: Action = "dropped",
        severity: SeverityOfLoss = "lost",
    ) -> None:  # fmt: skip
        """Write down what became of a keyword."""
        at = pointer(path)
        self._entries[at, keyword, action] = LedgerEntry(
            path=at, keyword=keyword, action=action, severity=severity, reason=reason
        )

    def _clean(self, schema: Any, path: Path) -> Any:
        if not isinstance(schema, dict):
            return schema
        known = self._made.get(id(schema))
        if known is None:
            place = self._before.get(id(schema), path)
            known = self._made[id(schema)] = self.node(schema, place)
            if place is not path:
                self._after[id(known)] = place
        return known


class _Cleaner(_Rebuilder):
    """Leaves out the defects that a survey found, and what must not stay beside them."""

    def __init__(self, source: Source, survey: _Survey) -> None:
        super().__init__(source)
        self._survey = survey

    def node(self, node: Node, path: Path) -> Node:
        """`node` without its own defects and without those below it."""
        defects = self._survey.defects.get(id(node), [])
        gone = self._contrary(node)
        widened = self._survey.widens(node.get("oneOf"))
        if not defects and not gone and not widened:
            return super().node(node, path)
        kept = dict(node)
        for defect in defects:
            if defect.keyword != "patternProperties":
                self.note(path, defect.keyword, defect.reason)
                del kept[defect.keyword]
                continue
            self.note((path, "patternProperties"), defect.name, defect.reason)
            left = {key: value for key, value in kept["patternProperties"].items() if key != defect.name}
            kept["patternProperties"] = left
            if node.get("additionalProperties", True) is not True:
                gone.add("additionalProperties")
        for keyword in sorted(gone & kept.keys()):
            self.note(path, keyword, "would accept less, since something that it looks at was left out")
            del kept[keyword]
        if widened:
            reason = "more than one may be met, since something in its branches was left out"
            self.note(path, "oneOf", reason, "widened")
            branches = kept.pop("oneOf")
            for i, branch in enumerate(branches):
                self.place(branch, ((path, "oneOf"), str(i)))
            if "anyOf" in kept:
                kept["allOf"] = [*kept.get("allOf", ()), {"anyOf": branches}]
            else:
                kept["anyOf"] = branches
        return super().node(kept, path)

    def _contrary(self, node: Node) -> set[str]:
        """Keywords of `node` that would accept less once others accept more."""
        survey = self._survey
        gone = {"not"} if survey.widens(node.get("not")) else set[str]()
        if survey.widens(node.get("if")):
            gone |= {"if", "then", "else"} & node.keys()
        if survey.widens(node.get("contains")):
            gone |= {"maxContains"} & node.keys()
        left = {"unevaluatedProperties", "unevaluatedItems"} & node.keys()
        return gone | left if left and survey.evaluates_less(node) else gone


class _Forbidder(_Rebuilder):
    """Makes optional properties that no value fits `false`."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._judge = Satisfiability(State(source, Dialect()).referred)

    def node(self, node: Node, path: Path) -> Node:
        """`node` with `false` for such properties, and so below it."""
        named, required = node.get("properties"), node.get("required")
        if not isinstance(named, dict):
            return super().node(node, path)
        needed = frozenset(required) if isinstance(required, list) else frozenset[str]()
        reasons = {
            name: reason
            for name, schema in named.items()
            if name not in needed and (reason := self._judge.contradiction(schema)) not in (None, FORBIDDEN)
        }
        for name, reason in reasons.items():
            words = f"no value fits it, so it is forbidden: {reason}"
            self.note((path, "properties"), name, words, severity="kept elsewhere")
        if reasons:
            left = {name: False if name in reasons else schema for name, schema in named.items()}
            node = {**node, "properties": left}
        return super().node(node, path)
