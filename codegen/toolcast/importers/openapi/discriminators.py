"""Discriminators as constants, so that a schema says by itself which branch a value belongs to.

JSON Schema knows no discriminator: to it, every branch with any string as the property accepts every value.
In schemas of requests, therefore:

* a branch of `oneOf` or `anyOf` with a `discriminator` requires the property, with the values that `mapping`
  gives the branch, or else the name of its component.
* a schema with a `discriminator` and no union, from which others derive by `allOf`, is the union of those;
  also of itself, where there is no `mapping`.
* a component that derives from one with a `discriminator` requires the property, with its own values.

Nothing is added where the branch does not declare the property, declares no string, or lacks these values.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ...jsonschema.keywords import union_of_names
from ...jsonschema.pointers import join
from ...spec.parsed_document import Path
from .document import OpenApiDocument, UnreadableError, target, value_at

Part = Literal["value", "part"]
"""Whether a schema describes a value by itself, or is a part of another one (`allOf`)."""
_MakeReference = Callable[[object, Path, Part], str]
_COMPONENTS = ("components", "schemas")
_UNIONS = ("oneOf", "anyOf")
_MAX_DERIVED: Final = 1_000
"""Most components that a discriminator tells apart."""
_MAX_ANCESTORS: Final = 256
"""Components from which one derives, of which a discriminator is looked for."""


class _Discriminator(Struct, frozen=True):
    """Values of `mapping` are by the path of their schema."""

    property: str
    mapping: Mapping[Path, tuple[str, ...]]

    def values(self, path: Path) -> tuple[str, ...]:
        """Return the values for the schema at `path`; none for an inline schema without a mapping."""
        found = self.mapping.get(path)
        if found is None and path[:2] == _COMPONENTS and len(path) == 3:
            found = (str(path[2]),)
        return found or ()


class Inheritance:
    """The components that derive from others by `allOf`, and the discriminators that they inherit."""

    def __init__(self, document: OpenApiDocument) -> None:
        self.root = document.data
        components = document.data.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        self._schemas: JsonObject = schemas if isinstance(schemas, dict) else {}
        self._derived: dict[Path, tuple[Path, ...]] = {}
        self._inherited: dict[Path, _Discriminator | None] = {}
        self._children: dict[Path, list[Path]] = {}
        for name, schema in self._schemas.items():
            for parent in self._parents(schema, (*_COMPONENTS, name)):
                self._children.setdefault(parent, []).append((*_COMPONENTS, name))

    def inherits(self, path: Path) -> bool:
        return self.inherited(path) is not None

    def inherited(self, path: Path) -> _Discriminator | None:
        """Return the discriminator of the nearest component from which the one at `path` derives."""
        if path not in self._inherited:
            stated = (self.own(self._schema(parent)) for parent in self._line(path))
            self._inherited[path] = next((each for each in stated if each is not None), None)
        return self._inherited[path]

    def own(self, schema: object) -> _Discriminator | None:
        """Return the `discriminator` of a schema, if it can be read. With `defaultMapping` (3.2) the property
        may hold anything, so it tells nothing apart.
        """
        found = schema.get("discriminator") if isinstance(schema, dict) else None
        name = found.get("propertyName") if isinstance(found, dict) else None
        if not isinstance(found, dict) or not isinstance(name, str) or "defaultMapping" in found:
            return None
        written = found.get("mapping")
        mapping: dict[Path, tuple[str, ...]] = {}
        for value, place in written.items() if isinstance(written, dict) else ():
            path = self._mapped(place)
            if path is not None:
                mapping[path] = (*mapping.get(path, ()), value)
        return _Discriminator(name, mapping)

    def derived(self, path: Path) -> tuple[Path, ...]:
        """Return the components that derive from the one at `path`, also over others, in order. Raises
        UnreadableError where there are more than `_MAX_DERIVED`.
        """
        if path in self._derived:
            return self._derived[path]
        found: dict[Path, None] = {}
        waiting = [path]
        while waiting:
            for child in self._children.get(waiting.pop(), ()):
                if child not in found and child != path:
                    found[child] = None
                    waiting.append(child)
            if len(found) > _MAX_DERIVED:
                message = f"more than {_MAX_DERIVED} components derive from this one by `allOf`"
                hint = "remove its `discriminator`, or derive fewer from it"
                raise UnreadableError(path, "openapi-parts", message, hint)
        ordered = tuple(child for child in ((*_COMPONENTS, name) for name in self._schemas) if child in found)
        self._derived[path] = ordered
        return ordered

    def differs(self, path: Path, *, union_only: bool) -> bool:
        """Return whether the schema at `path` differs as a part of others; with `union_only`, only because
        its own branches derive from it.
        """
        if self.union_keywords(path):
            return True
        own = self.own(self._schema(path))
        return not union_only and (self.inherits(path) or (own is not None and bool(self.derived(path))))

    def union_keywords(self, path: Path) -> tuple[str, ...]:
        """Return `oneOf` or `anyOf` of a component where branches derive from it: no part of those."""
        schema = self._schema(path)
        if schema is None or "discriminator" not in schema:
            return ()
        derived = self.derived(path)
        return tuple(
            keyword
            for keyword in _UNIONS
            if any(found in derived for found in branches(self.root, schema, path, keyword).values())
        )

    def declared_values(
        self, path: Path, name: str, beside: Mapping[str, object] | None = None
    ) -> list[object] | None:
        """Return what `enum` and `const` leave of a property at `path` and in `beside`, which applies to the
        same value; [] for any text, None where it is not declared, or is no string.
        """
        found: list[object] | None = None
        applied = [(value_at(self.root, each), each) for each in (path, *self._line(path))]
        for schema, place in (*applied, (beside, path)):
            for item in _property(schema, name):
                item = self._followed(item, place)
                if not _may_be_text(item):
                    return None
                values = item.get("enum", [item["const"]] if "const" in item else [])
                if isinstance(values, list):
                    known = found or []
                    found = [value for value in values if not known or value in known] or known
        return found

    def _followed(self, item: object, path: Path) -> JsonObject:
        for _ in range(8):
            if not isinstance(item, dict) or "$ref" not in item:
                break
            item, path = target(self.root, item["$ref"], path)
        return item if isinstance(item, dict) else {}

    def _schema(self, path: Path) -> JsonObject | None:
        found = self._schemas.get(str(path[2])) if len(path) == 3 and path[:2] == _COMPONENTS else None
        return found if isinstance(found, dict) else None

    def _line(self, path: Path) -> Iterator[Path]:
        visited = {path}
        waiting = [path]
        while waiting and len(visited) <= _MAX_ANCESTORS:
            for parent in self._parents(self._schema(waiting.pop(0)), path):
                if parent not in visited:
                    visited.add(parent)
                    waiting.append(parent)
                    yield parent

    def _parents(self, schema: object, path: Path) -> Iterator[Path]:
        parts = schema.get("allOf") if isinstance(schema, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict) and isinstance(part.get("$ref"), str):
                found = self._target(part["$ref"], path)
                if found is not None:
                    yield found

    def _mapped(self, place: object) -> Path | None:
        """Return the schema that a value of `mapping` names: by reference, or by the name of a component."""
        if not isinstance(place, str):
            return None
        if place in self._schemas:
            return (*_COMPONENTS, place)
        return self._target(place, ("components",))

    def _target(self, reference: str, path: Path) -> Path | None:
        try:
            return target(self.root, reference, path)[1]
        except UnreadableError:
            return None  # it is reported where it is converted


def branches(root: JsonObject, schema: Mapping[str, object], path: Path, keyword: str) -> dict[int, Path]:
    """Return the branches of a union that are only a reference, by index, with the paths of their schemas."""
    found: dict[int, Path] = {}
    written = schema.get(keyword)
    for i, branch in enumerate(written if isinstance(written, list) else ()):
        if isinstance(branch, dict) and branch.keys() == {"$ref"}:
            found[i] = target(root, branch["$ref"], (*path, keyword, i))[1]
    return found


def tagged(
    inheritance: Inheritance,
    schema: JsonObject,
    converted: JsonObject,
    path: Path,
    reference: _MakeReference,
) -> JsonObject:
    """Return a converted schema with its discriminators as constants. `schema` is the same as written;
    `reference` makes a reference to the definition of a schema.
    """
    own = inheritance.own(schema)
    if own is None:
        inherited = inheritance.inherited(path)
        tag = _tag(inheritance, inherited, path) if inherited is not None else None
        return converted if tag is None else _joined(converted, tag)
    for keyword in _UNIONS:
        if keyword in schema and keyword in converted:
            return _union(inheritance, own, (schema, converted, path, keyword), reference)
    derived = tuple(own.mapping) or (path, *inheritance.derived(path))
    if len(path) != 3 or path[:2] != _COMPONENTS or derived == (path,):
        return converted
    tags = [_tag(inheritance, own, each) for each in derived]
    union = [
        {"$ref": reference("#" + join(each), path, "part"), **(tag or {})}
        for each, tag in zip(derived, tags, strict=True)
    ]
    texts: JsonObject = {key: converted[key] for key in ("title", "description") if key in converted}
    return {"oneOf" if all(tags) else "anyOf": union, **texts}


def _union(
    inheritance: Inheritance,
    own: _Discriminator,
    union: tuple[JsonObject, JsonObject, Path, str],
    reference: _MakeReference,
) -> JsonObject:
    """Return a union with branches told apart by constants; a branch that is listed again is left out."""
    schema, converted, path, keyword = union
    paths = branches(inheritance.root, schema, path, keyword)
    found: list[object] = []
    done: set[Path] = set()
    for i, branch in enumerate(converted[keyword]):
        at = paths.get(i)
        if at is None:
            found.append(branch)
            continue
        if at in done:
            continue
        done.add(at)
        tag = _tag(inheritance, own, at, schema)
        if tag is None:
            found.append(branch)
        else:
            found.append({"$ref": reference(schema[keyword][i]["$ref"], (*path, keyword, i), "part"), **tag})
    return {**converted, keyword: found}


def _tag(
    inheritance: Inheritance, own: _Discriminator, path: Path, union: Mapping[str, object] | None = None
) -> JsonObject | None:
    """Return constraints that tell a schema apart; `union` may declare the property. None where the document
    forbids it.
    """
    declared = inheritance.declared_values(path, own.property, union)
    if declared is None:
        return None
    values = [value for value in own.values(path) if not declared or value in declared]
    if not values:
        return None
    constant: JsonObject = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {"properties": {own.property: {"type": "string", **constant}}, "required": [own.property]}


def _joined(converted: JsonObject, tag: JsonObject) -> JsonObject:
    properties = converted.get("properties", {})
    required = converted.get("required", [])
    for name, constant in tag["properties"].items():
        known = properties.get(name)
        properties = {**properties, name: {**(known if isinstance(known, dict) else {}), **constant}}
    return {**converted, "properties": properties, "required": union_of_names(required, tag["required"])}


def _property(schema: object, name: str) -> Iterator[object]:
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) and name in properties:
        yield properties[name]
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and "$ref" not in part:
            inner = part.get("properties")
            if isinstance(inner, dict) and name in inner:
                yield inner[name]


def _may_be_text(item: Mapping[str, object]) -> bool:
    kind = item.get("type", "string")
    return kind == "string" or (isinstance(kind, list) and "string" in kind)
