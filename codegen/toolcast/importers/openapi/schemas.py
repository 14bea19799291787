"""Schema Objects → JSON Schema 2020-12, for requests or for answers.

Schemas of OpenAPI 3.0 are read as its specification defines them, those of 3.1 and 3.2 by the dialect that
they name, else 2020-12. A component becomes a definition of its own name, with a form for each direction:

* requests: `readOnly` properties are left out, also of `required`; constraints stay as they are.
* responses: `writeOnly` properties are left out, and so is everything that an API in fact exceeds: undeclared
  properties are accepted, `enum` and `const` become examples, formats, patterns and bounds are left out, and
  `oneOf` becomes `anyOf`. Types, `required`, properties, items and `null` stay.

`nullable: true` accepts null everywhere, also beside `$ref`, `enum` and `allOf`, where 3.0.3 gives it no
effect in letters. All else beside a `$ref` of 3.0 has no effect but for texts.
"""

import hashlib
from collections.abc import Mapping
from typing import Final, Literal, cast

from ...jsonschema.json_values import JsonObject, count_parts
from ...jsonschema.keywords import ANY_SCHEMA_MAP, CONSTRAINTS, SCHEMA, SCHEMA_LIST, subschemas
from ...jsonschema.pointers import escape, join, unescape
from ...jsonschema.upgrade import named_draft, rows_of
from ...spec.parsed_document import Path
from ...spec.spec_checker import MAX_VALUES, quoted
from .discriminators import Inheritance, Part, tagged
from .document import OpenApiDocument, UnreadableError, plain_text, shortened, target, value_at

_Direction = Literal["request", "response"]
_DROPPED: Final = frozenset(
    {
        "xml", "externalDocs", "discriminator", "readOnly", "writeOnly", "nullable", "example", "$defs",
        "definitions", "$id", "id", "$anchor", "$dynamicAnchor", "$schema", "$comment", "$vocabulary",
    }
)  # fmt: skip
_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})
_EXCEEDED: Final = frozenset(CONSTRAINTS) - {
    "type", "properties", "required", "items", "prefixItems", "additionalProperties", "patternProperties",
    "allOf", "anyOf", "oneOf",
}  # fmt: skip
"""Constraints that answers do not keep to."""
_NAMING: Final = frozenset({"properties", "required", "allOf"})
"""Keywords from which hidden properties are left out."""
_BESIDE_REFERENCE: Final = ("title", "description", "default", "deprecated")
"""Siblings of `$ref` that 3.0 keeps: they accept and refuse nothing."""
_OUTSIDE: Final = ("title", "description", "default", "examples", "deprecated")
"""Keywords that stand beside a union with null, not in it."""
_DIALECTS: Final = (
    "https://spec.openapis.org/oas/3.1/dialect/",
    "https://spec.openapis.org/oas/3.2/dialect/",
)
_MAX_EXAMPLES: Final = 20
_MAX_PARTS: Final = 256
"""Most schemas that apply to one value by `allOf` and `$ref`."""


_SMALLER: Final[Mapping[_Direction, str]] = {
    "request": "name the wanted operations by `--path` or `--tag`, or let the schema refer to fewer others",
    "response": "import without response schemas (`--no-results`), or let the schema refer to fewer others",
}


class SchemaConverter:
    """Converts the schemas of one document for one direction. Each definition is converted once."""

    def __init__(self, document: OpenApiDocument, direction: _Direction) -> None:
        self.document = document
        self.direction: _Direction = direction
        self._draft = _dialect(document)
        self._names: dict[tuple[Path, Part], str] = {}
        self._owners: dict[str, tuple[Path, Part]] = {}
        self._definitions: JsonObject = {}
        self._used: dict[str, tuple[str, ...]] = {}
        self._sizes: dict[str, int] = {}
        self._flagged: dict[Path, tuple[str, ...]] = {}
        self._inheritance = Inheritance(document)

    def convert(self, schema: object, path: Path) -> object:
        """Convert the schema at `path`; its references are `#/$defs/…`. Raises UnreadableError."""
        return self._schema(schema, path, self._draft, "value")

    def definitions(self, schema: object, path: Path) -> JsonObject:
        """Return the definitions that a converted schema of the operation at `path` needs, sorted by name.
        Raises UnreadableError: one cannot be converted, or they have more values than a spec may have.
        """
        waiting = _references(schema)
        found: JsonObject = {}
        size = 0
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._definition(name)
                waiting += self._used[name]
                size += self._sizes[name]
                if size > MAX_VALUES:
                    message = f"its {self.direction} refers to schemas of more than {MAX_VALUES:,} values"
                    raise UnreadableError(
                        path,
                        "openapi-too-large",
                        f"{message}, which no spec may have",
                        _SMALLER[self.direction],
                    )
        return {name: found[name] for name in sorted(found)}

    def resolve(self, reference: str) -> object:
        return self._definition(_name_of(reference))

    def _definition(self, name: str) -> object:
        if name not in self._definitions:
            path, part = self._owners[name]
            self._definitions[name] = self._schema(
                value_at(self.document.data, path), path, self._draft, part
            )
            self._used[name] = tuple(_references(self._definitions[name]))
            self._sizes[name] = count_parts(self._definitions[name])
        return self._definitions[name]

    def _schema(self, schema: object, path: Path, draft: int, part: Part) -> object:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            message = f"a schema must stand here, not {quoted(str(schema))}"
            raise UnreadableError(path, "openapi-shape", message, "correct the document")
        draft = named_draft(schema.get("$schema")) or draft
        if self.document.version == "3.0" and "$ref" in schema:
            converted = self._reference_of_3_0(schema, path, part)
        else:
            converted = self._object(schema, path, draft, part)
        if self.direction == "request" and part == "value":
            converted = tagged(self._inheritance, schema, converted, path, self._reference)
        return _with_null(converted) if schema.get("nullable") is True else converted

    def _reference_of_3_0(self, schema: JsonObject, path: Path, part: Part) -> JsonObject:
        kept: JsonObject = {
            key: self._value(key, schema[key], path, 2020) for key in _BESIDE_REFERENCE if key in schema
        }
        if self.direction == "response":
            kept.pop("default", None)
        return {"$ref": self._reference(schema["$ref"], path, part), **kept}

    def _reference(self, reference: object, path: Path, part: Part) -> str:
        _, found = target(self.document.data, reference, path)
        if part == "part" and not self._inheritance.differs(found, union_only=self.direction == "response"):
            part = "value"  # one definition serves both
        key = (found, part)
        if key not in self._names:
            name = self._new_name(found, part)
            self._names[key] = name
            self._owners[name] = key
        return f"#/$defs/{escape(self._names[key])}"

    def _new_name(self, path: Path, part: Part) -> str:
        """Return a component's own name; else a name that depends on the path only."""
        suffix = "_base" if part == "part" else ""
        if len(path) == 3 and path[:2] == ("components", "schemas"):
            name = str(path[2]) + suffix
        else:
            last = next((str(step) for step in reversed(path) if isinstance(step, str)), "schema")
            name = f"{last}_{hashlib.sha256(join(path).encode()).hexdigest()[:8]}{suffix}"
        components = self.document.data.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        while name in self._owners or (suffix and isinstance(schemas, dict) and name in schemas):
            name += "_"
        return name

    def _object(self, schema: JsonObject, path: Path, draft: int, part: Part) -> JsonObject:
        hidden = self._hidden(schema, path) if schema.keys() & _NAMING else frozenset[str]()
        out: JsonObject = {}
        left_out = self._inheritance.union_keywords(path) if part == "part" else ()
        for row in rows_of(schema, draft):
            keyword, value, at = row.keyword, row.value, (*path, *row.source)
            if keyword in _DYNAMIC:
                message = f"`{keyword}` has no meaning apart from its document"
                raise UnreadableError(at, "openapi-dynamic-reference", message, "write `$ref`")
            if keyword in _DROPPED or keyword in left_out or keyword.startswith("x-"):
                continue
            if keyword == "$ref":
                out["$ref"] = self._reference(value, path, _part_of_reference(schema, part))
            elif keyword == "properties" and isinstance(value, dict):
                out["properties"] = {
                    name: self._schema(item, (*path, *row.member(name)), draft, "value")
                    for name, item in value.items()
                    if name not in hidden
                }
            elif keyword == "required" and isinstance(value, list):
                out["required"] = _without(value, hidden)
            elif keyword == "allOf" and isinstance(value, list):
                out["allOf"] = self._all_of(schema, value, at, draft, hidden)
            else:
                out[keyword] = self._value(keyword, value, at, draft)
        if out.get("required") == []:
            del out["required"]
        if "example" in schema and "examples" not in out:
            out["examples"] = [schema["example"]]
        elif isinstance(out.get("examples"), dict):  # OpenAPI's map of Example Objects, in a wrong place
            del out["examples"]
        return self._answered(out) if self.direction == "response" else out

    def _value(self, keyword: str, value: object, path: Path, draft: int) -> object:
        if keyword == "description" and isinstance(value, str):
            return shortened(plain_text(value))
        if keyword in SCHEMA:
            return self._schema(value, path, draft, "part" if keyword in ("if", "then", "else") else "value")
        if keyword in SCHEMA_LIST and isinstance(value, list):
            return [self._schema(item, (*path, i), draft, "value") for i, item in enumerate(value)]
        if keyword in ANY_SCHEMA_MAP and isinstance(value, dict):
            return {name: self._schema(item, (*path, name), draft, "value") for name, item in value.items()}
        return value

    def _all_of(
        self, schema: JsonObject, parts: list[object], path: Path, draft: int, hidden: frozenset[str]
    ) -> list[object]:
        """Return parts of `allOf`; a lone reference describes the value: 3.0 so writes texts beside it."""
        alone = len(parts) == 1 and not (schema.keys() & CONSTRAINTS.keys() - {"allOf"})
        alone = alone and not self._inheritance.inherits(path[:-1])
        found: list[object] = []
        for i, part in enumerate(parts):
            converted = self._schema(part, (*path, i), draft, "value" if alone else "part")
            if hidden and isinstance(converted, dict) and isinstance(converted.get("required"), list):
                names = _without(converted["required"], hidden)
                converted = {key: value for key, value in converted.items() if key != "required"}
                if names:
                    converted["required"] = names
            found.append(converted)
        return found

    def _hidden(self, schema: Mapping[str, object], path: Path) -> frozenset[str]:
        """Return names of properties that this direction does not have, also of the parts of `allOf`."""
        found: set[str] = set()
        waiting: list[tuple[object, Path]] = [(schema, path)]
        visited: set[Path] = set()
        while waiting:
            each, at = waiting.pop()
            if not isinstance(each, dict) or at in visited:
                continue
            visited.add(at)
            if len(visited) > _MAX_PARTS:
                message = f"`allOf` and `$ref` apply more than {_MAX_PARTS} schemas to one value"
                raise UnreadableError(path, "openapi-parts", message, "put the properties into fewer schemas")
            if "$ref" in each:
                waiting.append(target(self.document.data, each["$ref"], at))
            found.update(self._own_hidden(each, at))
            parts = each.get("allOf")
            if isinstance(parts, list):
                waiting += [(part, (*at, "allOf", i)) for i, part in enumerate(parts)]
        return frozenset(found)

    def _own_hidden(self, schema: Mapping[str, object], path: Path) -> tuple[str, ...]:
        if path not in self._flagged:
            keyword = "readOnly" if self.direction == "request" else "writeOnly"
            properties = schema.get("properties")
            self._flagged[path] = tuple(
                name
                for name, item in (properties.items() if isinstance(properties, dict) else ())
                if self._has_flag(item, keyword, (*path, "properties", name))
            )
        return self._flagged[path]

    def _has_flag(self, schema: object, keyword: str, path: Path) -> bool:
        """Return whether a schema, its target, or its lone part of `allOf`, has a flag."""
        for _ in range(32):
            if not isinstance(schema, dict):
                return False
            if schema.get(keyword) is True:
                return True
            parts = schema.get("allOf")
            if "$ref" in schema:
                schema, path = target(self.document.data, schema["$ref"], path)
            elif isinstance(parts, list) and len(parts) == 1:
                schema, path = parts[0], (*path, "allOf", 0)
            else:
                return False
        return False

    def _answered(self, schema: JsonObject) -> JsonObject:
        out: JsonObject = {}
        for keyword, value in schema.items():
            if keyword in _EXCEEDED or keyword in ("default", "examples"):
                continue
            if keyword == "additionalProperties" and value is False:
                continue
            if keyword == "oneOf":
                if "anyOf" in schema:
                    out["allOf"] = [*(out if "allOf" in out else schema).get("allOf", []), {"anyOf": value}]
                else:
                    out["anyOf"] = value
            elif keyword not in out:
                out[keyword] = value
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(values, list) and values:
            out["examples"] = values[:_MAX_EXAMPLES]
            if "type" in out and None in values:
                out = cast("JsonObject", _with_null(out))
        return out


def _without(names: list[object], hidden: frozenset[str]) -> list[object]:
    """Return names that are not hidden; a value that is no name is left for the compiler to report."""
    return [name for name in names if not (isinstance(name, str) and name in hidden)]


def _part_of_reference(schema: Mapping[str, object], part: Part) -> Part:
    """Treat a `$ref` beside other constraints as one part of them, as in `allOf`."""
    return "part" if schema.keys() & CONSTRAINTS.keys() else part


def _dialect(document: OpenApiDocument) -> int:
    """Return the draft of schemas that name none."""
    named = document.data.get("jsonSchemaDialect") if document.version != "3.0" else None
    if named is None or (isinstance(named, str) and named.startswith(_DIALECTS)):
        return 2020
    draft = named_draft(named)
    if draft is None:
        message = f"the dialect {quoted(str(named))} of the schemas is not known"
        hint = "name a draft of JSON Schema, or leave `jsonSchemaDialect` out"
        raise UnreadableError(("jsonSchemaDialect",), "openapi-dialect", message, hint)
    return draft


def _name_of(reference: str) -> str:
    return unescape(reference.removeprefix("#/$defs/"))


def _references(schema: object) -> list[str]:
    found: dict[str, None] = {}
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and isinstance(each.get("$ref"), str):
            found[_name_of(each["$ref"])] = None
        waiting += [item for _, item in subschemas(each)]
    return list(found)


def _with_null(schema: object) -> object:
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    simple = not schema.keys() & {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "const"}
    if simple and isinstance(kind, str) and kind not in ("object", "array"):
        out = {**schema, "type": [kind, "null"] if kind != "null" else kind}
        values: object = out.get("enum")
        if isinstance(values, list) and None not in values:
            out["enum"] = [*values, None]
        return out
    if simple and kind is None and "enum" not in schema:
        return schema  # accepts null already
    if simple and isinstance(kind, list) and "null" in kind and None in schema.get("enum", [None]):
        return schema
    inner = {key: value for key, value in schema.items() if key not in _OUTSIDE}
    outer = {key: value for key, value in schema.items() if key in _OUTSIDE}
    return {"anyOf": [inner, {"type": "null"}], **outer}
