"""Equal schemas of one import as shared types.

Definitions (`$defs`) that several tools have alike become types, with all that they refer to; recursive ones,
too.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import map_subschemas, subschemas
from ..jsonschema.pointers import unescape
from ..spec.tool_names import package_problem
from .imported_names import clean, unique
from .merge import SCHEMAS

_DEFINITIONS = ("$defs", "definitions")
_REFERENCE = re.compile(r"#/(\$defs|definitions)/([^/%]+)")
_ANCHORS = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$schema"})
_DIGITS = 8


class SharedTypes(Struct, frozen=True):
    """The specs' data with references, and the schemas of the types by file name without suffix."""

    specs: tuple[JsonObject, ...]
    types: JsonMapping


def type_folder(label: str) -> str:
    """Return the folder below `_types` for the types of one source."""
    return _module(re.sub(r"[^A-Za-z0-9_-]+", "_", label).strip("_-") or "imported")


class _Definition(Struct, frozen=True):
    """A definition of a schema; its digest covers all that it refers to."""

    name: str
    schema: JsonObject
    digest: str


def share_types(specs: Sequence[JsonObject], folder: str) -> SharedTypes:
    """Replace equal definitions by references to types. Pure. `folder`, such as `../_types/git`, is relative
    to the specs.
    """
    types: JsonObject = {}
    found: list[dict[str, dict[str, _Definition]]] = []
    users: dict[tuple[str, str], set[int]] = defaultdict(set)
    known: dict[str, _Known] = {key: _Known() for key in SCHEMAS}
    for number, spec in enumerate(specs):
        own = {key: _definitions(spec[key], known[key]) for key in SCHEMAS if key in spec}
        found.append(own)
        for definitions in own.values():
            for each in definitions.values():
                users[each.name, each.digest].add(number)
    shared = sorted(key for key, tools in users.items() if len(tools) > 1)
    stems = dict(zip(shared, _stems(shared), strict=True))
    made: list[JsonObject] = []
    for spec, own in zip(specs, found, strict=True):
        changed = dict(spec)
        for key, definitions in own.items():
            chosen = {
                each.name: stems[each.name, each.digest]
                for each in definitions.values()
                if (each.name, each.digest) in stems
            }
            if chosen:
                changed[key] = _referring(spec[key], chosen, folder)
                for name, stem in chosen.items():
                    if stem not in types:
                        types[stem] = _with_references(definitions[name].schema, chosen, "")
        made.append(changed)
    return SharedTypes(tuple(made), dict(sorted(types.items())))


class _Known:
    """Definitions that were read, by name. They serve further schemas whose definitions of these names are
    the same objects, so that they refer to the same.
    """

    def __init__(self) -> None:
        self.schemas: JsonObject = {}
        self.edges: dict[str, set[str]] = {}
        self.digests: dict[str, str] = {}
        self.definitions: dict[str, _Definition] = {}


def _definitions(schema: object, known: _Known) -> dict[str, _Definition]:
    """Return the definitions of a schema that can stand in files; none where a reference leads elsewhere."""
    if not isinstance(schema, dict):
        return {}
    key = next((key for key in _DEFINITIONS if isinstance(schema.get(key), dict)), None)
    if key is None:
        return {}
    defined: JsonObject = schema[key]
    new = {name: each for name, each in defined.items() if known.schemas.get(name) is not each}
    if key != "$defs" or not new.keys().isdisjoint(known.schemas):
        known, new = _Known(), defined
    if not all(known.edges[name] <= defined.keys() for name in defined.keys() - new.keys()):
        return {}
    if not is_plain({**schema, key: new}, key, defined):
        return {}
    known.schemas.update(new)
    known.edges.update({name: set(_referred(each)) for name, each in new.items()})
    known.digests.update({name: _digest(each) for name, each in new.items()})
    for name, each in new.items():
        closure = _reachable(name, known.edges)
        if all(isinstance(known.schemas[other], dict) for other in closure):
            whole = _digest(sorted((other, known.digests[other]) for other in closure))
            known.definitions[name] = _Definition(name, each, whole)
    return {name: known.definitions[name] for name in defined if name in known.definitions}


def is_plain(schema: JsonObject, key: str, names: Container[str]) -> bool:
    """Return whether every reference leads to one of the definitions `names`, and nothing else has a name."""
    for node in _nodes(schema):
        if not _ANCHORS.isdisjoint(node) and (node is not schema or set(node) & _ANCHORS != {"$schema"}):
            return False
        if node is not schema and any(each in node for each in _DEFINITIONS):
            return False
        reference = node.get("$ref")
        if reference is None:
            continue
        match = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
        if match is None or match[1] != key or unescape(match[2]) not in names:
            return False
    return True


def _nodes(schema: object) -> Iterator[JsonObject]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += [item for _, item in subschemas(node)]


def _referred(schema: object) -> Iterator[str]:
    for node in _nodes(schema):
        match = _REFERENCE.fullmatch(node.get("$ref", ""))
        if match is not None:
            yield unescape(match[2])


def _reachable(name: str, edges: Mapping[str, set[str]]) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        for other in edges[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def _referring(schema: JsonObject, chosen: Mapping[str, str], folder: str) -> JsonObject:
    kept = dict(schema)
    for key in _DEFINITIONS:
        if isinstance(kept.get(key), dict):
            kept[key] = {name: each for name, each in kept[key].items() if name not in chosen}
            if not kept[key]:
                del kept[key]
    made: JsonObject = _with_references(kept, chosen, f"{folder}/")
    return made


def _with_references(schema: object, chosen: Mapping[str, str], before: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    made = map_subschemas(schema, lambda item: _with_references(item, chosen, before))
    match = _REFERENCE.fullmatch(made.get("$ref", ""))
    if match is not None and unescape(match[2]) in chosen:
        made["$ref"] = f"{before}{chosen[unescape(match[2])]}.yaml"
    return made


def _stems(shared: Sequence[tuple[str, str]]) -> list[str]:
    """Return a file name for each (name, digest): of those with one name, all but the first end in digits."""
    wanted: list[str] = []
    seen: set[str] = set()
    for name, digest in shared:
        wanted.append(name if name not in seen else f"{name}_{digest[:_DIGITS]}")
        seen.add(name)
    return unique([_module(name) for name in wanted])


def _module(name: str) -> str:
    cleaned = clean(name or "type")
    return cleaned if package_problem(cleaned) is None else f"{cleaned}_type"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
