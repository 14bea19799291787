"""The types of contracts: what a contract accepts, and what is there once defaults are filled in."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from ..contract.normal_form import direct_references
from ..declarations.typescript_types import Scope, comment, followed, type_names, type_of
from ..jsonschema.keywords import TYPE_OF
from ..jsonschema.pointers import escape
from ..jsonschema.subschemas import map_subschemas


class TypeName(Struct, frozen=True):
    """The names of one schema's types: `filled` has defaults, `accepted` may lack them. They are equal where
    there are none."""

    filled: str
    accepted: str

    @property
    def all(self) -> tuple[str, ...]:
        """Both names, or the one."""
        return (self.filled,) if self.filled == self.accepted else (self.filled, self.accepted)


Names = Mapping[str, TypeName]
"""By definition, as `$defs` has it; "" is the root that `#` leads to."""


def definition_names(keys: Iterable[str], definitions: Mapping[str, Any], taken: Iterable[str] = ()) -> Names:
    """Name the types of definitions.

    Args:
        keys: the definitions to name, in order.
        definitions: all schemas that they refer to, by name.
        taken: names that are in use.

    Returns:
        The names, distinct from one another and from those in use.
    """
    used = set(taken)
    differing = _differing(definitions)
    named = type_names([f"#/$defs/{escape(key)}" for key in keys], used)
    used |= set(named.values())
    found: dict[str, TypeName] = {}
    for key in keys:
        name = named[f"#/$defs/{escape(key)}"]
        found[key] = TypeName(name, _free(f"{name}Input", used) if key in differing else name)
    return found


def root_name(name: str, schema: Any, definitions: Mapping[str, Any]) -> TypeName:
    """The names of the types of a schema that is called `name`."""
    sound = _sound(schema)
    differs = _filled(sound) != sound or not _differing(definitions).isdisjoint(direct_references(sound))
    return TypeName(name, f"{name}Input" if differs else name)


def declarations(name: TypeName, schema: Any, names: Names) -> list[str]:
    """The exported types of one schema.

    Args:
        name: their names.
        schema: the schema.
        names: those of the definitions that it refers to.

    Returns:
        One declaration, or two; each ends with a line feed.
    """
    sound = _sound(schema)
    found = [_exported(name.filled, _filled(sound), {key: each.filled for key, each in names.items()})]
    if name.accepted != name.filled:
        accepted = {key: each.accepted for key, each in names.items()}
        found.append(_exported(name.accepted, sound, accepted))
    return found


def _exported(name: str, schema: Any, names: Mapping[str, str]) -> str:
    references = {f"#/$defs/{escape(key)}" if key else "#": each for key, each in names.items()}
    scope = Scope(names=references)
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


def _filled(schema: Any) -> Any:
    """A schema in which properties with defaults are required. A default of null may stand for absence."""
    if not isinstance(schema, Mapping):
        return schema
    made = map_subschemas(schema, _filled)
    properties = schema.get("properties", {})
    given = [
        name
        for name, below in properties.items()
        if isinstance(below, Mapping) and below.get("default") is not None
    ]
    required = list(dict.fromkeys((*schema.get("required", ()), *given)))
    return made if len(required) == len(schema.get("required", ())) else {**made, "required": required}


def _differing(definitions: Mapping[str, Any]) -> frozenset[str]:
    """The definitions of which a value may lack what a default fills in."""
    sound = {key: _sound(schema) for key, schema in definitions.items()}
    references = {key: direct_references(schema) for key, schema in sound.items()}
    found = {key for key, schema in sound.items() if _filled(schema) != schema}
    while more := {key for key in sound if key not in found and found & references[key]}:
        found |= more
    return frozenset(found)


def _free(name: str, used: set[str]) -> str:
    free, number = name, 2
    while free in used:
        free, number = f"{name}{number}", number + 1
    used.add(free)
    return free
