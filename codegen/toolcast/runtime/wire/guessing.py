"""Arguments that were refused, and what guesses make of them."""

from collections.abc import Callable
from typing import Any

from ...jsonschema import Validator
from ..arguments import MAX_TEXT
from ..errors import ArgumentError
from .guess_names import Name
from .guesses import Guesses


def guess(
    arguments: Any, read: Callable[[Any], Any], validator: Validator, guesses: Guesses
) -> tuple[Any, list[Name]] | None:
    """A value that `validator` accepts, and the guesses that lead to it; None if there is none.

    `read` makes plain data in the contract's form of a text or mapping, or raises ArgumentError.
    """
    try:
        return guesses.settled(validator, read(arguments))
    except ArgumentError:
        pass  # not JSON: perhaps almost
    for other, used in almost(arguments, guesses):
        try:
            found = guesses.settled(validator, read(other))
        except ArgumentError:
            continue
        return None if found is None else (found[0], [*used, *found[1]])
    return None


def almost(arguments: Any, guesses: Guesses) -> list[tuple[str, list[Name]]]:
    """Texts that arguments may mean which are not JSON, each with the guesses that lead to it."""
    text = _as_str(arguments)
    return [] if text is None or len(text) > MAX_TEXT else guesses.texts(text)


def _as_str(arguments: Any) -> str | None:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, (bytes, bytearray, memoryview)):
        try:
            return str(arguments, "utf-8")
        except UnicodeDecodeError:
            return None
    return None
