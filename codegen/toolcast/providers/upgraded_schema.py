"""A schema as it is walked: upgraded to 2020-12, and where each part of it was written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.subschemas import subschemas
from ..jsonschema.upgrade import Row, Upgrade, as_written, draft_of, screen, upgrade, watched
from .json_paths import Path, anchors, extended, parse, pointer, resolve
from .ledger import Action, LedgerEntry
from .nullable import with_null
from .provider_errors import SchemaError

Node = dict[str, Any]
Segments = tuple[str, ...]
Entries = dict[tuple[str, str, str], LedgerEntry]
"""By path, keyword and action."""
LEVELS = 200
"""Deepest nesting of schemas that is read; the walk refuses less."""
MOST_SCREENED = 50_000
"""Objects and arrays that are examined, counted at each of their paths."""
CONTAINERS = (dict, list)
NULLABLE = "is expressed by the type null"


class Source(Struct, frozen=True):
    """A schema of 2020-12, and how it differs from the original."""

    document: Node  # the original itself where nothing is upgraded
    locations: Mapping[int, Path] = {}  # id of a schema in `document` → its original path
    entries: Mapping[tuple[str, str, str], LedgerEntry] = {}


def source_of(schema: Node) -> Source:
    """`schema`, of the draft that its `$schema` names, in the keywords of 2020-12; it is not changed itself.

    References lead to what they led to. Raises `SchemaError` for endless nesting.
    """
    if _current(schema):
        return Source(schema)
    reading = _Reading(schema)
    root = reading.upgraded(schema, None, 0)
    links = reading.linked(root)
    if not reading.entries and not links:
        return Source(schema)
    for node, path, target in links:
        node["$ref"] = target
        reading.note(path, "$ref", "rewritten", f"what it refers to stands at {target}")
    return Source(root, reading.locations, reading.entries)


def _current(schema: Node) -> bool:
    """Whether nothing in `schema` is to be upgraded; not known, so false, of very large ones."""
    words = watched(draft_of(schema)) | {"nullable"}
    pending: list[Any] = [schema]
    for _ in range(MOST_SCREENED):
        if not pending:
            return True
        each = pending.pop()
        if each.__class__ is dict:
            if screen(each, words):
                return False
            pending += [value for value in each.values() if value.__class__ in CONTAINERS]
        else:
            pending += [value for value in each if value.__class__ in CONTAINERS]
    return False


class _Reading:
    """One pass over one schema. An object at several paths is upgraded once."""

    def __init__(self, schema: Node) -> None:
        self.schema = schema
        self.draft = draft_of(schema)
        self.entries: Entries = {}
        self.locations: dict[int, Path] = {}
        self._made: dict[int, Node] = {}  # by the id of its original
        self._upgrades: list[Upgrade] = []  # kept: ids of schemas that they made are in `_made`
        self._references: list[tuple[Node, Path]] = []  # schemas with `$ref`, and where they were written
        self._anchors: dict[str, Segments] | None = None

    def note(self, path: Path, keyword: str, action: Action, reason: str) -> None:
        location = pointer(path)
        self.entries[location, keyword, action] = LedgerEntry(
            path=location, keyword=keyword, action=action, severity="kept elsewhere", reason=reason
        )

    def upgraded(self, node: Any, path: Path, level: int) -> Any:
        """`node` and all below it; the very same where nothing is to be upgraded and nothing referred to."""
        if node.__class__ is not dict:
            return node
        known = self._made.get(id(node))
        if known is not None:
            return known
        if level > LEVELS:
            raise SchemaError(pointer(path), "schemas are nested too deeply")
        found = upgrade(node, self.draft)
        if found is not None:
            self._upgrades.append(found)
            for change in found.changes:
                self.note(path, change.keyword, "rewritten" if change.into else "dropped", change.reason)
        changed = found is not None or path is None or "$ref" in node
        out: Node = {}
        for row in as_written(node) if found is None else found.rows:
            if row.keyword == "$id" and self.draft <= 7 and str(row.value).startswith("#"):
                self.note(path, row.source[0], "dropped", "a plain name is no $id since 2019-09")
                changed = True
                continue
            out[row.keyword] = value = self._below(row, path, level)
            changed = changed or value is not row.value
        made = out if changed else node
        if out.get("nullable").__class__ is bool:
            made = self._nullable(out, path)
        self._made[id(node)] = made
        if isinstance(node.get("$ref"), str):
            self._references.append((made if "$ref" in made else made["anyOf"][0], path))
        return made

    def _nullable(self, node: Node, path: Path) -> Node:
        self.note(path, "nullable", "rewritten", NULLABLE)
        takes = node.pop("nullable")
        made = with_null(node) if takes else node
        if "anyOf" in made and made["anyOf"][0] not in node.get("anyOf", ()):  # all but null, in a branch
            self.locations[id(made["anyOf"][0])] = path
        return made

    def _below(self, row: Row, path: Path, level: int) -> Any:
        """The value of one keyword."""
        keyword, value = row.keyword, row.value
        if keyword in SCHEMA:
            return self._child(value, path, row.source, level, moved=row.source != (keyword,))
        if keyword in SCHEMA_LIST and value.__class__ is list:
            moved = row.source != (keyword,)
            items = [
                self._child(item, path, (*row.source, str(i)), level, moved=moved)
                for i, item in enumerate(value)
            ]
            return items if any(made is not item for made, item in zip(items, value, strict=True)) else value
        if keyword in SCHEMA_MAP and value.__class__ is dict:
            named = {}
            for name, item in value.items():
                source = row.member(name)
                named[name] = self._child(item, path, source, level, moved=source != (keyword, name))
            return named if any(named[name] is not item for name, item in value.items()) else value
        return value

    def _child(self, value: Any, path: Path, source: Segments, level: int, *, moved: bool) -> Any:
        location = extended(path, source)
        made = self.upgraded(value, location, level + 1)
        if moved and made.__class__ is dict:
            self.locations.setdefault(id(made), location)
        return made

    # -- references ---------------------------------------------------------------------------

    def linked(self, root: Node) -> list[tuple[Node, Path, str]]:
        """The references whose targets have moved, with the new paths.

        What stands nowhere any more, and what no keyword of 2020-12 holds, is put under `$defs`.
        """
        targets: list[tuple[Node, Path, Segments, Any]] = []
        for node, path in self._references:  # which grows
            found = self._target(node["$ref"])
            if found is not None:
                before, location, segments = found
                targets.append((node, path, segments, self.upgraded(before, location, 0)))
        if not self.entries:
            return []
        stands: dict[int, Segments] = {}
        for at, each in _schemas(root):
            stands.setdefault(id(each), at)
        out: list[tuple[Node, Path, str]] = []
        for node, path, segments, target in targets:
            if _at(root, segments) is target:
                continue
            named = target.__class__ is dict
            now: Segments | None = stands.get(id(target)) if named else _renamed(root, segments, target)
            if now is None:
                now = "$defs", self._name(root, segments[-1])
                root["$defs"] = {**root.get("$defs", {}), now[1]: target}
                if named:
                    stands[id(target)] = now
                    self.locations.setdefault(id(target), extended(None, segments))
            out.append((node, path, "#" + pointer(extended(None, now)).replace("%", "%25")))
        return out

    def _target(self, reference: str) -> tuple[Any, Path, Segments] | None:
        """What a reference leads to as it is written, its path and its segments; None for nowhere, which the
        walk refuses."""
        try:
            segments = self._segments(reference)
            return *resolve(self.schema, segments, reference, None), segments
        except SchemaError:
            return None

    def _segments(self, reference: str) -> Segments:
        """Where a reference leads; raises `SchemaError` for one that is no local one."""
        if len(reference) > 1 and reference[0] == "#" and reference[1] != "/":
            if self._anchors is None:
                self._anchors = anchors(self.schema)
            if reference[1:] in self._anchors:
                return self._anchors[reference[1:]]
        return parse(reference, None)

    def _name(self, root: Node, stem: str) -> str:
        """A free name under `$defs`."""
        taken = root.get("$defs", {})
        name, count = stem or "definition", 1
        while name in taken:
            count += 1
            name = f"{stem}_{count}"
        return name


def _at(document: Any, segments: Segments) -> Any:
    """The value at `segments`; None where there is none."""
    try:
        return resolve(document, segments, "", None)[0]
    except SchemaError:
        return None


def _renamed(root: Node, segments: Segments, target: bool) -> Segments | None:
    """The path of a definition that is true or false."""
    at = "$defs", *segments[1:]
    return at if segments[:1] == ("definitions",) and _at(root, at) is target else None


def _schemas(root: Node) -> Iterator[tuple[Segments, Node]]:
    """Every schema object below a root, with its path; each once, outer ones first."""
    visited: set[int] = set()
    pending: deque[tuple[Segments, Any]] = deque([((), root)])
    while pending:
        at, node = pending.popleft()
        if node.__class__ is not dict or id(node) in visited:
            continue
        visited.add(id(node))
        yield at, node
        pending.extend(((*at, *map(str, path)), item) for path, item in subschemas(node))
