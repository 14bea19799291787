"""Random edits of schemas, as revisions make them: one keyword, one property, one branch."""

import copy
import random
from collections.abc import Iterator
from typing import Any

from toolcast.jsonschema.keywords import subschemas

from ..fuzz.literals import FORMATS, KINDS, LITERALS, NAMES, NUMBERS, PATTERNS, STEPS
from ..fuzz.schemas import Composer

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)


def edited(rng: random.Random, schema: dict[str, Any]) -> dict[str, Any]:
    """A copy of a tool's parameters with one to three edits."""
    changed = copy.deepcopy(schema)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        nodes = list(_nodes(changed))
        node = rng.choice(nodes)
        rng.choice(_EDITS)(rng, node)
        changed["type"] = "object"
    return changed


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for _, below in subschemas(schema):
            yield from _nodes(below)


def _bound(rng: random.Random, node: dict[str, Any]) -> None:
    stated = [word for word in (*_BOUNDS, *_COUNTS) if word in node]
    if stated:
        word = rng.choice(stated)
        off = rng.choice((1, -1, 2))
        node[word] = max(0, node[word] + off) if word in _COUNTS else node[word] + off
    elif "string" in str(node.get("type", "string")):
        node[rng.choice(("minLength", "maxLength"))] = rng.choice((0, 1, 3, 5))
    else:
        node[rng.choice(_BOUNDS)] = rng.choice(NUMBERS)


def _drop(rng: random.Random, node: dict[str, Any]) -> None:
    words = [word for word in node if word != "$defs"]
    if words:
        del node[rng.choice(words)]


def _retype(rng: random.Random, node: dict[str, Any]) -> None:
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    roll = rng.random()
    if roll < 0.5 and kinds:
        kinds = list(dict.fromkeys([*kinds, rng.choice(KINDS)]))
    elif roll < 0.75 and len(kinds) > 1:
        kinds.remove(rng.choice(kinds))
    else:
        kinds = [rng.choice(KINDS)]
    node["type"] = kinds[0] if len(kinds) == 1 else kinds


def _members(rng: random.Random, node: dict[str, Any]) -> None:
    members = node.get("enum")
    if not members:
        node["enum"] = rng.sample(LITERALS, 3)
    elif rng.random() < 0.5 and len(members) > 1:
        members.pop(rng.randrange(len(members)))
    else:
        members.append(rng.choice(LITERALS))
    kept: dict[str, Any] = {repr(member): member for member in node["enum"]}
    node["enum"] = list(kept.values())


def _property(rng: random.Random, node: dict[str, Any]) -> None:
    named = node.setdefault("properties", {})
    if named and rng.random() < 0.4:
        del named[rng.choice(list(named))]
    else:
        named[rng.choice(NAMES)] = Composer(rng).schema(3)


def _required(rng: random.Random, node: dict[str, Any]) -> None:
    required = node.setdefault("required", [])
    if required and rng.random() < 0.5:
        required.pop(rng.randrange(len(required)))
    else:
        name = rng.choice([*node.get("properties", ()), rng.choice(NAMES)])
        node["required"] = list(dict.fromkeys([*required, name]))


def _closed(rng: random.Random, node: dict[str, Any]) -> None:
    if "additionalProperties" in node:
        del node["additionalProperties"]
    else:
        node["additionalProperties"] = rng.choice((False, True, {"type": "string"}))


def _branches(rng: random.Random, node: dict[str, Any]) -> None:
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node:
            if len(node[word]) > 1 and rng.random() < 0.5:
                node[word].pop(rng.randrange(len(node[word])))
            else:
                node[word].append(Composer(rng).schema(3))
            return
    node["anyOf"] = [Composer(rng).schema(3), {"type": "null"}]


def _nullable(rng: random.Random, node: dict[str, Any]) -> None:
    definitions = node.pop("$defs", None)
    inner = dict(node)
    node.clear()
    node["anyOf"] = [inner, {"type": "null"}] if rng.random() < 0.7 else [{"type": "null"}, inner]
    if definitions is not None:
        node["$defs"] = definitions


def _text(rng: random.Random, node: dict[str, Any]) -> None:
    if rng.random() < 0.3:
        node["format"] = rng.choice(FORMATS)
    else:
        node["pattern"] = rng.choice(PATTERNS)


def _array(rng: random.Random, node: dict[str, Any]) -> None:
    if rng.random() < 0.5:
        node["items"] = Composer(rng).schema(3)
    else:
        node["uniqueItems"] = not node.get("uniqueItems", False)


def _step(rng: random.Random, node: dict[str, Any]) -> None:
    node["multipleOf"] = rng.choice(STEPS)


def _described(rng: random.Random, node: dict[str, Any]) -> None:
    node["description"] = rng.choice(("new", "other"))


def _as_part(rng: random.Random, node: dict[str, Any]) -> None:  # noqa: ARG001  # as all edits
    definitions = node.pop("$defs", None)
    inner = dict(node)
    node.clear()
    node["allOf"] = [inner]
    if definitions is not None:
        node["$defs"] = definitions


def _replaced(rng: random.Random, node: dict[str, Any]) -> None:
    if "$defs" in node:
        return
    made = Composer(rng).schema(3)
    if isinstance(made, dict):
        node.clear()
        node.update(made)


_EDITS = (
    *(_bound, _bound, _drop, _drop, _retype, _members, _members, _property, _property, _required, _required),
    *(_closed, _branches, _branches, _nullable, _text, _array, _step, _described, _as_part, _replaced),
)
