"""The types of contracts: what a contract accepts, and what is there once defaults are filled in.

Where defaults are filled in is read from the typed tree, so that JavaScript fills in what the Struct has.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from msgspec import UNSET, Struct

from ...contract.normal_form import definition_name, direct_references
from ...contract.tree import Array, Contract, Map, Node, Object, Reference, Tuple, Union, children
from ...jsonschema.json_values import JsonObject
from ...jsonschema.keywords import TYPE_OF, map_subschemas, subschemas
from ...jsonschema.pointers import escape, join
from ...runtime.declaration_text.names import GLOBAL_TYPES, FreeNames, type_name
from ...runtime.declaration_text.printer import TypeScript
from ...runtime.declaration_text.schema_types import read_type, reference_to

Plan = JsonObject
"""As `Plan` in `support/defaults.js`."""


class Filled(Struct, frozen=True):
    """The properties that decoding fills in: `properties` with a default, by the pointers of their schemas. A
    default of null may stand for absence.

    `targets` are, by the pointer of a node, the definitions that its value satisfies with all their defaults:
    that of a reference, and those that an object of several parts takes its fields from.
    """

    properties: frozenset[str] = frozenset()
    targets: Mapping[str, frozenset[str]] = {}


def default_plans(
    contract: Contract, root: str, plain: Collection[str], without: Collection[str] = ()
) -> dict[str, Plan]:
    """Plan where values of a root (`parameters`, `result`, `$defs/Name`) may lack what a default fills in.
    `plain` are the unions that decoding keeps as they are, `without` the properties that have no part in
    it. Returns the plan of each definition that is needed, sorted by name; "" is the root.
    """
    nodes = {**contract.definitions, "": _root(contract, root)}

    def plan(name: str, lacking: Collection[str]) -> Plan | None:
        return _plan(nodes[name], root, plain, lacking)

    lacking = {name for name in nodes if plan(name, ()) is not None}
    while more := {name for name in nodes.keys() - lacking if plan(name, lacking) is not None}:
        lacking |= more
    plans = {name: plan(name, lacking) for name in lacking}
    if "" in plans and without:
        plans[""] = _without(plans[""] or {}, without)
    needed: dict[str, Plan] = {}
    pending = [""]
    while pending:
        name = pending.pop()
        if found := plans.get(name):
            needed[name] = found
            pending += [each for each in _named(found) if each not in needed]
    return dict(sorted(needed.items()))


def filled_in(contract: Contract, plain: Collection[str]) -> Filled:
    """Find what decoding fills in. `plain` are the unions that decoding keeps as they are, by pointer."""
    found: set[str] = set()
    targets: dict[str, set[str]] = {}
    by_field: dict[str, list[tuple[str, Object]]] = {}
    for name, definition in contract.definitions.items():
        if isinstance(definition, Object) and definition.fields:
            by_field.setdefault(definition.fields[0].pointer, []).append((name, definition))
    pending: list[Node] = [*contract.roots.values(), *contract.definitions.values()]
    while pending:
        node = pending.pop()
        if node.pointer in plain:
            continue
        pending += children(node)
        if isinstance(node, Reference):
            targets.setdefault(node.pointer, set()).add(node.name)
        for field in node.fields if isinstance(node, Object) else ():
            if field.default is not UNSET and field.default is not None:
                found.add(field.pointer)
            for name, definition in by_field.get(field.pointer, ()):
                if _has_fields_of(node, definition):
                    targets.setdefault(node.pointer, set()).add(name)
    return Filled(frozenset(found), {pointer: frozenset(names) for pointer, names in targets.items()})


def _has_fields_of(node: Node, definition: Object) -> bool:
    """Tell whether an object is made of all that a definition declares."""
    assert isinstance(node, Object)
    extra = node.extra and node.extra.pointer
    own = {field.pointer for field in node.fields}
    return (definition.extra and definition.extra.pointer) == extra and own.issuperset(
        field.pointer for field in definition.fields
    )


def _root(contract: Contract, root: str) -> Node:
    kind, _, name = root.partition("/")
    return contract.definitions[name] if kind == "$defs" else contract.roots[kind]


def _plan(node: Node, root: str, plain: Collection[str], lacking: Collection[str]) -> Plan | None:
    """The plan of one node, where `lacking` are the definitions that have one."""

    def below(each: Node) -> Plan | None:
        return _plan(each, root, plain, lacking)

    match node:
        case Reference():
            return {"definition": node.name} if node.name in lacking else None
        case Object():
            return _object(node, below)
        case Map():
            return _made(others=_pair([], below(node.values)))
        case Array():
            return _made(items=below(node.items))
        case Tuple():
            prefix = [below(each) for each in node.items]
            return _made(prefix=prefix if any(prefix) else None)
        case Union() if node.pointer not in plain:
            branches = [[_which(node, each, root), below(each)] for each in node.branches]
            return _made(branches=branches if any(plan for _, plan in branches) else None)
        case _:
            return None


def _object(node: Object, below: Callable[[Node], Plan | None]) -> Plan | None:
    plans = {field.encode_name: below(field.node) for field in node.fields}
    defaults = {
        field.encode_name: field.default
        for field in node.fields
        if field.default is not UNSET and (field.default is not None or field.nullable)
    }
    return _made(
        defaults=defaults,
        properties={name: plan for name, plan in plans.items() if plan is not None},
        others=None if node.extra is None else _pair(list(plans), below(node.extra)),
    )


def _pair(names: list[str], plan: Plan | None) -> list[object] | None:
    return None if plan is None else [names, plan]


def _which(union: Union, branch: Node, root: str) -> str:
    """Return how the validator tells a branch: by the value's type, or by its schema."""
    if union.mode == "types" or branch.pointer == union.pointer:
        if isinstance(branch, Object | Map):
            return "object"
        return "array" if isinstance(branch, Array | Tuple) else "other"
    return branch.pointer if root.startswith("$defs/") else branch.pointer.removeprefix(f"/{root}")


def _made(**parts: object) -> Plan | None:
    return {name: part for name, part in parts.items() if part} or None


def _without(plan: Plan, names: Collection[str]) -> Plan:
    kept: Mapping[str, object] = {
        key: {name: item for name, item in plan[key].items() if name not in names}
        if key in ("defaults", "properties")
        else plan[key]
        for key in plan
    }
    return {key: part for key, part in kept.items() if part}


def _named(plan: object) -> set[str]:
    if isinstance(plan, list):
        return {name for each in plan for name in _named(each)}
    if not isinstance(plan, dict):
        return set()
    if isinstance(plan.get("definition"), str):
        return {plan["definition"]}
    return {name for key, each in plan.items() if key != "defaults" for name in _named_in(key, each)}


def _named_in(key: str, part: Any) -> set[str]:
    return {name for each in part.values() for name in _named(each)} if key == "properties" else _named(part)


class TypeName(Struct, frozen=True):
    """The names of one schema's types, equal where it has no defaults: `filled` has them, `accepted` may lack
    them.
    """

    filled: str
    accepted: str

    @property
    def all(self) -> tuple[str, ...]:
        """Return both names, or the one."""
        return (self.filled,) if self.filled == self.accepted else (self.filled, self.accepted)


class Located(Struct, frozen=True):
    """A schema, and its pointer in the contract."""

    schema: Any
    pointer: str


Names = Mapping[str, TypeName]
"""By definition, as `$defs` has it; "" is the root that `#` leads to."""
_IN_PLACE = frozenset((
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
))  # fmt: skip
"""Keywords whose schemas are about the value itself."""
_ACCEPTED = "#/accepted/"
"""How a reference to the type without defaults begins in `_filled`. No reference of a contract does."""


def definition_pointer(key: str) -> str:
    """Return the pointer of a definition in a contract."""
    return f"/$defs/{escape(key)}"


def definition_names(
    keys: Iterable[str], definitions: Mapping[str, object], filled: Filled, taken: Iterable[str] = ()
) -> Names:
    """Name the types of the definitions in `keys`, distinct from one another and from `taken`."""
    free = FreeNames((*taken, *GLOBAL_TYPES))
    differing = _differing(definitions, filled)
    named = {key: free.take(type_name(key)) for key in keys}
    return {
        key: TypeName(name, free.take(f"{name}Input") if key in differing else name)
        for key, name in named.items()
    }


def local_name(name: TypeName, free: FreeNames) -> TypeName:
    """Name imported types, by their own names or numbered."""
    filled = free.take(name.filled)
    return TypeName(filled, filled if name.accepted == name.filled else free.take(name.accepted))


def root_name(name: str, at: Located, definitions: Mapping[str, object], filled: Filled) -> TypeName:
    """Name the types of a schema that is called `name`."""
    made = _filled(_sound(at.schema), at.pointer, filled)
    differs = _accepted(made) != _sound(at.schema)
    differs = differs or not _differing(definitions, filled).isdisjoint(direct_references(made))
    return TypeName(name, f"{name}Input" if differs else name)


def declarations(name: TypeName, at: Located, names: Names, filled: Filled) -> list[str]:
    """Write the exported types of one schema, one or two; `names` has the definitions it refers to."""
    sound = _sound(at.schema)
    whole = _filled(sound, at.pointer, filled)
    accepted = {reference_to(key) if key else "#": each.accepted for key, each in names.items()}
    filled_names = {reference_to(key) if key else "#": each.filled for key, each in names.items()}
    both = {**filled_names, **{_ACCEPTED + key: each for key, each in accepted.items()}}
    found = [TypeScript(names=both).declaration(name.filled, read_type(whole), "export ")]
    if name.accepted != name.filled:
        found.append(TypeScript(names=accepted).declaration(name.accepted, read_type(sound), "export "))
    return found


def _sound(schema: object) -> object:
    """A schema without keywords for a JSON type that it does not state."""
    if not isinstance(schema, Mapping):
        return schema
    stated = schema.keys() & {"type", "enum", "const"}
    kept = schema if stated else {key: schema[key] for key in schema if key not in {*TYPE_OF, "format"}}
    return map_subschemas(kept, _sound)


def _filled(schema: object, pointer: str, filled: Filled, targets: frozenset[str] = frozenset()) -> object:
    """A schema in which properties with a default are required, and references lead to types with defaults
    where decoding fills in all of them. `targets` are the definitions that the value satisfies by its
    context.
    """
    if not isinstance(schema, Mapping):
        return schema
    targets |= filled.targets.get(pointer, frozenset())
    places = iter(
        [
            (pointer + join(path), targets if path[0] in _IN_PLACE else frozenset[str]())
            for path, _ in subschemas(schema)
        ]
    )  # in the order of the next line
    made = map_subschemas(schema, lambda below: _filled(below, (place := next(places))[0], filled, place[1]))
    name = definition_name(schema["$ref"]) if "$ref" in schema else None
    if name is not None and name not in targets:
        made["$ref"] = _ACCEPTED + schema["$ref"]
    given = [
        name
        for name in schema.get("properties", {})
        if f"{pointer}/properties/{escape(name)}" in filled.properties
    ]
    required = list(dict.fromkeys((*schema.get("required", ()), *given)))
    return made if len(required) == len(schema.get("required", ())) else {**made, "required": required}


def _accepted(schema: object) -> object:
    """A schema of `_filled` with its former references."""
    if not isinstance(schema, Mapping):
        return schema
    made = map_subschemas(schema, _accepted)
    return {**made, "$ref": made["$ref"].removeprefix(_ACCEPTED)} if "$ref" in made else made


def _differing(definitions: Mapping[str, object], filled: Filled) -> frozenset[str]:
    """The definitions of which a value may lack what a default fills in."""
    sound = {key: _sound(schema) for key, schema in definitions.items()}
    made = {key: _filled(each, definition_pointer(key), filled) for key, each in sound.items()}
    references = {key: direct_references(schema) for key, schema in made.items()}
    found = {key for key, each in sound.items() if _accepted(made[key]) != each}
    while more := {key for key in sound if key not in found and found & references[key]}:
        found |= more
    return frozenset(found)
