"""From a call's arguments to a tool's typed parameters.

Text is parsed once, the provider's wire form decoded, the plain data converted to the Struct. What the Struct
refuses, the contract settles and validates: it knows the two allowances (null for an absent property, a whole
float for an integer) and names every violation.
"""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ..jsonschema.json_values import may_be_too_deep, too_deep
from ..jsonschema.regex_cache import CALL
from .arguments import Arguments, parse_arguments
from .checked_types import trusted_hook
from .errors import LIMIT, ArgumentError
from .log_records import WARNING, log
from .resources import ContractNode
from .tool import AnyTool, Tool

if TYPE_CHECKING:  # most calls need none of them
    from ..jsonschema.validator_errors import Violation
    from .wire.decoder import WireDecoder
    from .wire.guesses import Guesses

P = TypeVar("P")


def decode_arguments(
    tool: Tool[P],
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses | None",
    exact: bool,
) -> P:
    """Return the typed parameters of `tool`. `wire_decoder` is None if the arguments are in the contract's
    own form. If `exact` is false, the contract validates every value before it is converted. Raises
    ArgumentError with every violation, unless `guesses` lead to arguments that the contract accepts."""
    before = CALL.set({})
    try:
        value = parse_arguments(tool.name, arguments)
        if wire_decoder is not None or tool.empty_is_absent:
            value = in_own_form(tool, value, wire_decoder)
        text = arguments if isinstance(arguments, (bytes, str)) else None
        if exact:
            try:
                if (
                    not value or text is None or wire_decoder is not None or tool.empty_is_absent
                ):  # no value: blank text
                    text = msgspec.json.encode(value)  # to read JSON takes half the time of `msgspec.convert`
                if not may_be_too_deep(text) or not too_deep(value):
                    return (tool._lazy.decoder or tool._decoder())(text)
            except (msgspec.DecodeError, RecursionError):
                pass  # the contract settles it, or names what is wrong
        return _convert_valid(tool, value, encoded=wire_decoder is not None)
    except ArgumentError as problem:
        if guesses is not None and guesses.allow:
            guessed = _guessed(tool, arguments, wire_decoder, guesses, problem)
            if guessed is not None:
                return guessed
        raise
    finally:
        CALL.reset(before)


def in_own_form(tool: AnyTool, value: object, wire_decoder: "WireDecoder | None") -> Any:
    """Return plain data in the contract's form, without parameters that "" leaves out."""
    if wire_decoder is not None:
        value = wire_decoder(value)
    names = tool.empty_is_absent
    if names and type(value) is dict:
        value = {name: item for name, item in value.items() if item != "" or name not in names}
    return value


def _convert_valid(tool: Tool[P], value: object, *, encoded: bool = False) -> P:
    """Settle, validate and convert `value`, which is `encoded` if it came in a provider's wire form. Raises
    ArgumentError with every violation."""
    try:
        settled, violations = settle(tool._parameters(), value, encoded=encoded)
        if violations:
            raise ArgumentError(tool.name, violations=violations)
        return convert_settled(tool, settled)
    except RecursionError:
        raise ArgumentError(tool.name, "they are nested too deeply. Send a flatter value.") from None


def convert_settled(tool: Tool[P], settled: object) -> P:
    """Convert a settled value that the contract accepts. Raises RecursionError, and ArgumentError if the
    Struct refuses it: a bug of the generator, no fault of the model's."""
    try:
        converted: P = msgspec.convert(settled, tool._shape(), dec_hook=trusted_hook)
    except msgspec.ValidationError as problem:
        log(
            WARNING,
            "Tool %r (%s): its contract accepts a value that its Struct refuses (%s). "
            "This is a bug in the generated code; run `toolcast verify`.",
            tool.name,
            tool.module,
            problem,
            event="disagreement",
            tool=tool.name,
            error_type=type(problem).__name__,
        )
        raise ArgumentError(tool.name, f"{problem}.") from problem
    return converted


def settle(node: ContractNode, value: object, *, encoded: bool) -> "tuple[Any, Sequence[Violation]]":
    """Return `value` with the two allowances, and its remaining violations, worded for the wire form if the
    value was `encoded`. Raises RecursionError."""
    validator = node.validator()
    settled = validator.settle(value)
    violations = validator.violations(settled, limit=LIMIT)
    if violations and validator.accepts(value):
        return value, ()  # a float past 2**53 may fit where the integer that it is does not
    if violations and encoded:
        from .wire.decoder import explain_wire_form

        return settled, explain_wire_form(violations, settled)
    return settled, violations


def _guessed(
    tool: Tool[P],
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses",
    problem: ArgumentError,
) -> P | None:
    """Return the parameters that guesses lead to; None for none. Raises ArgumentError for several."""
    from .wire.guesses import GuessError, guess, with_reason

    def read(text: Any) -> Any:
        return in_own_form(tool, parse_arguments(tool.name, text), wire_decoder)

    try:
        value = guess(arguments, read, tool._parameters().validator(), guesses)
    except GuessError as reason:
        raise with_reason(problem, reason) from None
    return None if value is None else _convert_valid(tool, value)
