"""From a contract document to the typed tree."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET

from ..runtime.schema import Validator
from . import objects
from .merge import merged
from .pointers import escape, steps, subschemas
from .tree import (
    Anything,
    Boolean,
    Choice,
    Fixed,
    Node,
    Nothing,
    Null,
    Numeric,
    Reference,
    Sequence,
    String,
    Union,
)
from .vocabulary import ANNOTATIONS

ROOTS: Final = ("parameters", "result")

SHARED: Final = ("allOf", "anyOf", "oneOf", "not", "if", "$ref")
"""Keywords that may refuse a value of any type."""


class Reader:
    """Reads schemas of one contract document. Pure but for its memo of validators."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.pointers: dict[int, str] = {}
        self._keep: list[Any] = []  # schemas made here, kept alive because `pointers` goes by identity
        for name, schema in document.get("$defs", {}).items():
            self._index(schema, "/$defs/" + escape(name))
        for root in ROOTS:
            if root in document:
                self._index(document[root], "/" + root)

    def _index(self, schema: Any, pointer: str) -> None:
        if isinstance(schema, dict):
            self.pointers[id(schema)] = pointer
            for path, item in subschemas(schema):
                self._index(item, pointer + "".join("/" + escape(str(step)) for step in path))

    def validator(self, schema: Any) -> Validator:
        """The exact validator of a schema of this document."""
        return Validator(schema, root=self.document)

    def resolve(self, reference: str) -> Any:
        """The schema that a normal-form reference names."""
        node: Any = self.document
        for step in steps(reference):
            node = node[step]
        return node

    # -- reading ------------------------------------------------------------------------------

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`, which stands at `pointer` unless the document knows better."""
        if isinstance(schema, bool):
            return Anything(pointer=pointer) if schema else Nothing(pointer=pointer)
        pointer = self.pointers.get(id(schema), pointer)
        description = schema.get("description", "")
        description = description if isinstance(description, str) else ""
        keys = {k for k in schema if k not in ANNOTATIONS and not k.startswith("x-")}
        if not keys:
            return Anything(pointer=pointer, description=description)
        if "enum" in keys or "const" in keys:
            return self._choice(schema, pointer, description)
        if "$ref" in keys:
            rest = tuple(sorted(keys - {"$ref"}))
            return self.reference(schema["$ref"], pointer, description, rest)
        if "allOf" in keys:
            flat, lossy = merged(schema, self.resolve)
            node = self._typed(flat, pointer, description)
            return _with_residue(node, ("allOf",)) if lossy else node
        return self._typed(schema, pointer, description)

    def reference(self, ref: str, pointer: str, description: str, residue: tuple[str, ...] = ()) -> Reference:
        """A reference node for `#/$defs/Name` or `#/parameters`."""
        path = steps(ref)
        name, root = (path[1], "") if path[0] == "$defs" else ("", path[0])
        return Reference(pointer=pointer, description=description, residue=residue, name=name, root=root)

    def _choice(self, schema: Mapping[str, Any], pointer: str, description: str) -> Node:
        """`enum` and `const` leave finitely many values: keep those that the whole schema accepts."""
        candidates = schema["enum"] if "enum" in schema else [schema["const"]]
        accepts = self.validator(schema).accepts
        values: list[Any] = []
        for value in candidates:
            if accepts(value) and not any(same(value, v) for v in values):
                values.append(value)
        if not values:
            return Nothing(pointer=pointer, description=description)
        if values == [None]:
            return Null(pointer=pointer, description=description)
        return Choice(pointer=pointer, description=description, values=tuple(values))

    def _typed(self, schema: Mapping[str, Any], pointer: str, description: str) -> Node:
        combined = [k for k in ("anyOf", "oneOf") if k in schema]
        others = {k for k in schema if k not in ANNOTATIONS and not k.startswith("x-")} - {"type"}
        if len(combined) == 1 and others == set(combined):
            return self._union(schema, combined[0], pointer, description)
        types = schema.get("type")
        if types is None:
            asserted = tuple(sorted(others))
            return Anything(pointer=pointer, description=description, residue=asserted)
        kinds = [types] if isinstance(types, str) else list(dict.fromkeys(types))
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        residue = tuple(k for k in SHARED if k in others and (k != "if" or {"then", "else"} & others))
        nodes = [self._of_type(kind, schema, pointer, description, residue) for kind in kinds]
        if len(nodes) == 1:
            return nodes[0]
        return Union(pointer=pointer, description=description, mode="types", branches=tuple(nodes))

    def _union(self, schema: Mapping[str, Any], keyword: str, pointer: str, description: str) -> Node:
        mode: Literal["any", "one"] = "any" if keyword == "anyOf" else "one"
        branches: list[Node] = []
        for i, branch in enumerate(schema[keyword]):
            place = f"{pointer}/{keyword}/{i}"
            if "type" in schema and isinstance(branch, dict) and "type" not in branch and "$ref" not in branch:
                # type ∧ anyOf(b…) equals anyOf(type ∧ b…), and the same for oneOf
                typed = {"type": schema["type"], **branch}
                self.pointers[id(typed)] = self.pointers.get(id(branch), place)
                self._keep.append(typed)
                branch = typed
            branches.append(self.read(branch, place))
        node = union(branches, mode, pointer, description, _discriminator(schema))
        if "type" in schema and not all("type" in b for b in schema[keyword] if isinstance(b, dict)):
            if any(isinstance(b, dict) and "$ref" in b for b in schema[keyword]):
                return _with_residue(node, ("type",))
        elif "type" in schema:
            return _with_residue(node, ("type",)) if not _implied(schema, keyword) else node
        return node

    def _of_type(
        self, kind: str, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]
    ) -> Node:
        return _READERS[kind](self, schema, pointer, description, residue)

    def string(self, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]) -> Node:
        """`type: string`."""
        return String(
            pointer=pointer,
            description=description,
            residue=residue,
            min_length=int(schema.get("minLength", 0)),
            max_length=_whole(schema.get("maxLength")),
            pattern=schema.get("pattern"),
            format=schema.get("format"),
        )

    def numeric(
        self, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...], *, integer: bool
    ) -> Node:
        """`type: integer` and `type: number`."""
        return Numeric(
            pointer=pointer,
            description=description,
            residue=residue,
            integer=integer,
            minimum=schema.get("minimum"),
            maximum=schema.get("maximum"),
            exclusive_minimum=schema.get("exclusiveMinimum"),
            exclusive_maximum=schema.get("exclusiveMaximum"),
            multiple_of=schema.get("multipleOf"),
        )

    def array(self, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]) -> Node:
        """`type: array`."""
        further = tuple(k for k in ("contains", "unevaluatedItems") if k in schema)
        minimum, maximum = int(schema.get("minItems", 0)), _whole(schema.get("maxItems"))
        unique = schema.get("uniqueItems", False) is True
        rest = schema.get("items", True)
        if "prefixItems" in schema:
            prefix = schema["prefixItems"]
            exact = rest is False and minimum == len(prefix) and (maximum is None or maximum >= len(prefix))
            if exact and not further and not unique:
                nodes = [self.read(item, f"{pointer}/prefixItems/{i}") for i, item in enumerate(prefix)]
                if not any(isinstance(node, Nothing) for node in nodes):
                    return Fixed(
                        pointer=pointer, description=description, residue=residue, items=tuple(nodes)
                    )
            further, rest, unique = (*further, "prefixItems"), True, False
            if "uniqueItems" in schema:
                further = (*further, "uniqueItems")
        elif rest is False:
            maximum, rest = 0, True
        return Sequence(
            pointer=pointer,
            description=description,
            residue=residue + further,
            items=self.read(rest, f"{pointer}/items"),
            min_items=minimum,
            max_items=maximum,
            unique=unique,
        )


def union(
    branches: list[Node], mode: Literal["any", "one"], pointer: str, description: str, discriminator: str | None
) -> Node:
    """A union, or something simpler that means the same."""
    possible = [b for b in branches if not isinstance(b, Nothing)]
    if not possible:
        return Nothing(pointer=pointer, description=description)
    if len(possible) == 1 and not possible[0].residue:
        return _described(possible[0], description)
    values: list[Any] = []
    for branch in possible:
        values.extend(branch.values if isinstance(branch, Choice) else (None,) if isinstance(branch, Null) else ())
    finite = all(isinstance(b, Choice | Null) for b in possible)
    distinct = all(not same(a, b) for i, a in enumerate(values) for b in values[:i])
    if finite and distinct:
        return Choice(pointer=pointer, description=description, values=tuple(values))
    return Union(
        pointer=pointer, description=description, mode=mode, branches=tuple(branches), discriminator=discriminator
    )


def same(a: Any, b: Any) -> bool:
    """JSON equality: 1 equals 1.0, true is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def _implied(schema: Mapping[str, Any], keyword: str) -> bool:
    """Whether every branch's own `type` already stands in the node's."""
    outer = schema["type"]
    allowed = {outer} if isinstance(outer, str) else set(outer)
    if "number" in allowed:
        allowed.add("integer")
    for branch in schema[keyword]:
        inner = branch.get("type") if isinstance(branch, dict) else None
        if inner is None or not ({inner} if isinstance(inner, str) else set(inner)) <= allowed:
            return False
    return True


def _described(node: Node, description: str) -> Node:
    import msgspec

    return msgspec.structs.replace(node, description=description or node.description)


def _with_residue(node: Node, residue: tuple[str, ...]) -> Node:
    import msgspec

    return msgspec.structs.replace(node, residue=node.residue + residue)


def _discriminator(schema: Mapping[str, Any]) -> str | None:
    """OpenAPI's `discriminator.propertyName`: a hint which property tells branches apart."""
    found = schema.get("discriminator")
    name = found.get("propertyName") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


def _whole(value: int | float | None) -> int | None:
    return None if value is None else int(value)


def _simple(kind: Callable[..., Node]) -> Callable[..., Node]:
    def read(
        reader: Reader, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]
    ) -> Node:
        return kind(pointer=pointer, description=description, residue=residue)

    return read


_READERS: Final[Mapping[str, Callable[..., Node]]] = {
    "string": Reader.string,
    "integer": lambda *args: Reader.numeric(*args, integer=True),
    "number": lambda *args: Reader.numeric(*args, integer=False),
    "array": Reader.array,
    "object": objects.read_object,
    "boolean": _simple(Boolean),
    "null": _simple(Null),
}

__all__ = ["UNSET", "Reader", "same", "union"]
