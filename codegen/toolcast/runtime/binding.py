"""A tool as generated code binds it: its arguments decoded, its values encoded, its enums of run time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from .decoding import Decoding
from .described import Level
from .encode import to_builtins, with_defaults, with_nulls, without_defaults
from .errors import LIMIT, EncodeError
from .exactly import decode_exactly
from .node import Node
from .parse import Arguments

if TYPE_CHECKING:  # most calls need none of them
    from .ways.guesses import Guesses
    from .ways.undo import Undo

__all__ = ["Level", "ToolBinding"]

P = TypeVar("P")
H = TypeVar("H")


class ToolBinding(Decoding[P], Generic[P, H], frozen=True, kw_only=True, eq=False):
    """One tool, as `Described` has it. P is the parameters' type, H the handler's Protocol."""

    def encode(self, params: P) -> bytes:
        """JSON text that the contract accepts: absent stays absent, further properties in their place.

        Raises EncodeError where the contract refuses `params` in any form.
        """
        validator = self._parameters().validator()
        plain = validator.settle(to_builtins(params))
        if not validator.accepts(plain):
            # A default that was left out may be what tells two branches apart; one that was written (msgspec
            # writes a default list or object) may be what another keyword forbids. A null may be asked for
            # that is a default. And a huge float may be no multiple where its integer is one: then it stays.
            forms = (with_defaults, without_defaults, with_nulls)
            settled = (validator.settle(form(params)) for form in forms)
            others = (*settled, to_builtins(params))
            fitting = next((other for other in others if validator.accepts(other)), None)
            if fitting is None:
                raise EncodeError(self.name, validator.violations(plain, limit=LIMIT))
            plain = fitting
        return msgspec.json.encode(plain)

    def encode_result(self, value: Any) -> bytes:
        """JSON text for a handler's value; in the form of the result's contract where there is one."""
        plain = to_builtins(value)
        if self.result is not None:
            plain = self._result().validator().settle(plain)
        return msgspec.json.encode(plain)

    def specialise(self, /, **values: Sequence[str]) -> "ToolBinding[P, H]":
        """The tool with values for its `runtime_enums`, in definitions and decoding. Raises ValueError."""
        from .specialise import checks, share, taken

        kept = taken(self, values)
        own = {field: getattr(self, field) for field in self.__struct_fields__ if field != "_lazy"}
        made: SpecialisedBinding[P, H] = SpecialisedBinding(
            **own, base=self, values=kept, checks=checks(self, kept)
        )
        share(self, made)
        made.schema()  # a contract that has no place for them says so now
        return made


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
        return decode_exactly(self, arguments, guesses, undo)

    def schema(self) -> dict[str, Any]:
        """The parameters' contract with the enums, a copy of its own each time."""
        schema: dict[str, Any] = self._narrowed()["parameters"]
        return schema

    def specialise(self, /, **values: Sequence[str]) -> ToolBinding[P, H]:
        """Further enums, or other values for the same ones."""
        specialised: ToolBinding[P, H] = self.base.specialise(**{**self.values, **values})
        return specialised

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            from .specialise import described

            ready = self._lazy.definitions[provider, "full"] = described(self.base, provider, self.values)
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
        from .specialise import narrowed

        return narrowed(self.base, self.values)


def _fits(value: Any, of: frozenset[str]) -> bool:
    """Whether what is no string has one of the values, or is absent. Else the contract decides."""
    if type(value) is list:
        return all(type(item) is str and item in of for item in value)
    return value is None or value is msgspec.UNSET
