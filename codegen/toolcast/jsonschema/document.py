"""Resolves references: the resources, anchors and locations of one schema document."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import pointers
from .json_values import equal
from .keywords import Path, subschemas
from .validator_errors import UnsupportedSchema

MAX_SCHEMA_DEPTH = 100
_OBJECTS = (dict, Mapping)  # asking for the plain one first takes a third of the time


class SchemaLocation(NamedTuple):
    """A schema in the document: its pointer, and the base URI of its references."""

    schema: Any
    pointer: str
    base: str


class ExternalReference(UnsupportedSchema):  # as the class above it
    """A reference to another document; no schema of this one has its address."""


class Document:
    """An index of one document: its schemas by `$id`, anchor and location, by the rules of its draft. Reads
    nothing else.
    """

    def __init__(self, root: Any, draft: int | None = None, shared: "Document | None" = None) -> None:
        """Index a document. Raises UnsupportedSchema for schemas that are nested too deeply. `draft`: that of
        a document as it was written; None for 2020-12 without older forms. The definitions that are those of
        `shared`, which have no names of their own, are indexed when a reference leads there.
        """
        self._draft = draft
        self.resources: dict[str, SchemaLocation] = {"": SchemaLocation(root, "", "")}
        self.anchors: dict[tuple[str, str], SchemaLocation] = {}
        self.bases: dict[str, str] = {}
        self._shared: set[str | tuple[str, str]] = set()  # the addresses and anchors of different schemas
        indexed = root
        if shared is not None:
            known = shared.resources[""].schema["$defs"]
            own = {name: each for name, each in root["$defs"].items() if known.get(name) is not each}
            indexed = {**root, "$defs": own}
        for location in walk(SchemaLocation(indexed, "", ""), draft):
            self._add(location)
        self.resources[""] = SchemaLocation(root, "", self.bases[""])

    def _add(self, location: SchemaLocation) -> None:
        schema, pointer, base = location
        self.bases[pointer] = base
        if not isinstance(schema, _OBJECTS):
            return
        draft = self._draft or 2020
        address, _, name = identifier(schema, draft).partition("#")
        if address:
            self._name(self.resources, base, location)
        if name and not name.startswith("/"):  # a plain name, until draft 7
            self._name(self.anchors, (base, name if draft <= 7 else f"#{name}"), location)
        for word, first in (("$anchor", 2019), ("$dynamicAnchor", 2020)):
            anchor = schema.get(word)
            if isinstance(anchor, str):
                self._name(self.anchors, (base, anchor if draft >= first else f"#{anchor}"), location)

    def _name(self, named: dict[Any, SchemaLocation], name: Any, location: SchemaLocation) -> None:
        known = named.setdefault(name, location)
        if known.pointer != location.pointer and not equal(known.schema, location.schema):
            self._shared.add(name)

    def base(self, pointer: str) -> str:
        """Return the base URI of the nearest schema at or above a pointer."""
        while pointer not in self.bases:
            pointer = pointer.rpartition("/")[0]
        return self.bases[pointer]

    def locate(self, pointer: str) -> SchemaLocation | None:
        """Return the schema at a pointer; None where nothing is there."""
        return self._descend(self.resources[""], pointer)

    def resolve(self, reference: str, base: str, pointer: str) -> SchemaLocation:
        """Return the target of a reference from a base URI; `pointer` is that of the `$ref`, for the error.
        Raises ExternalReference where it is not in this document, UnsupportedSchema where it leads
        nowhere, to one of several schemas, or to what is no schema.
        """
        found = self.find(reference, base, pointer)
        if found is None:
            raise UnsupportedSchema(pointer, f"the reference {reference!r} leads nowhere")
        if not isinstance(found.schema, (bool, Mapping)):
            reason = f"the reference {reference!r} leads to something that is no schema"
            raise UnsupportedSchema(pointer, reason)
        return found

    def find(self, reference: str, base: str, pointer: str) -> SchemaLocation | None:
        """Return what a reference leads to, which may be no schema; None for nothing. Raises as `resolve`."""
        uri, _, fragment = reference.partition("#")
        target = _join(base, uri) if uri else base
        resource = self.resources.get(target)
        if resource is None:
            raise ExternalReference(pointer, f"the reference {reference!r} does not point into this schema")
        fragment = _unquote(fragment)
        names = [(target, fragment), (target, f"#{fragment}")]
        named = fragment and not fragment.startswith("/")
        name = next((name for name in names if name in self.anchors), names[0]) if named else names[0]
        if target in self._shared or name in self._shared:
            raise UnsupportedSchema(pointer, f"the reference {reference!r} names several schemas")
        if not fragment:
            found: SchemaLocation | None = resource
        elif named:
            found = self.anchors.get(name)
        else:
            found = self._descend(resource, fragment)
        if (
            found is not None and found.pointer not in self.bases
        ):  # no keyword holds it: what is in it has no names
            for below in walk(found, self._draft):
                self.bases.setdefault(below.pointer, below.base)
            found = found._replace(base=self.bases[found.pointer])
        return found

    def _descend(self, start: SchemaLocation, pointer: str) -> SchemaLocation | None:
        value, at, base = start
        for raw in pointer.split("/")[1:]:
            try:
                value = pointers.child(value, pointers.unescape(raw))
            except LookupError:
                return None
            at += pointers.join((pointers.unescape(raw),))
            base = self.bases.get(at, base)
        return SchemaLocation(value, at, base)


def walk(start: SchemaLocation, draft: int | None = None) -> Iterator[SchemaLocation]:
    """Yield every schema in a document, the root first, each with its base URI. Does not recurse. Raises
    UnsupportedSchema for schemas that are nested more than `MAX_SCHEMA_DEPTH` deep.
    """
    stack = [(start, 0)]
    while stack:
        (schema, pointer, base), depth = stack.pop()
        if depth > MAX_SCHEMA_DEPTH:
            raise UnsupportedSchema(pointer, f"schemas nested more than {MAX_SCHEMA_DEPTH} deep")
        base = base_of(schema, base, draft or 2020)
        yield SchemaLocation(schema, pointer, base)
        if isinstance(schema, _OBJECTS):
            below = subschemas(schema) if draft is None else written_subschemas(schema, draft)
            stack += [
                (SchemaLocation(item, pointer + pointers.join(path), base), depth + 1) for path, item in below
            ]


def written_subschemas(schema: Mapping[str, object], draft: int) -> Iterator[tuple[Path, object]]:
    """Yield path, as written, and value of the schemas directly below one of any draft."""
    from .upgrade import rows_of  # only documents with names of their own pay for the import

    for row in rows_of(schema, draft):
        for path, item in subschemas({row.keyword: row.value}):
            yield (row.source if len(path) == 1 else row.member(str(path[1]))), item


def identifier(schema: object, draft: int = 2020) -> str:
    """Return `$id` (draft 4: `id`); "" for none. Until draft 7 it has no effect beside `$ref`."""
    if not isinstance(schema, _OBJECTS) or (draft <= 7 and "$ref" in schema):
        return ""
    value = schema.get("$id" if draft > 4 else "id")
    return value if isinstance(value, str) else ""


def _join(base: str, uri: str) -> str:
    """`uri` seen from `base`, as RFC 3986 joins them."""
    if not uri:
        return base
    from urllib.parse import urljoin  # only documents with an $id pay for the import

    try:
        return urljoin(base, uri)
    except ValueError:  # a malformed address: compare it as written
        return uri


def base_of(schema: object, base: str, draft: int = 2020) -> str:
    """The base URI inside of `schema`, where `base` is that around it."""
    return _join(base, identifier(schema, draft).partition("#")[0])


def _unquote(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
