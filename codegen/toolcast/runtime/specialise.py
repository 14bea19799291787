"""Enums whose values are known only when the program runs: the names of agents, say.

The generated definition and contract get the values where the parameter stands; nothing is compiled again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..jsonschema.pointers import escape
from .contract_node import follow
from .enums import describe_enum, wire_names, with_enum
from .tool import Tool

Values = Mapping[str, tuple[str, ...]]
"""The values of each enum, by parameter."""

MAX_VALUES = 250
"""Values of one enum: past 250, OpenAI's strict mode bounds their characters, too
(developers.openai.com/api/docs/guides/structured-outputs)."""
MAX_CHARACTERS = 7500
"""Characters of all values: the smallest bound that a provider has for long enums, Moonshot's."""


def check_values(binding: Tool[Any], values: Mapping[str, Sequence[str]]) -> Values:
    """Values for the `runtime_enums` of `binding`, as tuples.

    Raises ValueError for parameters that are none of them, and for values that are not at most MAX_VALUES
    different strings (MAX_CHARACTERS in all) that the contract accepts.
    """
    for name in values:
        if name not in binding.runtime_enums:
            raise ValueError(_no_such(binding, name))
    return {name: _checked(binding, name, sequence) for name, sequence in values.items()}


def definition_with_values(base: Tool[Any], provider: str, values: Values) -> bytes:
    """The tool object of `base` with the enums in it. Raises UnknownProviderError."""
    whole = msgspec.json.decode(base.definition(provider, strict=True))
    names = wire_names(base, provider)
    for parameter, allowed in values.items():
        name, encoded = names.get(parameter, (parameter, False))
        whole = describe_enum(base, provider, whole, name, encoded, allowed)
    return msgspec.json.encode(whole)


def contract_with_values(base: Tool[Any], values: Values) -> dict[str, Any]:
    """The contract file of `base` with the enums in it. Raises ValueError where it has no place for them."""
    document: dict[str, Any] = {**base._parameters().document()}
    for name, allowed in values.items():
        document["parameters"] = _with_values(document["parameters"], name, allowed, document)
    # The parts that stayed are the base's own, and a caller may change what it is given.
    copy: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    return copy


def values_by_attribute(binding: Tool[Any], values: Values) -> tuple[tuple[str, frozenset[str]], ...]:
    """The values of each attribute of the Struct; a parameter without one gets a name that no Struct has."""
    fields = msgspec.structs.fields(binding.params) if hasattr(binding.params, "__struct_fields__") else ()
    known = {field.encode_name: field.name for field in fields}
    return tuple((known.get(name, " "), frozenset(allowed)) for name, allowed in values.items())


def is_allowed(value: Any, values: frozenset[str]) -> bool:
    """Whether `value` is one of `values`, a list of them, or absent. Else the contract decides."""
    if type(value) is str:
        return value in values
    if type(value) is list:
        return all(type(item) is str and item in values for item in value)
    return value is None or value is msgspec.UNSET


def _checked(binding: Tool[Any], name: str, sequence: Sequence[str]) -> tuple[str, ...]:
    where = f"specialise({name}=…) of tool {binding.name!r}"
    if isinstance(sequence, (str, bytes)) or not all(isinstance(value, str) for value in sequence):
        raise ValueError(f"{where} takes a list of strings.")
    values = tuple(sequence)
    if not values or len(values) > MAX_VALUES or sum(map(len, values)) > MAX_CHARACTERS:
        raise ValueError(
            f"{where} takes 1 to {MAX_VALUES} values with {MAX_CHARACTERS} characters in all, not "
            f"{len(values)} with {sum(map(len, values))}. Leave the tool out where there is none."
        )
    twice = next((value for index, value in enumerate(values) if value in values[:index]), None)
    if twice is not None:
        raise ValueError(f"{where} has {twice!r} twice.")
    schema = binding.schema()
    parameter = schema.get("properties", {}).get(name)
    default = parameter.get("default") if isinstance(parameter, dict) else None
    if isinstance(default, str) and default not in values:
        raise ValueError(f"{where} lacks {default!r}, which the spec has for its default.")
    for value in values:
        _check_accepted(binding, name, value, where)
    return values


def _check_accepted(binding: Tool[Any], name: str, value: str, where: str) -> None:
    node = binding._parameters()
    below = f"/properties/{escape(name)}"
    try:
        kind = follow(node.document(), node.pointer + below)
        lists = isinstance(kind, dict) and kind.get("type") == "array" and "items" in kind
        validator = node.validator(f"{below}/items" if lists else below)
    except LookupError:
        raise ValueError(_no_place(binding, name)) from None
    wrong = validator.violations(value)
    if wrong:
        raise ValueError(f"{where}: the contract refuses {value!r}: {wrong[0].message}.")


def _with_values(parameters: Any, name: str, values: tuple[str, ...], document: Any) -> Any:
    """The parameters' schema with an enum at one of them. Raises KeyError where it is not there."""
    properties = parameters["properties"]
    changed = with_enum(properties[name], values, document, mixed=True)
    if changed is None:
        raise ValueError(
            f"Parameter {name!r} has an enum at run time, so it must be a string or a list of strings."
        )
    return {**parameters, "properties": {**properties, name: changed}}


def _no_place(binding: Tool[Any], name: str) -> str:
    return f"The contract of tool {binding.name!r} has no parameter {name!r} of its own to put values at."


def _no_such(binding: Tool[Any], name: str) -> str:
    from difflib import get_close_matches

    known = tuple(binding.runtime_enums)
    if not known:
        return f"Tool {binding.name!r} has no runtime_enums; name {name!r} there in its spec."
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(known)}."
    return f"{name!r} is none of the runtime_enums of tool {binding.name!r}. {hint}"
