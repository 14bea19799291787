"""Resolves references: the resources, anchors and locations of one schema document."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import pointers
from .subschemas import subschemas
from .validator_errors import UnsupportedSchema

MAX_SCHEMA_DEPTH = 100
_OBJECTS = (dict, Mapping)  # asking for the plain one first takes a third of the time


class SchemaLocation(NamedTuple):
    """A schema in the document: its pointer, and the base URI of its references."""

    schema: Any
    pointer: str
    base: str


class Document:
    """An index of one document. Nothing outside of it is ever read."""

    def __init__(self, root: Any) -> None:
        """Index a document.

        Args:
            root: its root schema, as JSON.

        Raises:
            UnsupportedSchema: two schemas have one `$id` or one anchor, or schemas are nested too deeply.
        """
        self.resources: dict[str, SchemaLocation] = {"": SchemaLocation(root, "", "")}
        self.anchors: dict[tuple[str, str], SchemaLocation] = {}
        self.bases: dict[str, str] = {}
        for location in walk(SchemaLocation(root, "", "")):
            self._add(location)
        self.resources[""] = SchemaLocation(root, "", self.bases[""])

    def _add(self, location: SchemaLocation) -> None:
        schema, pointer, base = location
        self.bases[pointer] = base
        if not isinstance(schema, _OBJECTS):
            return
        if isinstance(schema.get("$id"), str):
            if base in self.resources and self.resources[base].pointer != pointer:
                raise UnsupportedSchema(f"{pointer}/$id", f"another schema has the `$id` {base!r}")
            self.resources[base] = location
        for word in ("$anchor", "$dynamicAnchor"):
            name = schema.get(word)
            if isinstance(name, str) and self.anchors.setdefault((base, name), location).pointer != pointer:
                raise UnsupportedSchema(f"{pointer}/{word}", f"another schema has the anchor {name!r}")

    def locate(self, pointer: str) -> SchemaLocation | None:
        """Find the schema at a place.

        Args:
            pointer: JSON pointer from the root.

        Returns:
            The schema; None where nothing is there.
        """
        return self._descend(self.resources[""], pointer)

    def resolve(self, reference: str, base: str, pointer: str) -> SchemaLocation:
        """Find the target of a reference.

        Args:
            reference: the value of `$ref`.
            base: base URI of the schema that has it.
            pointer: JSON pointer of the `$ref`, for the error.

        Returns:
            The target.

        Raises:
            UnsupportedSchema: it is not in this document, or is no schema.
        """
        uri, _, fragment = reference.partition("#")
        target = join(base, uri) if uri else base
        resource = self.resources.get(target)
        if resource is None:
            raise UnsupportedSchema(pointer, f"`$ref` {reference!r} leads outside of this document")
        fragment = _unquote(fragment)
        if not fragment:
            return resource
        if fragment.startswith("/"):
            found = self._descend(resource, fragment)
        else:
            found = self.anchors.get((target, fragment))
        if found is None:
            raise UnsupportedSchema(pointer, f"`$ref` {reference!r} leads nowhere")
        if not isinstance(found.schema, (bool, Mapping)):
            raise UnsupportedSchema(pointer, f"`$ref` {reference!r} leads to something that is no schema")
        return found

    def _descend(self, start: SchemaLocation, pointer: str) -> SchemaLocation | None:
        value, at, base = start
        for raw in pointer.split("/")[1:]:
            try:
                value = pointers.child(value, pointers.unescape(raw))
            except LookupError:
                return None
            at = f"{at}/{raw}"
            base = self.bases.get(at, base)
        return SchemaLocation(value, at, base)


def walk(start: SchemaLocation) -> Iterator[SchemaLocation]:
    """Every schema in a document, the root first, each with its base URI. Does not recurse. Raises
    UnsupportedSchema for schemas that are nested more than `MAX_SCHEMA_DEPTH` deep."""
    stack = [(start, 0)]
    while stack:
        (schema, pointer, base), depth = stack.pop()
        if depth > MAX_SCHEMA_DEPTH:
            raise UnsupportedSchema(pointer, f"schemas nested more than {MAX_SCHEMA_DEPTH} deep")
        base = base_of(schema, base)
        yield SchemaLocation(schema, pointer, base)
        if isinstance(schema, _OBJECTS):
            below = subschemas(schema)
            stack += [
                (SchemaLocation(item, pointer + pointers.join(path), base), depth + 1) for path, item in below
            ]


def join(base: str, uri: str) -> str:
    """`uri` seen from `base`, as RFC 3986 joins them."""
    if not uri:
        return base
    from urllib.parse import urljoin  # only documents with an $id pay for the import

    try:
        return urljoin(base, uri)
    except ValueError:  # a malformed address: compare it as written
        return uri


def base_of(schema: Any, base: str) -> str:
    """The base URI inside of `schema`, where `base` is that around it."""
    if isinstance(schema, _OBJECTS) and isinstance(schema.get("$id"), str):
        return join(base, schema["$id"].partition("#")[0])
    return base


def _unquote(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
