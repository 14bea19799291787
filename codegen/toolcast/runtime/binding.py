"""Bindings: a tool's arguments decoded, its values encoded, its run-time enums."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from ..jsonschema.json_values import MAX_DEPTH, JsonMapping, JsonObject, may_be_too_deep
from .arguments import MAX_TEXT, Arguments, copy_json
from .bounded_json import (
    BACKSLASH,
    COLON,
    UnreadableJSONError,
    decode_json,
    may_escape_colon,
    may_repeat_key,
)
from .codec import decode_in_steps, to_builtins, with_defaults, with_nulls, without_defaults
from .errors import LIMIT, ArgumentError, EncodeError
from .resources import ContractFile, ContractNode
from .runtime_enums import (
    check_values,
    contract_with_values,
    definition_with_values,
    is_allowed,
    values_by_attribute,
)
from .tool import Level, Tool

if TYPE_CHECKING:  # most calls need none of them
    from ..jsonschema.validator_errors import Violation
    from .wire.decoder import WireDecoder
    from .wire.guesses import Guesses

__all__ = ["Level", "ToolBinding"]

P = TypeVar("P")
R = TypeVar("R")

_SHALLOW: Final = 2 * MAX_DEPTH
"""Longest text that cannot nest too deeply, in bytes: a level takes two."""
_encode = msgspec.json.Encoder().encode


class ToolBinding(Tool[P], Generic[P, R], frozen=True, kw_only=True, eq=False):
    """A generated tool with its decoder and encoder. P is the type of the parameters, R that of the result: a
    handler is a `Callable[[P, ToolContext], Returns[R]]`."""

    def decode(
        self,
        arguments: Arguments,
        provider: str | None = None,
        guesses: "Guesses | None" = None,
        injected: JsonMapping | None = None,
    ) -> P:
        """Decode the arguments of a call.

        Args:
            arguments: JSON text, or a mapping that is parsed already. None, blank text and `null` mean no
                arguments.
            provider: id of the provider whose wire form the arguments have; None for the contract's own form.
            guesses: guesses that may be applied to arguments that the contract refuses; None for none.
            injected: plain JSON values of parameters that the program fills in (`inject`); one that is left
                out is absent.

        Returns:
            The typed parameters.

        Raises:
            ArgumentError: the arguments do not fit the contract, set what only the program sets, or their
                text does not fit the tool's grammar. It names every violation of the contract, and the first
                place of the text.
            InjectionError: the contract refuses a value of `injected`, or needs one that is missing.
            UnknownProviderError: nothing was generated for `provider`.
            MissingDataError: a generated JSON file is missing or was changed.
            ImportError: the tool has a grammar, and llguidance is missing (`toolcast[grammars]`).
        """
        direct = self._lazy.direct.get(provider)
        if direct is not None and not injected:
            # One frame, without calls that most texts do not need: each takes a fifth of what msgspec takes.
            decode, required, writes_keys, wire_decoder = direct
            try:
                text = arguments.encode() if type(arguments) is str else arguments
                if wire_decoder is not None or type(text) is not bytes:
                    return self._convert(text, wire_decoder)
                if len(text) <= _SHALLOW or (len(text) <= MAX_TEXT and not may_be_too_deep(text)):
                    params: P = decode(text)
                    # Every key has a colon: with no more of them than required parameters, each stands once.
                    colons = text.count(COLON)
                    if colons <= required:
                        return params
                    if (
                        writes_keys
                        and _encode(params).count(COLON) == colons
                        and (BACKSLASH not in text or not may_escape_colon(text))
                    ):
                        return params
                    if not may_repeat_key(text, colons, decode_json(text)):
                        return params
            except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
                pass  # the steps open what is encoded twice, settle, and name what is wrong
        wire_decoder = None if provider is None else self._wire_decoder(provider)
        if self.inject or injected:
            from .injection import decode_injected

            return decode_injected(self, arguments, wire_decoder, guesses, injected or {})
        params = decode_in_steps(self, arguments, wire_decoder, guesses, self.exact)
        if self.input is not None:
            violations = self._text_violations(params.input)  # type: ignore[attr-defined]  # its one field
            if violations:
                raise ArgumentError(self.name, violations=violations)
        return params

    def _convert(self, arguments: object, wire_decoder: "WireDecoder | None") -> P:
        """Return the parameters that a JSON text or plain data hold, whose types say all of the contract.
        Raises TypeError, ValueError, OverflowError or RecursionError for what must be read step by step."""
        if type(arguments) is bytes and len(arguments) <= MAX_TEXT:
            text, value = arguments, decode_json(arguments)
            if may_repeat_key(text, text.count(COLON), value):
                raise UnreadableJSONError
        else:
            text, value = copy_json(arguments)
        if may_be_too_deep(text):
            raise UnreadableJSONError
        return msgspec.convert(value if wire_decoder is None else wire_decoder(value), self.params)

    def decode_offered(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> JsonObject:
        """Return a model's arguments as plain JSON data in the contract's form, without the parameters that
        the program fills in (`inject`); `decode` accepts them without a provider. Like `decode`, it takes a
        `provider` and `guesses`, and raises UnknownProviderError, MissingDataError and ImportError.

        Raises:
            ArgumentError: the arguments do not fit the part of the contract that models are offered.
        """
        from .injection import decode_offered

        wire_decoder = None if provider is None else self._wire_decoder(provider)
        offered = decode_offered(self, arguments, wire_decoder, guesses)
        if self.input is not None:
            violations = self._text_violations(offered["input"])
            if violations:
                raise ArgumentError(self.name, violations=violations)
        return offered

    def encode(self, params: P) -> bytes:
        """Return typed `params` as compact JSON that the contract accepts. Absent parameters stay absent.

        Raises:
            EncodeError: the contract refuses `params` in every form, or the tool's grammar their text.
            ImportError: llguidance is missing.
        """
        validator = self._parameters().validator()
        plain = validator.settle(to_builtins(params))
        if not validator.accepts(plain):
            # An omitted default may be what distinguishes two branches; a written one (msgspec
            # writes a default list or object) may be what another keyword forbids. A null may be asked for
            # that is a default. And a huge float may be no multiple where its integer is one: then it stays.
            forms = (with_defaults, without_defaults, with_nulls)
            settled = (validator.settle(form(params)) for form in forms)
            others = (*settled, to_builtins(params))
            fitting = next((other for other in others if validator.accepts(other)), None)
            if fitting is None:
                raise EncodeError(self.name, validator.violations(plain, limit=LIMIT))
            plain = fitting
        if self.input is not None:
            violations = self._text_violations(params.input)  # type: ignore[attr-defined]  # its one field
            if violations:
                raise EncodeError(self.name, violations)
        return msgspec.json.encode(plain)

    def prepare_result(self, provider: str | None = None) -> None:
        """Read and compile all that `encode_result` needs for `provider`. A call does so before its handler
        acts: a file that cannot be read then costs no result.

        Raises:
            MissingDataError: a generated JSON file is missing.
            OSError: a generated JSON file cannot be read.
        """
        if self.result is not None and provider not in self._lazy.prepared:
            self._result().validator()
            self._includes_defaults(provider)
            self._lazy.prepared.add(provider)

    def encode_result(self, value: object, provider: str | None = None) -> bytes:
        """Return a handler's value as compact JSON, in the form of the result's contract if there is one.

        `defaults` decides on members that equal their default; unset, they are written if the definition for
        `provider` shows the schema of results.

        Args:
            value: what the handler returned.
            provider: id of the provider that the result goes to; None for one that sees no schema.

        Raises:
            TypeError: the value has no JSON form.
        """
        if self.result_form is not None and type(value) is self.result:
            if self.result_form == "exact":
                return msgspec.json.encode(value)
            write = with_defaults if self._includes_defaults(provider) else without_defaults
            return msgspec.json.encode(write(value))
        if self.result is None:
            return msgspec.json.encode(to_builtins(value))
        validator = self._result().validator()
        plain = validator.settle(to_builtins(value))
        # Null is written where it is a value; settling leaves it out where it means absence.
        write = with_nulls if self._includes_defaults(provider) else without_defaults
        form = validator.settle(write(value))
        # A default that is written, or left out, may be what another keyword refuses.
        if form != plain and validator.accepts(form):
            plain = form
        return msgspec.json.encode(plain)

    def write_result(self, value: object) -> bytes:
        """Return the text of a handler's value for models, as `text` says, in UTF-8. It has the members that
        equal their default, unless `defaults` says otherwise.

        Raises:
            TypeError: the value has no JSON form.
            ResultTextError: `text` is no list of paths and no template.
        """
        if self.text is None:
            return self.encode_result(value)
        text = self._lazy.text
        if text is None:
            from .result_text import result_text

            text = self._lazy.text = result_text(self.text)
        return text.write(msgspec.json.decode(self.encode_result(value))).encode()

    def specialise(self, /, **values: Sequence[str]) -> "ToolBinding[P, R]":
        """Return a new binding with values for the tool's `runtime_enums`, in definitions and in decoding.

        Args:
            **values: for each parameter, its allowed strings: 1 to 250, with at most 7,500 characters in all.

        Raises:
            ValueError: a name is none of `runtime_enums`, or its values are not different strings that the
                contract accepts.
        """
        checked = check_values(self, values)
        own = {field: getattr(self, field) for field in self.__struct_fields__}
        made: _SpecialisedBinding[P, R] = _SpecialisedBinding(
            **own, base=self, values=checked, attributes=values_by_attribute(self, checked)
        )
        made._lazy.decoder, made._lazy.result = self._decoder(), self._result()
        made._lazy.direct = self._lazy.direct
        made.schema()  # raises where the contract has no place for the values
        return made

    def _text_violations(self, text: str) -> "tuple[Violation, ...]":
        if self.input is None or isinstance(self.input, str):
            return ()  # any text
        from .grammars import text_violations

        return text_violations(self.input, text)


AnyBinding: TypeAlias = ToolBinding[Any, Any]
"""A binding of parameters and results of any type."""


class _SpecialisedBinding(ToolBinding[P, R], frozen=True, kw_only=True, eq=False):
    """A binding made by `ToolBinding.specialise`. `attributes` has the values of each attribute of the
    Struct."""

    base: Any
    values: Mapping[str, tuple[str, ...]]
    attributes: tuple[tuple[str, frozenset[str]], ...]

    def decode(
        self,
        arguments: Arguments,
        provider: str | None = None,
        guesses: "Guesses | None" = None,
        injected: JsonMapping | None = None,
    ) -> P:
        """Refuse values outside of the enums, too."""
        params = ToolBinding.decode(self, arguments, provider, guesses, injected=injected)
        if self.inject:  # held to the contract with the values by now
            return params
        if all(is_allowed(getattr(params, name, self), values) for name, values in self.attributes):
            return params
        wire_decoder = None if provider is None else self._wire_decoder(provider)
        return decode_in_steps(self, arguments, wire_decoder, guesses, False)

    def schema(self) -> JsonObject:
        schema: JsonObject = contract_with_values(self.base, self.values)["parameters"]
        return self._without_injected(schema)

    def specialise(self, /, **values: Sequence[str]) -> ToolBinding[P, R]:
        specialised: ToolBinding[P, R] = self.base.specialise(**{**self.values, **values})
        return specialised

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            ready = definition_with_values(self.base, provider, self.values)
            self._lazy.definitions[provider, "full"] = ready
        return ready

    def _load_wire_decoder(self, provider: str, definition: bytes) -> "WireDecoder":
        del definition
        wire_decoder: WireDecoder = self.base._wire_decoder(provider)
        return wire_decoder

    def _parameters(self) -> ContractNode:
        node = self._lazy.parameters
        if node is None:
            document = contract_with_values(self.base, self.values)
            node = self._lazy.parameters = ContractNode(
                ContractFile(self.module, self.contract, document), "/parameters"
            )
        return node
