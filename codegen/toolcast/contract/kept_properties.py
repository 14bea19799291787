"""Objects that keep undeclared properties, because a second schema applies to the same value.

A Struct drops properties that its object does not declare. Where only the object's own schema applies, the
value stays valid. Where another schema applies too (a constraint: another branch of `oneOf`, `not`, the
pattern that covers a declared property, `contains`, `uniqueItems`), it may depend on a dropped property, and
refuse the value once it is encoded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from ..jsonschema.json_values import JsonMapping, JsonObject, equal
from ..jsonschema.keywords import subschemas
from ..jsonschema.search import Searches, searchable
from .schema_forms import as_list, asserted_keywords, form_of, only_asserting_part

_MAX_PAIRS: Final = 50_000
"""Pairs of a schema and a constraint in one contract. With more, every object keeps everything."""

_Constraints = dict[int, Any]
"""Schemas that apply to one value, by identity."""


class _MergingReader(Protocol):
    """A reader of a document, as far as this module uses it."""

    pointers: dict[int, str]

    def resolve(self, reference: str) -> Any: ...

    def merged(self, schema: JsonMapping) -> tuple[JsonObject, bool]:
        """`schema` with `allOf` and `$ref` merged into it, and whether the result accepts more."""
        ...


class _Typed(NamedTuple):
    """The one schema that is typed; without one, those of `instead` are read."""

    schema: JsonMapping | None
    instead: tuple[Any, ...] = ()


_APPLYING: Final = frozenset(
    {
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref",
        "patternProperties", "contains", "uniqueItems",
    }
)  # fmt: skip


def may_keep_undeclared(schema: JsonMapping) -> bool:
    """Return whether a second schema may apply to a value of `schema`, or to a part of it."""
    return not _APPLYING.isdisjoint(schema) or isinstance(schema.get("default"), dict | list)


def objects_keeping_undeclared(
    reader: _MergingReader, document: JsonMapping, files: Mapping[str, str]
) -> frozenset[str]:
    """Return the pointers of the objects that keep undeclared properties. `files`: the shared type file of
    each definition that is in one. The schemas of a file constrain only schemas of that file: a shared
    type compiles to the same class for every tool.
    """
    schemas_of_file: dict[str, list[Any]] = {}
    owner: dict[int, str] = {}
    roots = [(schema, "") for name, schema in document.items() if name != "$defs"]
    roots += [(schema, files.get(name, "")) for name, schema in document.get("$defs", {}).items()]
    for root, file in roots:
        for schema in _all_schemas(root):
            schemas_of_file.setdefault(file, []).append(schema)
            owner[id(schema)] = file
    found: set[str] = set()
    for file, schemas in schemas_of_file.items():
        for schema in _Search(reader).objects(schemas):
            if owner.get(id(schema)) == file:
                found.add(reader.pointers[id(schema)])
    return frozenset(found)


class _Search:
    """Passes constraints from the schemas of one file on to the parts of the values that they apply to."""

    def __init__(self, reader: _MergingReader) -> None:
        self.reader = reader
        self.constraints: dict[int, _Constraints] = {}
        self.schemas: dict[int, Any] = {}  # those that have constraints
        self.typed: dict[int, _Typed] = {}
        self.pending: list[tuple[Any, list[Any]]] = []  # a schema, and its new constraints
        self.pairs = 0

    def objects(self, schemas: list[Any]) -> Iterator[Any]:
        """The object schemas with a constraint whose verdict depends on undeclared properties."""
        for schema in schemas:
            for target, constraints in self._initial(schema):
                self._add(target, constraints)
                if self.pairs > _MAX_PAIRS:
                    yield from schemas
                    return
        while self.pending and self.pairs <= _MAX_PAIRS:
            for target, constraints in self._parts(*self.pending.pop()):
                self._add(target, constraints)
        if self.pairs > _MAX_PAIRS:
            yield from schemas
            return
        for key, known in self.constraints.items():
            typed = self._typed(self.schemas[key]).schema
            if typed is None:
                continue
            declared = frozenset((*(typed.get("properties") or ()), *typed.get("required", ())))
            if any(_depends_on_undeclared(constraint, declared) for constraint in known.values()):
                yield self.schemas[key]

    def _add(self, schema: Any, constraints: Iterable[Any]) -> None:
        """Add `constraints`, and all schemas that they apply to the same value, to those of `schema`."""
        if not isinstance(schema, dict):
            return
        self.schemas[id(schema)] = schema
        known = self.constraints.setdefault(id(schema), {})
        new: list[Any] = []
        stack = [
            constraint
            for constraint in constraints
            if isinstance(constraint, dict) and id(constraint) not in known
        ]
        while stack:
            constraint = stack.pop()
            if id(constraint) in known or (constraint is schema and self._typed(schema).schema is schema):
                continue  # its own keywords are read anyway
            known[id(constraint)] = constraint
            new.append(constraint)
            stack += [inner for inner in self._in_place(constraint) if isinstance(inner, dict)]
        if new:
            self.pairs += len(new)
            self.pending.append((schema, new))

    def _in_place(self, schema: JsonMapping) -> Iterator[Any]:
        if "$ref" in schema:
            yield self.reader.resolve(schema["$ref"])
        yield from _in_place_schemas(schema)

    def _typed(self, schema: JsonMapping) -> _Typed:
        known = self.typed.get(id(schema))
        if known is None:
            known = self.typed[id(schema)] = self._find_typed(schema)
        return known

    def _find_typed(self, schema: JsonMapping) -> _Typed:
        keys = asserted_keywords(schema)
        form = form_of(schema, keys)
        if form == "typed":
            return _Typed(schema)
        if form == "flattened":
            flat, _ = self.reader.merged(schema)
            return _Typed(None if flat.keys() & {"enum", "const"} else flat)
        if form == "reference":
            return _Typed(None, (self.reader.resolve(schema["$ref"]),))
        if form == "only part":
            return _Typed(None, (schema["allOf"][only_asserting_part(schema) or 0],))
        return _Typed(None, tuple(schema["anyOf" if "anyOf" in keys else "oneOf"]) if form == "union" else ())

    def _initial(self, schema: JsonMapping) -> Iterator[tuple[Any, list[Any]]]:
        """Schemas to which the keywords of `schema` apply further schemas, with those."""
        typed = self._typed(schema).schema
        if typed is None:
            if "oneOf" in schema and form_of(schema, asserted_keywords(schema)) == "union":
                branches = schema["oneOf"]
                if not _distinguishable(branches, self.reader.resolve):
                    for branch in branches:
                        yield branch, [other for other in branches if other is not branch]
            return
        others = list(_in_place_schemas(typed))
        if "default" in schema and self._default_exceeds(typed, schema["default"]):
            others.append(_WHOLE_VALUE)  # the default is such a value, with all its properties
        if typed is not schema and self.reader.merged(schema)[1]:
            others.append(schema)
        if others:
            yield schema, others
        patterns = typed.get("patternProperties") or {}
        for name, item in (typed.get("properties") or {}).items() if patterns else ():
            covering = [patterns[pattern] for pattern in patterns if _pattern_covers(pattern, name)]
            if covering:
                yield item, covering
        items = [
            item
            for keyword in ("items", "prefixItems")
            if keyword in typed
            for item in as_list(typed[keyword])
        ]
        constraints = [typed["contains"]] if "contains" in typed else []
        constraints += [_WHOLE_VALUE] if typed.get("uniqueItems") is True else []
        for item in items if constraints else ():
            yield item, constraints

    def _default_exceeds(self, schema: Any, default: Any) -> bool:
        typed = self._typed(schema).schema if isinstance(schema, dict) else None
        if typed is None:
            return False
        if isinstance(default, dict):
            declared = typed.get("properties") or {}
            return any(
                name not in declared or self._default_exceeds(declared[name], default[name])
                for name in default
            )
        return isinstance(default, list) and any(
            self._default_exceeds(typed.get("items"), item) for item in default
        )

    def _parts(self, schema: JsonMapping, constraints: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
        """The schemas of the parts of `schema`, each with what `constraints` apply to that part."""
        typed, instead = self._typed(schema)
        for other in instead:
            yield other, constraints
        if typed is None:
            return
        for name, item in (typed.get("properties") or {}).items():
            yield item, [part for constraint in constraints for part in _property_schemas(constraint, name)]
        for keyword in _ADDITIONAL:
            if keyword in typed:
                yield (
                    typed[keyword],
                    [part for constraint in constraints for part in _any_property_schemas(constraint)],
                )
        for item in (typed.get("patternProperties") or {}).values():
            yield item, [part for constraint in constraints for part in _any_property_schemas(constraint)]
        for keyword in ("items", "prefixItems"):
            for item in as_list(typed[keyword]) if keyword in typed else ():
                yield item, [part for constraint in constraints for part in _item_schemas(constraint)]


def _all_schemas(schema: Any) -> Iterator[JsonObject]:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += [item for _, item in subschemas(node)]


_IN_PLACE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE: Final = ("not", "if", "then", "else")
_NAMING: Final = ("properties", "dependentSchemas", "dependentRequired")
_COUNTING: Final = ("minProperties", "propertyNames", "patternProperties")  # maxProperties even if 0
_ADDITIONAL: Final = ("additionalProperties", "unevaluatedProperties")
_ITEMS: Final = ("items", "contains", "unevaluatedItems")
_WHOLE_VALUE: Final[JsonObject] = {"uniqueItems": True}
"""Stands for a constraint on all of a value: two items may differ in any part of them."""


def _in_place_schemas(schema: JsonMapping) -> Iterator[Any]:
    for keyword in _IN_PLACE_LISTS:
        yield from schema.get(keyword, ())
    yield from (schema[keyword] for keyword in _IN_PLACE if keyword in schema)
    yield from (schema.get("dependentSchemas") or {}).values()


def _property_schemas(constraint: JsonMapping, name: str) -> Iterator[Any]:
    if constraint is _WHOLE_VALUE:
        yield _WHOLE_VALUE
        return
    named = constraint.get("properties") or {}
    patterns = constraint.get("patternProperties") or {}
    found = [
        *([named[name]] if name in named else ()),
        *(patterns[p] for p in patterns if _pattern_covers(p, name)),
    ]
    yield from found
    if not found and "additionalProperties" in constraint:
        yield constraint["additionalProperties"]
    if "unevaluatedProperties" in constraint:
        yield constraint["unevaluatedProperties"]


def _any_property_schemas(constraint: JsonMapping) -> Iterator[Any]:
    """The schemas that `constraint` may apply to a property of any name."""
    if constraint is _WHOLE_VALUE:
        yield _WHOLE_VALUE
        return
    for keyword in ("properties", "patternProperties"):
        yield from (constraint.get(keyword) or {}).values()
    yield from (constraint[keyword] for keyword in _ADDITIONAL if keyword in constraint)


def _item_schemas(constraint: JsonMapping) -> Iterator[Any]:
    if constraint is _WHOLE_VALUE:
        yield _WHOLE_VALUE
        return
    yield from constraint.get("prefixItems", ())
    yield from (constraint[keyword] for keyword in _ITEMS if keyword in constraint)
    if constraint.get("uniqueItems") is True:
        yield _WHOLE_VALUE


def _depends_on_undeclared(constraint: JsonMapping, declared: frozenset[str]) -> bool:
    """Return whether the verdict of `constraint` may depend on properties other than those `declared`."""
    if (
        constraint is _WHOLE_VALUE
        or "maxProperties" in constraint
        or any(constraint.get(keyword) for keyword in _COUNTING)
    ):
        return True
    if any(constraint.get(keyword, True) not in (True, {}) for keyword in _ADDITIONAL):
        return True
    named = {name for keyword in _NAMING for name in constraint.get(keyword) or ()}
    for names in (constraint.get("required", ()), *(constraint.get("dependentRequired") or {}).values()):
        named.update(names)
    if not named <= declared:
        return True
    return any(isinstance(value, dict) for value in [*constraint.get("enum", ()), constraint.get("const")])


def _pattern_covers(pattern: str, name: str) -> bool:
    """Return whether a pattern of the contract covers the property `name`. Raises SearchTooLong."""
    search = searchable(pattern)
    assert search is not None  # others are refused before
    return Searches().finds(search, name)


def _distinguishable(branches: list[Any], resolve: Callable[[str], Any]) -> bool:
    """Return whether at most one branch accepts objects, or one required constant distinguishes all."""
    branches = [_dereferenced(branch, resolve) for branch in branches]
    open_to_objects = [b for b in branches if not isinstance(b, dict) or "object" in b.get("type", "object")]
    if len(open_to_objects) < 2:
        return True
    constants = [_constants(b) for b in open_to_objects]
    return any(
        all(name in other for other in constants)
        and all(not equal(a[name], b[name]) for i, a in enumerate(constants) for b in constants[:i])
        for name in constants[0]
    )


def _dereferenced(branch: object, resolve: Callable[[str], object]) -> object:
    visited: set[str] = set()
    while (
        isinstance(branch, dict) and asserted_keywords(branch) == {"$ref"} and branch["$ref"] not in visited
    ):
        visited.add(branch["$ref"])
        branch = resolve(branch["$ref"])
    return branch


def _constants(branch: Any) -> JsonObject:
    properties = branch.get("properties", {}) if isinstance(branch, dict) else {}
    found: JsonObject = {}
    for name in branch.get("required", ()) if properties else ():
        item = properties.get(name)
        if isinstance(item, dict) and "const" in item:
            found[name] = item["const"]
        elif isinstance(item, dict) and len(item.get("enum", ())) == 1:
            found[name] = item["enum"][0]
    return found
