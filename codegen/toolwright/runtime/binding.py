"""A tool as generated code binds it: the one decoder for its arguments, and the way back to JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from .checked import decode_hook
from .described import Described, Level
from .encode import to_builtins, with_defaults, without_defaults
from .errors import LIMIT, ArgumentError, EncodeError
from .exactly import decode_exactly, without_empty
from .keys import count_colons, has_colon_escapes, has_empty, is_deep, is_short
from .node import Node
from .parse import Arguments, as_text, parse
from .quick import Decode
from .schema.values import too_deep

if TYPE_CHECKING:  # most calls need none of them
    from .ways.guesses import Guesses
    from .ways.undo import Undo

__all__ = ["Level", "ToolBinding"]

P = TypeVar("P")
H = TypeVar("H")
_encode = msgspec.json.encode
_decode_any = msgspec.json.Decoder().decode


class ToolBinding(Described[P], Generic[P, H], frozen=True, kw_only=True, eq=False):
    """One tool, as `Described` has it. P is the parameters' type, H the handler's Protocol."""

    def decode(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """The typed parameters for a call's arguments: JSON text, or a mapping that was parsed already.

        `provider` names the dialect they were written in. Blank text means no arguments. `guesses` are made
        at arguments that the contract refuses, none by default. Raises ArgumentError naming every violation,
        UnknownProviderError where nothing was generated for `provider`, MissingDataError for files that are
        not as they were generated.
        """
        quick = self._lazy.quick or self._make_quick()
        params: P = quick(arguments, provider, guesses)
        return params

    def _make_quick(self) -> Decode:
        """What decodes most calls."""
        if not self.exact or self.empty_is_absent:
            quick: Decode = self._decode_slowly
        else:
            plan = self._lazy.plan or self._make_plan()
            quick = plan.bound(
                straight=self._lazy.straight,
                slowly=self._decode_slowly,
                exactly=self._decode_refused,
                has_each_once=self._has_each_once,
            )
        self._lazy.quick = quick
        return quick

    def _decode_slowly(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """Whatever is no short text in the contract's own form."""
        if provider is not None and provider not in self._lazy.straight:
            sent = self._lazy.sent.get(provider) or self._make_sent(provider)
            if sent is not None:
                params: P = sent(arguments, provider, guesses)
                return params
        if self.exact:
            return self._decode_other(arguments, guesses)
        return decode_exactly(self, arguments, guesses)

    def _make_sent(self, provider: str) -> Decode | None:
        """What decodes the form that is sent to `provider`; None where that is the contract's own."""
        undo = self._lazy.undo.get(provider) or self._find_undo(provider)
        if undo is None:
            return None

        def general(arguments: Arguments, _: str | None, guesses: "Guesses | None") -> P:
            return self._decode_undone(arguments, undo, guesses)

        sent: Decode = general
        if self.exact and self.wire is None and not self.empty_is_absent:
            from .ways.sent import sent_decoder

            sent = sent_decoder(self.params, undo.ways.root, provider, general) or general
        self._lazy.sent[provider] = sent
        return sent

    def _decode_refused(self, text: bytes | str, guesses: "Guesses | None") -> P:
        """Text that the quick way did not take. Some providers send blank text where nothing is required."""
        if len(text) <= 64 and not text.strip():
            return self._decode_other(b"{}", guesses)
        lenient = self._lazy.lenient or self._make_lenient()
        params: P = lenient(text, None, guesses)
        return params

    def _make_lenient(self) -> Decode:
        """What decodes text that has null for properties that are to be absent, as strict modes make a model
        write it."""

        def exactly(arguments: Arguments, _: str | None, guesses: "Guesses | None") -> P:
            return decode_exactly(self, arguments, guesses)

        lenient: Decode = exactly
        if self.wire is None:
            from .ways.sent import lenient_decoder

            lenient = lenient_decoder(self.params, exactly) or exactly
        self._lazy.lenient = lenient
        return lenient

    def _decode_other(self, arguments: Arguments, guesses: "Guesses | None") -> P:
        """Mappings, blank text, text that is long enough to nest too deeply, and any for a tool to which ""
        may mean that a parameter was left out."""
        plan = self._lazy.plan or self._make_plan()
        text = as_text(self.name, arguments)
        if self.empty_is_absent and (text is None or has_empty(text)):
            return decode_exactly(self, arguments, guesses)
        value = None if text is not None else parse(self.name, arguments)
        params: P
        try:
            if text is None:
                if not too_deep(value):
                    params = msgspec.convert(value, self._shape(), dec_hook=decode_hook)
                    return params
            elif len(text) <= plan.short or not is_deep(text):
                params = plan.decode(text)
                colons = count_colons(text)
                if colons == plan.keys or self._has_each_once(text, params, colons):
                    return params
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass
        return decode_exactly(self, arguments, guesses)

    def _decode_undone(self, arguments: Arguments, undo: "Undo", guesses: "Guesses | None") -> P:
        """Arguments in the dialect of a provider to which something was sent in another form."""
        try:
            value = undo(parse(self.name, arguments))
            if self.empty_is_absent:
                value = without_empty(self, value)
        except ArgumentError:
            if guesses is None:
                raise
            return decode_exactly(self, arguments, guesses, undo)
        if self.exact:
            try:
                # The way back adds no levels to what a text may have, save those of a schema's own literals.
                if is_short(arguments) or not too_deep(value):
                    params: P
                    if (self._lazy.plan or self._make_plan()).marked:
                        params = msgspec.convert(value, self._shape(), dec_hook=decode_hook)
                    else:
                        params = msgspec.convert(value, self.params)  # keywords cost as much as the rest
                    return params
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass
        return decode_exactly(self, arguments, guesses, undo)

    def _has_each_once(self, text: bytes | str, params: P, colons: int) -> bool:
        """Whether every property in `text` stands there once, as far as can be told quickly; `params` is
        what it was decoded to."""
        if has_colon_escapes(text):
            return False
        if (self._lazy.plan or self._make_plan()).faithful and _encode(params).count(b":") == colons:
            return True
        # Defaults that were spelt out, properties that the Struct does not know.
        return _encode(_decode_any(text)).count(b":") == colons and not is_deep(text)

    def encode(self, params: P) -> bytes:
        """JSON text that the contract accepts: absent stays absent, further properties in their place.

        Raises EncodeError where the contract refuses `params` in any form.
        """
        validator = self._parameters().validator()
        plain = validator.settle(to_builtins(params))
        if not validator.accepts(plain):
            # A default that was left out may be what tells two branches apart; one that was written (msgspec
            # writes a default list or object) may be what another keyword forbids.
            others = (validator.settle(form(params)) for form in (with_defaults, without_defaults))
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
