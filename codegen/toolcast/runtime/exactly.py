"""Arguments decoded the long way: exactly, and with every violation named."""

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .checked import trusted_hook
from .definitions import disagree
from .described import Described
from .errors import LIMIT, ArgumentError
from .parse import Arguments, parse

if TYPE_CHECKING:  # most calls need none of them
    from .ways.guesses import Guesses
    from .ways.undo import Undo

P = TypeVar("P")


def decode_exactly(
    tool: Described[P], arguments: Arguments, guesses: "Guesses | None", undo: "Undo | None" = None
) -> P:
    """Exact, with every violation named, and with guesses where they are asked for."""
    try:
        value = _read(tool, arguments, undo)
        return _decode_checked(tool, value, undone=undo is not None)
    except ArgumentError:
        if guesses is not None and guesses.allow:
            guessed = _guessed(tool, arguments, guesses, undo)
            if guessed is not None:
                return guessed
        raise


def without_empty(tool: Described[Any], value: Any) -> Any:
    """`value` without the parameters whose "" means that they were left out."""
    names = tool.empty_is_absent
    if not names or type(value) is not dict or not any(value.get(name) == "" for name in names):
        return value
    return {name: item for name, item in value.items() if item != "" or name not in names}


def _read(tool: Described[Any], arguments: Arguments, undo: "Undo | None") -> Any:
    """Plain data in the contract's form. Raises ArgumentError for what is not JSON."""
    value = parse(tool.name, arguments)
    return without_empty(tool, value if undo is None else undo(value))


def _guessed(tool: Described[P], arguments: Arguments, guesses: "Guesses", undo: "Undo | None") -> P | None:
    """The parameters that refused arguments may have meant; None where no guess leads to any."""
    from .ways.guessing import guess

    def read(text: Any) -> Any:
        return _read(tool, text, undo)

    found = guess(arguments, read, tool._parameters().validator(), guesses)
    if found is None:
        return None
    value, used = found
    params = _decode_checked(tool, value)
    guesses.count(used)
    return params


def _decode_checked(tool: Described[P], value: Any, *, undone: bool = False) -> P:
    """Settle, validate, convert: exact, and with every violation at once. `undone` says that `value` was
    sent in another form."""
    validator = tool._parameters().validator()
    try:
        settled = validator.settle(value)
        violations = validator.violations(settled, limit=LIMIT)
        if violations and validator.accepts(value):
            settled = value  # a float past 2**53 may fit where the integer that it is does not
        elif violations:
            if undone:
                from .ways.hints import explained

                raise ArgumentError(tool.name, violations=explained(violations, settled))
            raise ArgumentError(tool.name, violations=violations)
        converted: P = msgspec.convert(settled, tool._shape(), dec_hook=trusted_hook)
    except RecursionError:
        raise ArgumentError(tool.name, "they are nested too deeply. Send a flatter value.") from None
    except msgspec.ValidationError as problem:
        raise disagree(tool, problem) from problem
    return converted
