"""From a contract document to the typed tree."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from ..jsonschema import Validator
from ..jsonschema.equality import equal
from ..jsonschema.pointers import escape, split
from ..jsonschema.schema_compiler import Schemas
from .all_of import merged
from .any_of import read_union
from .forms import asserting, form_of, only_part
from .judging import listed
from .keeping import judges, kept
from .kinds import READERS, Site
from .normal_pointers import indexed
from .tree import Anything, Choice, Node, Nothing, Null, Reference, Union

ROOTS: Final = ("parameters", "result")

SHARED: Final = ("allOf", "anyOf", "oneOf", "not", "if", "$ref")
"""Keywords that may refuse a value of any type."""

MAX_FLATTENED: Final = 10_000
"""Schemas with `allOf` (or `$ref` and more) flattened in one contract: each copies what it refers to."""


class Reader:
    """Reads schemas of one contract document. Pure but for its memo of validators."""

    def __init__(
        self, document: Mapping[str, Any], schemas: Schemas, files: Mapping[str, str] | None = None
    ) -> None:
        """`document` has been compiled without complaint, by `schemas`.

        `files` names the shared type file of each definition that lives in one.
        """
        self.document = document
        self.pointers: dict[int, str] = {}
        self._schemas = schemas
        self._open: set[int] = set()  # schemas being flattened
        self._flattened = 0
        self._keep: list[Any] = []  # schemas made here, kept alive because `pointers` goes by identity
        judged = False
        tops = [(schema, "/$defs/" + escape(name)) for name, schema in document.get("$defs", {}).items()]
        tops += [(document[root], "/" + root) for root in ROOTS if root in document]
        for top, at in tops:
            for schema, pointer in indexed(top, at):
                self.pointers[id(schema)] = pointer
                judged = judged or judges(schema)
        self._merged: dict[int, tuple[dict[str, Any], bool]] = {}
        self._kept = kept(self, document, files or {}) if judged else frozenset[str]()

    def validator(self, schema: Any) -> Validator:
        """The exact validator of a schema of this document, or of one made from its parts."""
        return Validator(schema, shared=self._schemas)

    def place(self, schema: Any, pointer: str) -> str:
        """Where `schema` stands; at `pointer` unless the document knows better."""
        return self.pointers.get(id(schema), pointer)

    def keeps(self, pointer: str) -> bool:
        """Whether the object at `pointer` keeps properties that it does not declare."""
        return pointer in self._kept

    def accepts(self, schema: Any, value: Any) -> bool:
        """Whether `schema` accepts `value`, by the exact validator."""
        if isinstance(schema, bool):
            return schema
        if value is None and "type" in schema and "null" not in listed(schema["type"]):
            return False  # asked of each optional property; the other keywords can only refuse more
        return self.validator(schema).accepts(value)

    def adopt(self, made: dict[str, Any], origin: Any, pointer: str) -> dict[str, Any]:
        """Let a schema made here stand at the place of the one it was made from."""
        self.pointers[id(made)] = self.place(origin, pointer)
        self._keep.append(made)
        return made

    def resolve(self, reference: str) -> Any:
        """The schema that a normal-form reference names."""
        node: Any = self.document
        for step in split(reference):
            node = node[step]
        return node

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`, which stands at `pointer` unless the document knows better."""
        if isinstance(schema, bool):
            return Anything(pointer=pointer) if schema else Nothing(pointer=pointer)
        pointer = self.place(schema, pointer)
        description = schema.get("description", "")
        description = description if isinstance(description, str) else ""
        keys = asserting(schema)
        form = form_of(schema, keys)
        if form == "anything":
            return Anything(pointer=pointer, description=description)
        if form == "only part":
            alone = only_part(schema)
            assert alone is not None
            node = self.read(schema["allOf"][alone], f"{pointer}/allOf/{alone}")
            return structs.replace(node, description=description or node.description)
        if form == "reference":
            return _reference(schema["$ref"], pointer, description, tuple(sorted(keys - {"$ref"})))
        if form == "flattened":
            return self.flattened(schema, pointer, description)
        if form == "choice":
            return self._choice(schema, schema, pointer, description)
        if form == "union":
            keyword = "anyOf" if "anyOf" in keys else "oneOf"
            return read_union(self, schema, keyword, pointer, description)
        return self._typed(schema, keys, pointer, description)

    def merged(self, schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """`schema` with its `allOf` and `$ref` folded in, and whether anything was left out."""
        known = self._merged.get(id(schema))
        if known is None:
            known = self._merged[id(schema)] = merged(schema, self.resolve)
        return known

    def flattened(self, schema: Mapping[str, Any], pointer: str, description: str) -> Node:
        """`schema` with `allOf` and `$ref` folded in, as far as that can be said in one schema."""
        if id(schema) in self._open or self._flattened >= MAX_FLATTENED:
            # It contains itself, or very much: what is left is a value of any type, checked as a whole.
            return Anything(
                pointer=pointer, description=description, residue=tuple(sorted(asserting(schema)))
            )
        self._open.add(id(schema))
        self._flattened += 1
        node = self._flat(schema, pointer, description)
        self._open.remove(id(schema))
        return node

    def _flat(self, schema: Mapping[str, Any], pointer: str, description: str) -> Node:
        flat, lossy = self.merged(schema)
        if "enum" in flat or "const" in flat:
            return self._choice(flat, schema, pointer, description)
        node = self._typed(flat, asserting(flat), pointer, description)
        return structs.replace(node, residue=(*node.residue, "allOf")) if lossy else node

    def _choice(
        self, schema: Mapping[str, Any], whole: Mapping[str, Any], pointer: str, description: str
    ) -> Node:
        """`enum` and `const` leave finitely many values: keep those that the whole schema accepts."""
        candidates = schema["enum"] if "enum" in schema else [schema["const"]]
        if schema is whole and _only_strings(schema, candidates):
            values = list(dict.fromkeys(candidates))
        else:
            values = self._accepted(whole, candidates)
        if not values:
            return Nothing(pointer=pointer, description=description)
        if values == [None]:
            return Null(pointer=pointer, description=description)
        return Choice(pointer=pointer, description=description, values=tuple(values))

    def _accepted(self, schema: Mapping[str, Any], candidates: list[Any]) -> list[Any]:
        """Those of `candidates` that `schema` accepts, each once."""
        accepts = self.validator(schema).accepts
        values: list[Any] = []
        for value in candidates:
            if accepts(value) and not any(equal(value, v) for v in values):
                values.append(value)
        return values

    def _typed(self, schema: Mapping[str, Any], keys: set[str], pointer: str, description: str) -> Node:
        """By `type`; `keys` are what the schema asserts."""
        types = schema.get("type")
        if types is None:
            residue = tuple(sorted(keys - {"type"}))
            return Anything(pointer=pointer, description=description, residue=residue)
        kinds = [types] if isinstance(types, str) else list(dict.fromkeys(types))
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        residue = () if keys.isdisjoint(SHARED) else _shared(keys)
        site = Site(schema, pointer, description, residue)
        nodes = [READERS[kind](self, site) for kind in kinds]
        if len(nodes) == 1:
            return nodes[0]
        return Union(pointer=pointer, description=description, mode="types", branches=tuple(nodes))


def _shared(keys: set[str]) -> tuple[str, ...]:
    """Those of `keys` that may refuse a value of any type."""
    return tuple(k for k in SHARED if k in keys and (k != "if" or {"then", "else"} & keys))


def _only_strings(schema: Mapping[str, Any], members: list[Any]) -> bool:
    """Whether a schema is an enum of strings and says nothing else that could refuse one of them."""
    if schema.get("type", "string") != "string" or not asserting(schema) <= {"type", "enum"}:
        return False
    return all(isinstance(member, str) for member in members)


def _reference(ref: str, pointer: str, description: str, residue: tuple[str, ...]) -> Reference:
    """A reference node for `#/$defs/Name` or `#/parameters`."""
    path = split(ref)
    name, root = (path[1], "") if path[0] == "$defs" else ("", path[0])
    return Reference(pointer=pointer, description=description, residue=residue, name=name, root=root)
