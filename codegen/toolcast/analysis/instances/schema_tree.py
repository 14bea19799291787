"""References in a schema document, and the subschemas that may apply to a value.

Independent of the verified code: it shares pointers, the table of keywords and how `nullable` is written in
JSON Schema, no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

import jsonschema_rs

from ...jsonschema.json_values import JsonObject
from ...jsonschema.keywords import subschemas
from ...jsonschema.pointers import join, resolve
from ...providers.schema_judge import Schema as Schema

CERTAIN = 1
POSSIBLE = 0


class SchemaTree:
    """A document with local references, and the schema at `root`, a JSON pointer, that applies to values."""

    def __init__(self, document: Mapping[str, object], root: str = "") -> None:
        self.document = document
        self.start = self.find("#" + root)

    def find(self, reference: object) -> Schema:
        """Return the schema at a local reference; `True` where there is none (others report that)."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return True
        try:
            return resolve(self.document, unquote(reference[1:]))
        except LookupError:
            return True

    def same_value(self, schemas: Sequence[tuple[Schema, int]]) -> list[tuple[JsonObject, int]]:
        """Return every object schema that may apply to the same value, each once, with whether it certainly
        does.
        """
        found: dict[int, tuple[JsonObject, int]] = {}
        waiting = list(schemas)
        while waiting:
            node, sure = waiting.pop()
            if not isinstance(node, dict):
                continue
            known = found.get(id(node))
            if known is not None and known[1] >= sure:
                continue
            found[id(node)] = (node, sure)
            if "$ref" in node:
                waiting.append((self.find(node["$ref"]), sure))
            waiting += [(branch, sure) for branch in _list(node.get("allOf"))]
            for keyword in ("anyOf", "oneOf"):
                waiting += [(branch, POSSIBLE) for branch in _list(node.get(keyword))]
            waiting += [(node[key], POSSIBLE) for key in ("not", "if", "then", "else") if key in node]
            dependent = node.get("dependentSchemas")
            waiting += [(s, POSSIBLE) for s in (dependent.values() if isinstance(dependent, dict) else ())]
        return list(found.values())

    def member(self, nodes: Sequence[tuple[JsonObject, int]], name: str) -> list[tuple[Schema, int]]:
        """Return the schemas for property `name` of a value to which `nodes` (from `same_value`) apply."""
        found: list[tuple[Schema, int]] = []
        for node, sure in nodes:
            named = False
            properties = node.get("properties")
            if isinstance(properties, dict) and name in properties:
                found.append((properties[name], sure))
                named = True
            patterns = node.get("patternProperties")
            for pattern, schema in patterns.items() if isinstance(patterns, dict) else ():
                if matches(pattern, name):
                    found.append((schema, sure))
                    named = True
            if not named and "additionalProperties" in node:
                found.append((node["additionalProperties"], sure))
            if "unevaluatedProperties" in node:
                found.append((node["unevaluatedProperties"], POSSIBLE))
        return found

    def item(self, nodes: Sequence[tuple[JsonObject, int]], index: int) -> list[tuple[Schema, int]]:
        """Return the schemas for the item at `index`."""
        found: list[tuple[Schema, int]] = []
        for node, sure in nodes:
            prefix = _list(node.get("prefixItems"))
            if index < len(prefix):
                found.append((prefix[index], sure))
            elif "items" in node:
                found.append((node["items"], sure))
            for keyword in ("contains", "unevaluatedItems"):
                if keyword in node:
                    found.append((node[keyword], POSSIBLE))
        return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _pattern_validator(pattern: str) -> jsonschema_rs.Draft202012Validator | None:
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches, approximately: enough to decide which schema *may* apply."""
    validator = _pattern_validator(pattern)
    return validator is not None and validator.is_valid(text)


def subschemas_of(schema: Schema, path: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Yield every object schema of a document with its JSON pointer, but none inside of literals."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for below, item in subschemas(schema):
        yield from subschemas_of(item, path + join(below))
