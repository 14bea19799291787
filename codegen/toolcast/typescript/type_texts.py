"""The types of contracts: what a contract accepts, and what is there once defaults are filled in."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from ..contract.normal_form import definition_name, direct_references
from ..declarations.typescript_types import Scope, comment, followed, type_names, type_of
from ..jsonschema.keywords import TYPE_OF
from ..jsonschema.pointers import escape, join
from ..jsonschema.subschemas import map_subschemas, subschemas
from .default_plans import Filled


class TypeName(Struct, frozen=True):
    """The names of one schema's types: `filled` has defaults, `accepted` may lack them. They are equal where
    there are none."""

    filled: str
    accepted: str

    @property
    def all(self) -> tuple[str, ...]:
        """Both names, or the one."""
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
    """The pointer of a definition in a contract."""
    return f"/$defs/{escape(key)}"


def definition_names(
    keys: Iterable[str], definitions: Mapping[str, Any], filled: Filled, taken: Iterable[str] = ()
) -> Names:
    """Name the types of definitions.

    Args:
        keys: the definitions to name, in order.
        definitions: all schemas that they refer to, by name.
        filled: the properties with defaults.
        taken: names that are in use.

    Returns:
        The names, distinct from one another and from those in use.
    """
    used = set(taken)
    differing = _differing(definitions, filled)
    named = type_names([f"#/$defs/{escape(key)}" for key in keys], used)
    used |= set(named.values())
    found: dict[str, TypeName] = {}
    for key in keys:
        name = named[f"#/$defs/{escape(key)}"]
        found[key] = TypeName(name, _free(f"{name}Input", used) if key in differing else name)
    return found


def local_name(name: TypeName, used: set[str]) -> TypeName:
    """The names of imported types, which are added to those in use: their own, or numbered."""
    filled = _free(name.filled, used)
    return TypeName(filled, filled if name.accepted == name.filled else _free(name.accepted, used))


def root_name(name: str, at: Located, definitions: Mapping[str, Any], filled: Filled) -> TypeName:
    """The names of the types of a schema that is called `name`."""
    made = _filled(_sound(at.schema), at.pointer, filled)
    differs = _accepted(made) != _sound(at.schema)
    differs = differs or not _differing(definitions, filled).isdisjoint(direct_references(made))
    return TypeName(name, f"{name}Input" if differs else name)


def declarations(name: TypeName, at: Located, names: Names, filled: Filled) -> list[str]:
    """The exported types of one schema.

    Args:
        name: their names.
        at: the schema.
        names: those of the definitions that it refers to.
        filled: the properties with defaults.

    Returns:
        One declaration, or two; each ends with a line feed.
    """
    sound = _sound(at.schema)
    whole = _filled(sound, at.pointer, filled)
    accepted = {f"#/$defs/{escape(key)}" if key else "#": each.accepted for key, each in names.items()}
    filled_names = {f"#/$defs/{escape(key)}" if key else "#": each.filled for key, each in names.items()}
    both = {**filled_names, **{_ACCEPTED + key: each for key, each in accepted.items()}}
    found = [_exported(name.filled, whole, both)]
    if name.accepted != name.filled:
        found.append(_exported(name.accepted, sound, accepted))
    return found


def _exported(name: str, schema: Any, names: Mapping[str, str]) -> str:
    scope = Scope(names=names)
    made = type_of(schema, scope)
    body = f"interface {name} {made.text}" if made.members else followed(f"type {name} =", made) + ";"
    return f"{comment(made.notes, scope.comments)}export {body}\n"


def _sound(schema: Any) -> Any:
    """A schema without the keywords that its type cannot follow: those for one type of value, where it does
    not say that values have that type."""
    if not isinstance(schema, Mapping):
        return schema
    stated = schema.keys() & {"type", "enum", "const"}
    kept = schema if stated else {key: schema[key] for key in schema if key not in {*TYPE_OF, "format"}}
    return map_subschemas(kept, _sound)


def _filled(schema: Any, pointer: str, filled: Filled, targets: frozenset[str] = frozenset()) -> Any:
    """A schema in which properties that a default fills in are required, and references lead to types with
    defaults where decoding fills in all of them. `targets` are the definitions of which the value is known to
    have all, by what is around the schema."""
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


def _accepted(schema: Any) -> Any:
    """A schema of `_filled` with the references that it had."""
    if not isinstance(schema, Mapping):
        return schema
    made = map_subschemas(schema, _accepted)
    return {**made, "$ref": made["$ref"].removeprefix(_ACCEPTED)} if "$ref" in made else made


def _differing(definitions: Mapping[str, Any], filled: Filled) -> frozenset[str]:
    """The definitions of which a value may lack what a default fills in."""
    sound = {key: _sound(schema) for key, schema in definitions.items()}
    made = {key: _filled(each, definition_pointer(key), filled) for key, each in sound.items()}
    references = {key: direct_references(schema) for key, schema in made.items()}
    found = {key for key, each in sound.items() if _accepted(made[key]) != each}
    while more := {key for key in sound if key not in found and found & references[key]}:
        found |= more
    return frozenset(found)


def _free(name: str, used: set[str]) -> str:
    free, number = name, 2
    while free in used:
        free, number = f"{name}{number}", number + 1
    used.add(free)
    return free
