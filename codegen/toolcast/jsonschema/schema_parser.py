"""Parses a schema into nodes in one pass: keywords of older drafts become those of 2020-12, and values that a
keyword cannot have are left out.

What takes more than one schema to judge is only noted: references, and keywords that may be defects.

`_FORMS` has the form of each keyword's value; `_usable_part` is the rest of a value of another form.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Set
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from .document import Document
from .json_values import JsonMapping, JsonObject
from .keywords import NUMBERS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP, SIZES, TEXTS
from .pointers import child, split
from .schema_node import (
    HOISTED,
    Action,
    Changes,
    LibrarySchemaError,
    Path,
    Schema,
    SchemaChange,
    SchemaError,
    SchemaNode,
    Segments,
    Severity,
    descendants,
    extended,
    null_in_place,
    parse_reference,
    pointer,
    record,
    subnodes,
    wrapped,
    wraps,
)
from .unusable_values import is_dialect, is_type, library_schema, python_object, types_meant, unusable_pattern
from .upgrade import KeywordRow, draft_of, screen, upgrade, watched
from .validator_errors import UnsupportedSchema

_LEVELS: Final = 200
"""Deepest nesting of schemas that is read."""
_MOST_NODES: Final = 50_000
"""Most schema objects in a document."""


class Repairs(Struct, frozen=True):
    """Malformed values of one schema object. `written`: its keywords before, in 2020-12 words. `changes`: the
    changes by keyword; "" is the schema itself, which was none.
    """

    written: JsonMapping
    changes: Mapping[str, SchemaChange]


@lru_cache(maxsize=8)
def _watched(draft: int) -> frozenset[str]:
    """Keywords by which `screen` recognises a schema object in older words."""
    return watched(draft) | {"nullable"}


class Parser:
    """One pass over one schema. An object at several paths is parsed at each."""

    def __init__(self, schema: JsonObject, *, checked: bool, refuses: Callable[[str], str]) -> None:
        """`refuses`: why a pattern is not to be used; "" where it is."""
        self.upgrades: Changes = {}
        self.converted: Changes = {}  # objects of libraries that carry a JSON Schema
        self.repairs: dict[int, Repairs] = {}  # by the id of a node
        self.references: list[SchemaNode] = []  # the nodes with `$ref`
        self.unresolved: dict[int, str] = {}  # why the reference of a node leads nowhere, by its id
        self.suspicious = False  # whether some schema may have a defect that is not repaired yet
        self._checked = checked
        self._schema, _ = (schema, None) if checked else self._carried(schema, None)
        self._draft = draft_of(self._schema)
        self._words = None if checked else _watched(self._draft)
        self._refuses = refuses
        self._nodes: dict[int, SchemaNode] = {}  # by the id of what was parsed
        self._count = 0  # of all nodes: an object at several paths has one for each
        self._alive: list[object] = []  # what was parsed and is no part of the schema: `_nodes` has its ids
        self._document: Document | None = None  # once a reference needs it
        self._has_addresses = False  # whether a schema below the root has an `$id`

    def parsed(self) -> SchemaNode:
        """The root. References lead to what they led to in the schema as it was written."""
        root = self._node(self._schema, None, 0)
        if not self._checked:
            self._link(root)
            self._words = None
        return root

    def target(self, schema: JsonObject, path: Path) -> SchemaNode:
        """The node of a schema that no keyword holds, but a reference leads to."""
        known = self._nodes.get(id(schema))
        if known is not None:
            return known
        self._alive.append(schema)
        return self._node(schema, path, 0)

    def _node(self, raw: JsonObject, path: Path, level: int) -> SchemaNode:
        if level >= _LEVELS:
            raise SchemaError(pointer(path), "schemas are nested too deeply")
        self._count += 1
        if self._count > _MOST_NODES:
            raise SchemaError(pointer(path), f"more than {_MOST_NODES} schemas", "split the tool")
        own = raw
        if not self._checked and path is not None:
            raw, path = self._carried(raw, path)
        written: JsonMapping = raw
        rows: Mapping[str, KeywordRow] | None = None
        nullable: bool | None = None
        if self._words is not None and screen(raw, self._words):
            written, rows, nullable = self._upgraded(raw, path)
        keywords: Any = written
        changes: dict[str, SchemaChange] = {}
        for key, value in written.items():
            form = _FORMS.get(key)
            if form is None or form is value.__class__:
                continue
            new: Any
            if form is ONE and isinstance(value, (dict, bool)):
                at = (path, key) if rows is None else extended(path, rows[key].source)
                new = self._node(value, at, level + 1) if isinstance(value, dict) else value
            elif form is _MAP and isinstance(value, dict):
                at = path, key
                if key == "patternProperties" and any(map(self._is_unusable, value)):
                    self.suspicious = True
                new = {
                    name: self._node(
                        item,
                        (at, name) if rows is None else extended(path, rows[key].member(name)),
                        level + 1,
                    )
                    if isinstance(item, dict)
                    else self._held(item, at, name)
                    for name, item in value.items()
                }
            elif form is _LIST and isinstance(value, list) and value:
                at = (path, key) if rows is None else extended(path, rows[key].source)
                new = [
                    self._node(item, (at, str(i)), level + 1)
                    if isinstance(item, dict)
                    else self._held(item, (path, key), str(i))
                    for i, item in enumerate(value)
                ]
            elif isinstance(form, _Form) and form.accepts(value):
                continue
            else:
                new = self._examined(key, value, path, rows, changes)
            if new is value:
                continue
            if keywords is written:
                keywords = dict(written)
            if new is _OMITTED:
                del keywords[key]
            else:
                keywords[key] = new
        refers = "$ref" in keywords
        if keywords is written and (refers or path is None):
            keywords = dict(written)  # `_link` may change these
        node = SchemaNode(keywords, path)
        if changes:
            self.repairs[id(node)] = Repairs(written, changes)
        if refers:
            self.references.append(node)
        if nullable is not None:
            node = self._nullable(node, written, accepted=nullable)
        self._nodes.setdefault(id(own), node)
        return node

    def _carried(self, raw: JsonObject, path: Path) -> tuple[JsonObject, Path]:
        """A schema, or the one that the object of a library carries, with its path. Raises
        LibrarySchemaError.
        """
        found = library_schema(raw, root=path is None)
        if found is None:
            return raw, path
        if found.schema is None:
            raise LibrarySchemaError(pointer(path), found.message, found.hint)
        reason = "is replaced by the JSON Schema that it carries"
        record(self.converted, path, found.path[0], "rewritten", "kept elsewhere", reason)
        return found.schema, path if path is None else extended(path, found.path)

    # -- values that a keyword cannot have ------------------------------------------------------------

    def _held(self, value: object, at: Path, name: str) -> Schema:
        """One of several schemas, which is no object; a value that is no schema accepts every value."""
        if isinstance(value, bool):
            return value
        if (found := python_object(value)) is not None:
            raise LibrarySchemaError(pointer((at, name)), found.message, found.hint)
        node = SchemaNode({}, (at, name))
        change = SchemaChange(
            path=pointer(at), keyword=name, action="dropped", severity="lost", reason=_NO_SCHEMA
        )
        self.repairs[id(node)] = Repairs({}, {"": change})
        self._alive.append(node)
        return node

    def _examined(
        self,
        key: str,
        value: object,
        path: Path,
        rows: Mapping[str, KeywordRow] | None,
        changes: dict[str, SchemaChange],
    ) -> Any:
        """The usable part of a value that is malformed or may be a defect; `_OMITTED` for nothing."""
        if self._checked:
            return value
        if key == "type" and value is not None:
            meant = types_meant(value)
            if meant is None:
                self.suspicious = True
                return value
            shown = json.dumps(meant)
            changes[key] = SchemaChange(
                path=pointer(path), keyword=key, action="rewritten", severity="changed",
                reason=f"is read as {shown}, because {value!r:.60} is not a type of JSON Schema",
            )  # fmt: skip
            return meant
        if _FORMS[key] is not _EXAMINED or (key in TEXTS and not isinstance(value, str)):
            left, action, severity, reason = _usable_part(key, value)
            changes[key] = SchemaChange(
                path=pointer(path), keyword=key, action=action, severity=severity, reason=reason
            )
            return left
        if (
            key == "$id"
            and self._words is not None
            and isinstance(value, str)
            and (path is not None or "#" in value)
        ):
            self._has_addresses = True
            source = key if rows is None else rows[key].source[0]
            reason = "is left out, because references are pointers into the whole schema now"
            record(self.upgrades, path, source, "dropped", "kept elsewhere", reason)
            return _OMITTED
        sound = is_dialect(value) if key == "$schema" else key == "pattern" and not self._is_unusable(value)
        self.suspicious = self.suspicious or not sound
        return value

    def _is_unusable(self, pattern: Any) -> bool:
        return bool(not self._checked and (unusable_pattern(pattern) or self._refuses(pattern)))

    def changes_of_values(self, root: SchemaNode) -> Iterator[SchemaChange]:
        """Yield what became of malformed values in `root` and below it, in the order of schemas."""
        for node in descendants(root) if self.repairs else ():
            if id(node) in self.repairs:
                yield from self.repairs[id(node)].changes.values()

    # -- older forms ----------------------------------------------------------------------------------

    def _upgraded(
        self, raw: JsonObject, path: Path
    ) -> tuple[JsonMapping, Mapping[str, KeywordRow] | None, bool | None]:
        """The keywords of a schema in 2020-12 words, where each was written, and the value of `nullable`."""
        found = upgrade(raw, self._draft)
        if found is None:
            out, rows = raw, None
        else:
            for change in found.changes:
                action: Action = "rewritten" if change.into else "dropped"
                record(self.upgrades, path, change.keyword, action, "kept elsewhere", change.reason)
            rows = {row.keyword: row for row in found.rows}
            out = {row.keyword: row.value for row in found.rows}
            self._alive.append(out)
        nullable = out.get("nullable")
        if nullable.__class__ is not bool:
            return out, rows, None
        return {key: value for key, value in out.items() if key != "nullable"}, rows, nullable

    def _nullable(self, node: SchemaNode, written: Mapping[str, object], *, accepted: bool) -> SchemaNode:
        """A node that said whether it is nullable. `written`: its keywords with malformed values."""
        record(
            self.upgrades,
            node.path,
            "nullable",
            "rewritten",
            "kept elsewhere",
            "is replaced by the type null" if accepted else "is left out, because false constrains nothing",
        )
        if not accepted:
            return node
        wrapping = wraps(written)
        made = wrapped(node) if wrapping else null_in_place(node)
        if made is node:
            return node
        inner = made.keywords["anyOf"][0] if wrapping else made
        if self.references and self.references[-1] is node:
            self.references[-1] = inner
        self._alive.append(node)
        repairs = self.repairs.pop(id(node), None)
        if repairs is not None:
            outside = HOISTED & written.keys() if wrapping else frozenset[str]()
            self.repairs[id(inner)] = _part(repairs, written.keys() - outside)
            if outside:
                outer = _part(repairs, outside)
                self.repairs[id(made)] = Repairs({"anyOf": True, **outer.written}, outer.changes)
        return made

    # -- references -----------------------------------------------------------------------------------

    def _link(self, root: SchemaNode) -> None:
        """Parse what references lead to; those whose targets have moved get new paths. What stands nowhere
        any more, and what no keyword of 2020-12 holds, is put under `$defs`.
        """
        targets: list[tuple[SchemaNode, Segments, Schema]] = []
        for node in self.references:  # which grows
            found = self._written_target(node)
            if found is not None:
                before, at, segments = found
                targets.append(
                    (node, segments, self.target(before, at) if isinstance(before, dict) else before)
                )
        if not self.upgrades and self._document is None:
            return
        stands: dict[int, Segments] = {}
        for at_now, each in _nodes_below(root):
            stands.setdefault(id(each), at_now)
        links: list[tuple[SchemaNode, str]] = []
        for node, segments, target in targets:
            now = segments
            if not self._stands_at(root, segments, target):
                moved = stands.get(id(target)) if isinstance(target, SchemaNode) else None
                if moved is None:
                    definitions = root.keywords.get("$defs", {})
                    moved = "$defs", _free_name(definitions, segments[-1])
                    root.keywords["$defs"] = {**definitions, moved[1]: target}
                    if isinstance(target, SchemaNode):
                        stands[id(target)] = moved
                now = moved
            elif _points_at(node.keywords["$ref"], segments):
                continue
            links.append((node, "#" + pointer(extended(None, now)).replace("%", "%25")))
        for node, reference in links:
            node.keywords["$ref"] = reference
            reason = f"is replaced by {reference}, where its target is"
            record(self.upgrades, node.path, "$ref", "rewritten", "kept elsewhere", reason)

    def _written_target(self, node: SchemaNode) -> tuple[Any, Path, Segments] | None:
        """The target of a node's reference in the schema as it was written; None for nowhere."""
        reference = node.keywords["$ref"]
        try:
            if self._has_addresses or (reference != "#" and not reference.startswith("#/")):
                if self._document is None:
                    self._document = Document(self._schema, self._draft)
                at = pointer(node.path)
                found = self._document.resolve(reference, self._document.base(at), at)
                value, segments = found.schema, tuple(split(found.pointer))
            else:
                value, segments = self._schema, parse_reference(reference, None)
                for segment in segments:
                    value = child(value, segment)
        except UnsupportedSchema as problem:
            self.unresolved[id(node)] = problem.reason
            return None
        except (SchemaError, LookupError):  # reported where the reference is read
            return None
        return (value, extended(None, segments), segments) if isinstance(value, dict | bool) else None

    def _stands_at(self, root: SchemaNode, segments: Segments, target: Schema) -> bool:
        """Return whether a keyword holds a target at its old path."""
        value: object = root
        for segment in segments:
            if isinstance(value, SchemaNode):
                repairs = self.repairs.get(id(value))
                value = {**repairs.written, **value.keywords} if repairs else value.keywords
            try:
                value = child(value, segment)
            except LookupError:
                return False
        return value is target


def _points_at(reference: str, segments: Segments) -> bool:
    return reference[:2] in ("#", "#/") and parse_reference(reference, None) == segments


def _part(repairs: Repairs, keywords: Set[str]) -> Repairs:
    return Repairs(
        {key: value for key, value in repairs.written.items() if key in keywords},
        {key: change for key, change in repairs.changes.items() if key in keywords},
    )


def _nodes_below(root: SchemaNode) -> Iterator[tuple[Segments, SchemaNode]]:
    """Every node below a root, with its segments; each once, outer ones first."""
    visited: set[int] = set()
    pending: deque[tuple[Segments, Schema]] = deque([((), root)])
    while pending:
        at, node = pending.popleft()
        if not isinstance(node, SchemaNode) or id(node) in visited:
            continue
        visited.add(id(node))
        yield at, node
        pending.extend(((*at, *segments), below) for segments, below in subnodes(node))


def _free_name(taken: Mapping[str, object], stem: str) -> str:
    name, count = stem or "definition", 1
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    return name


class _Form(Struct, frozen=True, eq=False):
    """A form that takes more than a look at the class of a value."""

    accepts: Callable[[Any], bool]


def _is_number(value: object) -> bool:
    return value.__class__ is int or value.__class__ is float


def _is_size(value: Any) -> bool:
    return (value.__class__ is int and value >= 0) or (
        value.__class__ is float and value >= 0 and value.is_integer()
    )


def _distinct(value: Any) -> bool:
    """Return whether a value is a list of texts, each of them once."""
    try:
        return value.__class__ is list and len(set(value)) == len(value) and "".join(value).__class__ is str
    except TypeError:
        return False


def _nothing(_: object) -> bool:
    return False


ONE, _LIST, _MAP = _Form(_nothing), _Form(_nothing), _Form(_nothing)
"""Keywords that hold schemas."""
_EXAMINED = _Form(_nothing)
"""Keywords that may be defects, though their values have the right form."""
_FORMS: Final[Mapping[str, type | _Form]] = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys(NUMBERS, _Form(_is_number)),
    **dict.fromkeys(SIZES, _Form(_is_size)),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable"), bool),
    **dict.fromkeys(("enum", "examples"), list),
    **dict.fromkeys(SCHEMA, ONE),
    **dict.fromkeys(SCHEMA_LIST, _LIST),
    **dict.fromkeys(SCHEMA_MAP, _MAP),
    "type": _Form(is_type),
    "multipleOf": _Form(lambda value: _is_number(value) and value > 0),
    "required": _Form(_distinct),
    "dependentRequired": _Form(lambda value: value.__class__ is dict and all(map(_distinct, value.values()))),
    **dict.fromkeys(
        ("$dynamicRef", "$recursiveRef", "$vocabulary", "$id", "$anchor", "$schema", "pattern"),
        _EXAMINED,
    ),
}
"""The form of each keyword's value: its class, or a condition."""
_NO_SCHEMA = "is left out, because a schema is an object, true or false"
_OMITTED: Final = object()


def _usable_part(key: str, value: object) -> tuple[Any, Action, Severity, str]:
    """The usable part of a malformed value, `_OMITTED` for none; and what is to be reported."""
    if value is None:
        return (
            _OMITTED,
            "dropped",
            "kept elsewhere",
            "is left out, because its value is null, which constrains nothing",
        )
    if key == "required" and isinstance(value, bool):
        reason = (
            "is left out, because a property cannot require itself; the object's `required` lists its name"
        )
        return _OMITTED, "dropped", "lost", reason
    if key == "required" and isinstance(value, list):
        names = list(dict.fromkeys(name for name in value if isinstance(name, str)))
        return names, "rewritten", "kept elsewhere", "is reduced to its names, each of them once"
    if key in SCHEMA:
        return _OMITTED, "dropped", "lost", _NO_SCHEMA
    if key in SCHEMA_MAP:
        return _OMITTED, "dropped", "lost", "is left out, because its value must be an object of schemas"
    return _OMITTED, "dropped", "lost", f"is left out, because its value {value!r:.40} is malformed"
