"""Three-way merge of a spec as it is here with what its source declares now; the base is digests.

A change upstream alone is applied; a change here alone stays; different changes of both are a conflict, which
stays as it is here.

A spec is a tree of fields. A mapping is a branch where each key can change by itself: the spec, a schema, its
properties and definitions, annotations. `required` is a set of names. Everything else is a leaf.
"""

import base64
import hashlib
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from ..jsonschema.json_values import JsonObject
from ..jsonschema.pointers import join

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMAS = frozenset({"items", "additionalProperties", "unevaluatedProperties", "contains"})
SCHEMAS = ("parameters", "result")
"""The keys of a spec that hold schemas."""
_BRANCHES = ("annotations", "http", "providers")
_DECIDED = ("name", "permission", "secrets", "source", "$schema")
"""The keys of a spec that no import changes once they are there."""
_DIGEST = 12
_encode = msgspec.json.Encoder(order="sorted").encode


class _Leaf(Struct, frozen=True):
    value: Any


class NameSet(Struct, frozen=True):
    """A set of names, in the order in which they are written."""

    names: tuple[str, ...]


Node: TypeAlias = dict[str, "Node"] | _Leaf | NameSet
Digests: TypeAlias = dict[str, "Digests"] | str | list[str]
"""The same tree with a digest for each leaf, as JSON holds it."""


def fields_of(data: JsonObject) -> dict[str, Node]:
    """Return the fields of a spec that an import may change."""
    fields: dict[str, Node] = {}
    for key, value in data.items():
        if key in SCHEMAS:
            fields[key] = schema_fields(value)
        elif key in _BRANCHES:
            fields[key] = _mapping(value)
        elif key not in _DECIDED:
            fields[key] = _Leaf(value)
    return fields


def schema_fields(schema: object) -> Node:
    if not isinstance(schema, dict):
        return _Leaf(schema)
    fields: dict[str, Node] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            fields[key] = {name: schema_fields(item) for name, item in value.items()}
        elif key in _SCHEMAS and isinstance(value, dict):
            fields[key] = schema_fields(value)
        elif key == "required" and _is_set(value):
            fields[key] = NameSet(tuple(value))
        else:
            fields[key] = _Leaf(value)
    return fields


def _data_of(node: Node) -> object:
    if isinstance(node, _Leaf):
        return node.value
    if isinstance(node, NameSet):
        return list(node.names)
    return {key: _data_of(item) for key, item in node.items()}


def digests_of(node: Node) -> Digests:
    """Return the digests of a tree; equal for values that are equal as JSON, in whatever order."""
    if isinstance(node, _Leaf):
        digest = hashlib.sha256(_encode(_settled(node.value))).digest()
        return base64.urlsafe_b64encode(digest[:_DIGEST]).decode()
    if isinstance(node, NameSet):
        return sorted(node.names)
    return {key: digests_of(item) for key, item in sorted(node.items())}


def are_digests(value: object) -> bool:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            if not all(isinstance(name, str) for name in node):
                return False
        elif not isinstance(node, str):
            return False
    return True


def _mapping(value: object) -> Node:
    if not isinstance(value, dict):
        return _Leaf(value)
    return {key: _mapping(item) for key, item in value.items()}


def _is_set(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


def _settled(value: object) -> object:
    """Return `value` with whole floats as integers: JSON has one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    return value


Path: TypeAlias = tuple[str, ...]
Side = Literal["local", "upstream"]


class Edit(Struct, frozen=True):
    """A change of a document: `value` at `path`; UNSET removes it. A new key comes after `after`, or last."""

    path: Path
    value: Any = UNSET
    after: str | None = None


class FieldChange(Struct, frozen=True, kw_only=True):
    """One field that differs upstream from what came last; `here` and `upstream` are its values, UNSET for
    none.

    `kind` is "applied", "conflict" where it changed here, too, or "noted" where a spec has no place for it.
    """

    path: Path
    kind: Literal["applied", "conflict", "noted"]
    here: Any
    upstream: Any

    @property
    def pointer(self) -> str:
        """Return the path as `parameters/properties/city/description`."""
        return join(self.path).removeprefix("/")


class _Merged(Struct, frozen=True, kw_only=True):
    """Edits of a document, its fields that changed upstream, and its next base."""

    edits: tuple[Edit, ...]
    changes: tuple[FieldChange, ...]
    base: Digests

    @property
    def conflicts(self) -> tuple[FieldChange, ...]:
        return tuple(change for change in self.changes if change.kind == "conflict")


def merge(base: Digests | UnsetType, here: Node, upstream: Node, take: Side | None = None) -> _Merged:
    """Merge a document with what its source declares. Pure.

    `base` are digests of what was merged last; where they are UNSET, every difference of two present fields
    is a conflict. `take` is the side that wins where both changed.
    """
    work = _Work(take)
    made = work.node((), {} if base is UNSET else base, here, upstream)
    return _Merged(
        edits=tuple(work.edits), changes=tuple(work.changes), base={} if isinstance(made, UnsetType) else made
    )


class _Work(Struct):
    take: Side | None
    edits: list[Edit] = field(default_factory=list)
    changes: list[FieldChange] = field(default_factory=list)

    def node(
        self,
        path: Path,
        base: Digests | UnsetType,
        here: Node | UnsetType,
        upstream: Node | UnsetType,
        after: str | None = None,
    ) -> Digests | UnsetType:
        """Merge what is at `path`; return its digests for the next base, UNSET for nothing."""
        theirs = UNSET if isinstance(upstream, UnsetType) else digests_of(upstream)
        if theirs == base:
            return base
        ours = UNSET if isinstance(here, UnsetType) else digests_of(here)
        if ours == theirs:
            return theirs
        sets = _as_sets(base, here, upstream)
        if sets is not None:
            self._names(path, *sets, after)
            return theirs
        if isinstance(here, dict) and isinstance(upstream, dict) and isinstance(base, dict | UnsetType):
            return self._branch(path, base or {}, here, upstream)
        if ours == base or self.take == "upstream":
            self._apply(path, here, upstream, after)
            return theirs
        if self.take == "local":
            return theirs
        self.changes.append(
            FieldChange(path=path, kind="conflict", here=_data(here), upstream=_data(upstream))
        )
        return base

    def _branch(
        self, path: Path, base: dict[str, Digests], here: dict[str, Node], upstream: dict[str, Node]
    ) -> Digests:
        made: dict[str, Digests] = {}
        before: str | None = None
        for key in [*upstream, *sorted((set(base) | set(here)) - set(upstream))]:
            result = self.node(
                (*path, key), base.get(key, UNSET), here.get(key, UNSET), upstream.get(key, UNSET), before
            )
            if not isinstance(result, UnsetType):
                made[key] = result
            if key in upstream:
                before = key
        return made

    def _names(self, path: Path, base: set[str], here: NameSet, upstream: NameSet, after: str | None) -> None:
        gone = base - set(upstream.names)
        come = [name for name in upstream.names if name not in base and name not in here.names]
        names = (*(name for name in here.names if name not in gone), *come)
        if names != here.names:
            self._apply(path, here if here.names else UNSET, NameSet(names) if names else UNSET, after)

    def _apply(
        self, path: Path, here: Node | UnsetType, upstream: Node | UnsetType, after: str | None
    ) -> None:
        value = _data(upstream)
        self.edits.append(Edit(path, value, after))
        self.changes.append(FieldChange(path=path, kind="applied", here=_data(here), upstream=value))


def _as_sets(
    base: Digests | UnsetType, here: Node | UnsetType, upstream: Node | UnsetType
) -> tuple[set[str], NameSet, NameSet] | None:
    """Return the three as sets of names, where none is anything else; nothing is the empty set."""
    if not isinstance(base, list | UnsetType) or UNSET is base is here is upstream:
        return None
    if not isinstance(here, NameSet | UnsetType) or not isinstance(upstream, NameSet | UnsetType):
        return None
    empty = NameSet(())
    return set(base or ()), here or empty, upstream or empty


def _data(node: Node | UnsetType) -> object:
    return UNSET if isinstance(node, UnsetType) else _data_of(node)


def applied(data: JsonObject, edits: tuple[Edit, ...]) -> JsonObject:
    """Return the data of a document after edits."""
    made = data
    for edit in edits:
        made = _applied(made, edit.path, edit)
    return made


def _applied(data: JsonObject, path: Path, edit: Edit) -> JsonObject:
    key, *rest = path
    if rest:
        return {**data, key: _applied(data[key], tuple(rest), edit)}
    if edit.value is UNSET:
        return {name: value for name, value in data.items() if name != key}
    if key in data or edit.after not in data:
        return {**data, key: edit.value}
    made: JsonObject = {}
    for name, value in data.items():
        made[name] = value
        if name == edit.after:
            made[key] = edit.value
    return made
