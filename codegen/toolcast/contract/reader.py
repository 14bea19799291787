"""Reads a contract document into the typed tree, merging `allOf` into one plain schema where it is exact."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Literal

from msgspec import structs

from ..jsonschema.json_values import JsonMapping, JsonObject, equal, key
from ..jsonschema.keywords import ANNOTATIONS, TIGHTER, union_of_names
from ..jsonschema.pointers import escape, split
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.validator import Validator
from .kept_properties import may_keep_undeclared, objects_keeping_undeclared
from .normal_form import schemas_with_pointers
from .schema_forms import as_list, asserted_keywords, form_of, only_asserting_part
from .single_types import READERS, TypedSchema
from .tree import Anything, Enum, Node, Nothing, Null, Reference, Union

_ROOTS: Final = ("parameters", "result")

ANY_TYPE_KEYWORDS: Final = ("allOf", "anyOf", "oneOf", "not", "if", "$ref")
"""Keywords that may refuse a value of any type."""

_MAX_FLATTENED: Final = 10_000
"""Schemas with `allOf` (or `$ref` and more) merged in one contract: each copies its targets."""


class ContractReader:
    """Reads schemas of one contract document. Pure but for its memo of validators."""

    def __init__(
        self,
        document: JsonMapping,
        schemas: Schemas,
        files: Mapping[str, str] | None = None,
        shared: "ContractReader | None" = None,
    ) -> None:
        """Read what `schemas` has compiled; `files` has the shared type file of each definition that is in
        one. What is known of definitions that are those of `shared` is taken from there.
        """
        self.document = document
        self.pointers: dict[int, str] = {} if shared is None else {**shared.pointers}
        self._shared = shared  # kept alive: `pointers` has ids of its schemas
        self.schemas = schemas
        self._flattening: set[int] = set()  # ids of schemas that are being merged
        self._flattened = 0
        self._registered: list[object] = []  # schemas made here, kept alive: `pointers` has their ids
        search = False  # whether `objects_keeping_undeclared` may find any
        known = {} if shared is None else shared.document["$defs"]
        defs = document.get("$defs", {})
        own = {name: schema for name, schema in defs.items() if known.get(name) is not schema}
        tops = [(schema, "/$defs/" + escape(name)) for name, schema in own.items()]
        tops += [(document[root], "/" + root) for root in _ROOTS if root in document]
        for top, at in tops:
            for schema, pointer in schemas_with_pointers(top, at):
                self.pointers[id(schema)] = pointer
                search = search or may_keep_undeclared(schema)
        self._merged: dict[int, tuple[JsonObject, bool]] = {}
        self._keeping_undeclared = (
            objects_keeping_undeclared(self, {**document, "$defs": own}, files or {})
            if search
            else frozenset[str]()
        )
        if shared is not None:
            found = shared._keeping_undeclared
            self._keeping_undeclared |= {each for each in found if split(each)[1] in defs.keys() - own.keys()}

    def validator(self, schema: Any) -> Validator:
        """The exact validator of a schema of this document, or of one made from its parts."""
        return Validator(schema, shared=self.schemas)

    def pointer_of(self, schema: object, pointer: str) -> str:
        """The pointer of `schema` in the document; `pointer` where it is no schema of the document."""
        return self.pointers.get(id(schema), pointer)

    def keeps_undeclared(self, pointer: str) -> bool:
        """Return whether the object at `pointer` keeps properties that it does not declare."""
        return pointer in self._keeping_undeclared

    def accepts(self, schema: Any, value: Any) -> bool:
        """Return whether `schema` accepts `value`, by the exact validator."""
        if isinstance(schema, bool):
            return schema
        if value is None and "type" in schema and "null" not in as_list(schema["type"]):
            return False  # other keywords only refuse more
        return self.validator(schema).accepts(value)

    def register(self, made: JsonObject, origin: object, pointer: str) -> JsonObject:
        """Give a schema that was made from `origin` its pointer; returns `made`."""
        self.pointers[id(made)] = self.pointer_of(origin, pointer)
        self._registered.append(made)
        return made

    def resolve(self, reference: str) -> Any:
        """The schema that a normal-form reference names."""
        node: Any = self.document
        for step in split(reference):
            node = node[step]
        return node

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`; `pointer` is its pointer where it is no schema of the document."""
        if isinstance(schema, bool):
            return Anything(pointer=pointer) if schema else Nothing(pointer=pointer)
        pointer = self.pointer_of(schema, pointer)
        description = schema.get("description", "")
        description = description if isinstance(description, str) else ""
        keys = asserted_keywords(schema)
        form = form_of(schema, keys)
        if form == "anything":
            return Anything(pointer=pointer, description=description)
        if form == "only part":
            alone = only_asserting_part(schema)
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
            return _read_union(self, schema, keyword, pointer, description)
        return self._typed(schema, keys, pointer, description)

    def merged(self, schema: Mapping[str, object]) -> tuple[JsonObject, bool]:
        """`schema` with its `allOf` and `$ref` merged into it, and whether the result accepts more."""
        known = self._merged.get(id(schema))
        if known is None:
            known = self._merged[id(schema)] = merge_all_of(schema, self.resolve)
        return known

    def flattened(self, schema: JsonMapping, pointer: str, description: str) -> Node:
        """The node of `schema` with `allOf` and `$ref` merged into it, as far as one schema can state it."""
        if id(schema) in self._flattening or self._flattened >= _MAX_FLATTENED:
            # It contains itself, or too much: any value, which the validator checks.
            return Anything(
                pointer=pointer, description=description, residue=tuple(sorted(asserted_keywords(schema)))
            )
        self._flattening.add(id(schema))
        self._flattened += 1
        node = self._flat(schema, pointer, description)
        self._flattening.remove(id(schema))
        return node

    def _flat(self, schema: Mapping[str, object], pointer: str, description: str) -> Node:
        flat, incomplete = self.merged(schema)
        if "enum" in flat or "const" in flat:
            return self._choice(flat, schema, pointer, description)
        node = self._typed(flat, asserted_keywords(flat), pointer, description)
        return structs.replace(node, residue=(*node.residue, "allOf")) if incomplete else node

    def _choice(self, schema: JsonMapping, original: JsonMapping, pointer: str, description: str) -> Node:
        candidates = schema["enum"] if "enum" in schema else [schema["const"]]
        if schema is original and _only_strings(schema, candidates):
            values = list(dict.fromkeys(candidates))
        else:
            values = self._accepted(original, candidates)
        if not values:
            return Nothing(pointer=pointer, description=description)
        if values == [None]:
            return Null(pointer=pointer, description=description)
        return Enum(pointer=pointer, description=description, values=tuple(values))

    def _accepted(self, schema: JsonMapping, candidates: list[Any]) -> list[Any]:
        """Those of `candidates` that `schema` accepts, each once."""
        accepts = self.validator(schema).accepts
        values: dict[Hashable, object] = {}
        for value in candidates:
            if accepts(value):
                values.setdefault(key(value), value)
        return list(values.values())

    def _typed(self, schema: JsonMapping, keys: set[str], pointer: str, description: str) -> Node:
        """The node of a schema by its `type`; `keys` are its asserted keywords."""
        types = schema.get("type")
        if types is None:
            residue = tuple(sorted(keys - {"type"}))
            return Anything(pointer=pointer, description=description, residue=residue)
        kinds = [types] if isinstance(types, str) else list(dict.fromkeys(types))
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        residue = () if keys.isdisjoint(ANY_TYPE_KEYWORDS) else _any_type_keywords(keys)
        typed = TypedSchema(schema, pointer, description, residue)
        nodes = [READERS[kind](self, typed) for kind in kinds]
        if len(nodes) == 1:
            return nodes[0]
        return Union(pointer=pointer, description=description, mode="types", branches=tuple(nodes))


def _any_type_keywords(keys: set[str]) -> tuple[str, ...]:
    """Those of `keys` that may refuse a value of any type."""
    return tuple(k for k in ANY_TYPE_KEYWORDS if k in keys and (k != "if" or {"then", "else"} & keys))


def _only_strings(schema: JsonMapping, members: list[Any]) -> bool:
    if schema.get("type", "string") != "string" or not asserted_keywords(schema) <= {"type", "enum"}:
        return False
    return all(isinstance(member, str) for member in members)


def _reference(ref: str, pointer: str, description: str, residue: tuple[str, ...]) -> Reference:
    path = split(ref)
    name, root = (path[1], "") if path[0] == "$defs" else ("", path[0])
    return Reference(pointer=pointer, description=description, residue=residue, name=name, root=root)


# -- anyOf and oneOf ----------------------------------------------------------------------------


def _read_union(
    reader: ContractReader, schema: JsonMapping, keyword: str, pointer: str, description: str
) -> Node:
    """Return the node of a schema whose asserted keywords are `keyword` (`anyOf` or `oneOf`) and perhaps
    `type`. type ∧ anyOf(b…) equals anyOf(type ∧ b…), and the same for oneOf: so `type` moves into plain
    branches without a type.
    """
    branches: list[Node] = []
    outer = schema.get("type")
    for i, branch in enumerate(schema[keyword]):
        branch_pointer = f"{pointer}/{keyword}/{i}"
        if _takes_type(branch, outer):
            branch = reader.register({"type": outer, **branch}, branch, branch_pointer)
        branches.append(reader.read(branch, branch_pointer))
    node = _union(branches, "any" if keyword == "anyOf" else "one", pointer, description, schema)
    residue: tuple[str, ...] = ()
    if outer is not None and not all(_limited_to(branch, outer) for branch in schema[keyword]):
        residue = ("type",)
    if keyword == "oneOf" and any(map(_is_null, branches)):
        # msgspec decodes null as the null branch; the schema refuses it where another branch accepts it too
        accepting = [b for b in schema[keyword] if reader.accepts(b, None)]
        residue = (*residue, "oneOf") if len(accepting) > 1 else residue
    if not residue:
        return node
    if node.pointer != pointer:  # simplified to one branch: the validator checks the union
        return Anything(pointer=pointer, description=description, residue=(keyword, *residue))
    if isinstance(node, Enum):  # finitely many values: keep those that the union accepts
        values = tuple(value for value in node.values if reader.accepts(schema, value))
        return (
            structs.replace(node, values=values)
            if values
            else Nothing(pointer=pointer, description=description)
        )
    return structs.replace(node, residue=node.residue + residue)


def _union(
    branches: list[Node],
    mode: Literal["any", "one"],
    pointer: str,
    description: str,
    schema: Mapping[str, object],
) -> Node:
    """A Union, or a simpler node that accepts the same values."""
    possible = [b for b in branches if not isinstance(b, Nothing)]
    if not possible:
        return Nothing(pointer=pointer, description=description)
    if len(possible) == 1:
        return structs.replace(possible[0], description=description or possible[0].description)
    if all(isinstance(b, Enum) or _is_null(b) for b in possible):
        values = [v for b in possible for v in (b.values if isinstance(b, Enum) else (None,))]
        by_key: dict[Hashable, object] = {}
        for value in values:
            by_key.setdefault(key(value), value)
        first = list(by_key.values())
        if mode == "any" or len(first) == len(values):
            if first == [None]:
                return Null(pointer=pointer, description=description)
            return Enum(pointer=pointer, description=description, values=tuple(first))
    return Union(
        pointer=pointer,
        description=description,
        mode=mode,
        branches=tuple(branches),
        discriminator=_discriminator(schema),
    )


def _is_null(node: Node) -> bool:
    return isinstance(node, Null) and not node.residue


def _takes_type(branch: object, outer: object) -> bool:
    """Return whether the type `outer` can be added to a branch: its node then needs no marker, whose schema
    would lack the type.
    """
    if not isinstance(outer, str) or not isinstance(branch, dict):
        return False
    if {"type", "$ref", "allOf", "anyOf", "oneOf"} & branch.keys():
        return False
    values = [*branch.get("enum", ()), branch.get("const")]
    return not any(isinstance(value, list | dict) for value in values)


def _limited_to(branch: Any, outer: str | list[str]) -> bool:
    """Return whether a branch accepts only the types `outer`, after they are added where it has none."""
    if not isinstance(branch, dict):
        return branch is False
    if _takes_type(branch, outer):
        return True
    if "type" not in branch:
        return False
    allowed = {outer} if isinstance(outer, str) else set(outer)
    if "number" in allowed:
        allowed.add("integer")
    inner = branch["type"]
    return ({inner} if isinstance(inner, str) else set(inner)) <= allowed


def _discriminator(schema: Mapping[str, object]) -> str | None:
    """OpenAPI's `discriminator.propertyName`: the property that selects the branch."""
    found = schema.get("discriminator")
    name = found.get("propertyName") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


# -- allOf ---------------------------------------------------------------------------------------

_MAX_PARTS = 64
"""Subschemas merged into one; the validator checks longer and circular chains."""

_APPLIES_TO_SIBLINGS = {
    "additionalProperties": ("properties", "patternProperties"),
    "items": ("prefixItems",),
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
}
"""Keywords whose meaning depends on others in the same schema object."""


def merge_all_of(schema: Mapping[str, object], resolve: Callable[[str], object]) -> tuple[JsonObject, bool]:
    """Merge `allOf` and `$ref` into the other keywords of `schema`. Returns the merged schema, and whether it
    is incomplete: it then accepts more than `schema`, never less. Subschemas keep their identity, by which
    their pointers are known.
    """
    parts: list[Mapping[str, object]] = []
    incomplete = _collect(schema, resolve, parts, ())
    out: JsonObject = {}
    for i, part in enumerate(parts):
        incomplete |= _fold(out, part, parts[:i] + parts[i + 1 :])
    return out, incomplete


def _collect(
    schema: Any, resolve: Callable[[str], Any], parts: list[JsonMapping], visited: tuple[str, ...]
) -> bool:
    if schema is True:
        return False
    if schema is False or len(parts) >= _MAX_PARTS:
        return True
    incomplete = False
    own = {k: v for k, v in schema.items() if k not in ("allOf", "$ref")}
    if own:
        parts.append(own)
    if "$ref" in schema:
        if schema["$ref"] in visited:
            return True
        incomplete |= _collect(resolve(schema["$ref"]), resolve, parts, (*visited, schema["$ref"]))
    for item in schema.get("allOf", ()):
        incomplete |= _collect(item, resolve, parts, visited)
    return incomplete


def _fold(out: JsonObject, part: JsonMapping, others: list[JsonMapping]) -> bool:
    incomplete = False
    for keyword, value in part.items():
        if _interacts(keyword, others):
            # the other parts' keywords would change its meaning; `true` has none
            incomplete |= value is not True
            if keyword == "additionalProperties" and all(
                o.get(keyword) is not False for o in (part, *others)
            ):
                out[keyword] = True  # undeclared properties are kept
        elif keyword not in out:
            out[keyword] = value
            if keyword == "properties":
                out[keyword], forbids = _allowed(value)
                incomplete |= forbids
        elif keyword == "type":
            out["type"], empty = _types(out["type"], value)
            incomplete |= empty
        elif keyword == "properties":
            named, forbids = _allowed(value)
            incomplete |= forbids
            for name, item in named.items():
                if name not in out["properties"]:
                    out["properties"][name] = item
                elif not equal(out["properties"][name], item):
                    incomplete = True
        elif keyword == "required":
            out["required"] = union_of_names(out["required"], value)
        elif keyword in TIGHTER:
            out[keyword] = TIGHTER[keyword](out[keyword], value)
        elif keyword not in ANNOTATIONS and not equal(out[keyword], value):
            incomplete = True
    return incomplete


def _interacts(keyword: str, others: list[Mapping[str, object]]) -> bool:
    """Return whether a keyword would apply to keywords of other parts, or they to it."""
    siblings = _APPLIES_TO_SIBLINGS.get(keyword)
    return siblings is not None and any(other.keys() & {keyword, *siblings} for other in others)


def _allowed(properties: JsonMapping) -> tuple[JsonObject, bool]:
    """Properties with `true` for `false`, which a merged schema cannot state; and whether there was any."""
    return {n: True if s is False else s for n, s in properties.items()}, False in properties.values()


def _types(a: Any, b: Any) -> tuple[Any, bool]:
    """Types that both allow, and whether there are none (then `a`, and the validator refuses)."""
    left, right = ([t] if isinstance(t, str) else list(t) for t in (a, b))
    both = [t for t in left if t in right]
    both += ["integer"] if "integer" in left and "number" in right and "integer" not in both else []
    both += ["integer"] if "number" in left and "integer" in right and "integer" not in both else []
    if not both:
        return a, True
    return both[0] if len(both) == 1 else both, False
