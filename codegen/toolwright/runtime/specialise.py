"""Enums whose values are known only when the program runs: the names of agents, say.

The generated definition and contract get the values where the parameter stands; nothing is compiled again.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .binding import ToolBinding
from .enums import with_enum
from .node import Node, follow
from .parse import Arguments
from .telling import sent_names, tell

if TYPE_CHECKING:
    from .ways.guesses import Guesses
    from .ways.undo import Undo

P = TypeVar("P")
H = TypeVar("H")

MAX_VALUES = 250
"""Values of one enum: past 250, OpenAI's strict mode bounds their characters, too
(developers.openai.com/api/docs/guides/structured-outputs)."""
MAX_CHARACTERS = 7500
"""Characters of all values: the smallest bound that a provider has for long enums, Moonshot's."""


class SpecialisedBinding(ToolBinding[P, H], frozen=True, kw_only=True, eq=False):
    """A binding whose enums have their values. Made by `ToolBinding.specialise`."""

    base: Any
    values: Mapping[str, tuple[str, ...]]
    checks: tuple[tuple[str, frozenset[str]], ...]  # by attribute of the Struct

    def decode(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """As the binding's, and other values are violations as those of any enum are."""
        params = ToolBinding.decode(self, arguments, provider, guesses)
        for attribute, of in self.checks:
            value = getattr(params, attribute, self)
            if value not in of if type(value) is str else not _fits(value, of):
                break
        else:
            return params
        undo = None if provider is None else self._find_undo(provider)
        return self._decode_slowly(arguments, guesses, undo)

    def schema(self) -> dict[str, Any]:
        """The parameters' contract with the enums, a copy of its own each time."""
        schema: dict[str, Any] = self._narrowed()["parameters"]
        return schema

    def specialise(self, /, **values: Sequence[str]) -> "ToolBinding[P, H]":
        """Further enums, or other values for the same ones."""
        return specialise(self.base, {**self.values, **values})

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            base: ToolBinding[P, H] = self.base
            whole = msgspec.json.decode(base.definition(provider))
            sent = sent_names(base, provider)
            for name, of in self.values.items():
                whole = tell(base, provider, whole, *sent.get(name, (name, False)), of)
            ready = self._lazy.definitions[provider, "full"] = msgspec.json.encode(whole)
        return ready

    def _make_undo(self, provider: str) -> "Undo":
        undo: Undo = self.base._lazy.undo.get(provider) or self.base._make_undo(provider)
        return undo

    def _parameters(self) -> Node:
        node = self._lazy.parameters
        if node is None:
            node = Node(self.module, f"{self.contract}#/parameters")
            node._document = self._narrowed()
            self._lazy.parameters = node
        return node

    def _narrowed(self) -> dict[str, Any]:
        """The contract file with the enums in it."""
        document: dict[str, Any] = {**self.base._parameters().document()}
        for name, of in self.values.items():
            document["parameters"] = _narrow(document["parameters"], name, of, document)
        # The parts that stayed are the base's own, and a caller may change what it is given.
        copy: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
        return copy


def specialise(binding: ToolBinding[P, H], values: Mapping[str, Sequence[str]]) -> ToolBinding[P, H]:
    """`binding` with these values for its `runtime_enums`, by parameter.

    Raises ValueError for parameters that are none of them, and for values that are not at most MAX_VALUES
    different strings (MAX_CHARACTERS in all) that the contract accepts.
    """
    for name in values:
        if name not in binding.runtime_enums:
            raise ValueError(_no_such(binding, name))
    taken = {name: _taken(binding, name, given) for name, given in values.items()}
    own = {field: getattr(binding, field) for field in binding.__struct_fields__ if field != "_lazy"}
    made: SpecialisedBinding[P, H] = SpecialisedBinding(
        **own, base=binding, values=taken, checks=_checks(binding, taken)
    )
    _share(binding, made)
    made.schema()  # a contract that has no place for them says so now
    return made


# Of `_Lazy`: what depends on the values.
_OWN = frozenset({"definitions", "parameters", "undo"})


def _share(binding: ToolBinding[Any, Any], made: ToolBinding[Any, Any]) -> None:
    """What is made once for a type serves all its specialised bindings."""
    known = binding._lazy
    if known.plan is None:
        binding._make_plan()
    for part in type(known).__slots__:
        if part not in _OWN:
            setattr(made._lazy, part, getattr(known, part))


def _fits(value: Any, of: frozenset[str]) -> bool:
    """Whether what is no string has one of the values, or is absent. Else the contract decides."""
    if type(value) is list:
        return all(type(item) is str and item in of for item in value)
    return value is None or value is msgspec.UNSET


def _checks(
    binding: ToolBinding[Any, Any], values: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, frozenset[str]], ...]:
    """The Struct's attribute and its values; an attribute that it does not have leads to the contract."""
    try:
        fields = msgspec.structs.fields(binding.params)
    except TypeError:
        fields = ()
    known = {field.encode_name: field.name for field in fields}
    return tuple((known.get(name, " "), frozenset(of)) for name, of in values.items())


def _taken(binding: ToolBinding[Any, Any], name: str, given: Sequence[str]) -> tuple[str, ...]:
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


def _accepted(binding: ToolBinding[Any, Any], name: str, value: str, where: str) -> None:
    node = binding._parameters()
    below = f"/properties/{_escaped(name)}"
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


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _no_place(binding: ToolBinding[Any, Any], name: str) -> str:
    return f"The contract of tool {binding.name!r} has no parameter {name!r} of its own to put values at."


def _no_such(binding: ToolBinding[Any, Any], name: str) -> str:
    from difflib import get_close_matches

    known = tuple(binding.runtime_enums)
    if not known:
        return f"Tool {binding.name!r} has no runtime_enums; name {name!r} there in its spec."
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(known)}."
    return f"{name!r} is none of the runtime_enums of tool {binding.name!r}. {hint}"
