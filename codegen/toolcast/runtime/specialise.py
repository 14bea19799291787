"""Enums whose values are known only when the program runs: the names of agents, say.

The generated definition and contract get the values where the parameter stands; nothing is compiled again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..jsonschema.pointers import escape
from .described import Described
from .enums import with_enum
from .node import follow
from .telling import sent_names, tell

Values = Mapping[str, tuple[str, ...]]
"""The values of each enum, by parameter."""
Checks = tuple[tuple[str, frozenset[str]], ...]
"""The same by attribute of the Struct."""

MAX_VALUES = 250
"""Values of one enum: past 250, OpenAI's strict mode bounds their characters, too
(developers.openai.com/api/docs/guides/structured-outputs)."""
MAX_CHARACTERS = 7500
"""Characters of all values: the smallest bound that a provider has for long enums, Moonshot's."""


def taken(binding: Described[Any], values: Mapping[str, Sequence[str]]) -> Values:
    """Values for the `runtime_enums` of `binding`, as they are kept.

    Raises ValueError for parameters that are none of them, and for values that are not at most MAX_VALUES
    different strings (MAX_CHARACTERS in all) that the contract accepts.
    """
    for name in values:
        if name not in binding.runtime_enums:
            raise ValueError(_no_such(binding, name))
    return {name: _taken(binding, name, given) for name, given in values.items()}


def described(binding: Described[Any], provider: str, values: Values) -> bytes:
    """The tool object with the enums in it."""
    whole = msgspec.json.decode(binding.definition(provider, strict=True))
    sent = sent_names(binding, provider)
    for name, of in values.items():
        whole = tell(binding, provider, whole, *sent.get(name, (name, False)), of)
    return msgspec.json.encode(whole)


def narrowed(binding: Described[Any], values: Values) -> dict[str, Any]:
    """The contract file with the enums in it. Raises ValueError where it has no place for them."""
    document: dict[str, Any] = {**binding._parameters().document()}
    for name, of in values.items():
        document["parameters"] = _narrow(document["parameters"], name, of, document)
    # The parts that stayed are the binding's own, and a caller may change what it is given.
    copy: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    return copy


# Of `Lazy`: what depends on the values.
_OWN = frozenset({"definitions", "lenient", "parameters", "quick", "sent", "undo"})


def share(binding: Described[Any], made: Described[Any]) -> None:
    """What is made once for a type serves all its specialised bindings."""
    known = binding._lazy
    if known.plan is None:
        binding._make_plan()
    for part in type(known).__slots__:
        if part not in _OWN:
            setattr(made._lazy, part, getattr(known, part))


def checks(binding: Described[Any], values: Values) -> Checks:
    """The Struct's attribute and its values; an attribute that it does not have leads to the contract."""
    try:
        fields = msgspec.structs.fields(binding.params)
    except TypeError:
        fields = ()
    known = {field.encode_name: field.name for field in fields}
    return tuple((known.get(name, " "), frozenset(of)) for name, of in values.items())


def _taken(binding: Described[Any], name: str, given: Sequence[str]) -> tuple[str, ...]:
    where = f"specialise({name}=…) of tool {binding.name!r}"
    if isinstance(given, (str, bytes)) or not all(isinstance(value, str) for value in given):
        raise ValueError(f"{where} takes a list of strings.")
    values = tuple(given)
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
        _accepted(binding, name, value, where)
    return values


def _accepted(binding: Described[Any], name: str, value: str, where: str) -> None:
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


def _narrow(parameters: Any, name: str, of: tuple[str, ...], document: Any) -> Any:
    """The parameters' schema with an enum at one of them. Raises KeyError where it is not there."""
    properties = parameters["properties"]
    changed = with_enum(properties[name], of, document, mixed=True)
    if changed is None:
        raise ValueError(
            f"Parameter {name!r} has an enum at run time, so it must be a string or a list of strings."
        )
    return {**parameters, "properties": {**properties, name: changed}}


def _no_place(binding: Described[Any], name: str) -> str:
    return f"The contract of tool {binding.name!r} has no parameter {name!r} of its own to put values at."


def _no_such(binding: Described[Any], name: str) -> str:
    from difflib import get_close_matches

    known = tuple(binding.runtime_enums)
    if not known:
        return f"Tool {binding.name!r} has no runtime_enums; name {name!r} there in its spec."
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(known)}."
    return f"{name!r} is none of the runtime_enums of tool {binding.name!r}. {hint}"
