"""Arguments as providers send them, as plain JSON data."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

from ..jsonschema.json_values import JsonMapping
from ..jsonschema.messages import label, member
from ..jsonschema.validator_errors import Violation
from .bounded_json import DuplicateKeyError, UnreadableJSONError, decode_json, read_json
from .errors import ArgumentError

MAX_TEXT = 4 * 1024 * 1024
"""Longest JSON text of arguments, in bytes or characters: about a million tokens, more than any model
writes in one answer. What is longer is refused unread."""

Arguments = bytes | bytearray | memoryview | str | JsonMapping | None
"""The arguments of `decode` and `execute`.

`None`, blank text and the text `null` mean `{}`: providers send "" or null for a tool without arguments.
"""

_encode = msgspec.json.Encoder().encode
_SEND = "Send the arguments as one JSON object."


def parse_arguments(tool: str, arguments: object) -> Any:
    """Parse arguments to plain JSON data. A JSON string that holds JSON is opened once, and null is an object
    without members: arguments are always an object. Raises ArgumentError for a text that is not JSON or has a
    key twice, and for a mapping with values that JSON lacks."""
    if not isinstance(arguments, (bytes, str)):
        if arguments is None:
            return {}
        if not isinstance(arguments, (bytearray, memoryview)):
            return _parse_mapping(tool, arguments)
        arguments = bytes(arguments)
    value = _parse_text(tool, arguments)
    if isinstance(value, str):
        inner = _parse_text(tool, value) if value.strip() else None
        return {} if inner is None else inner if isinstance(inner, dict) else value
    return {} if value is None else value


def _parse_text(tool: str, text: bytes | str) -> object:
    # The length first: stripping copies, and only short text can be blank enough to matter.
    if len(text) <= 64 and not text.strip():
        return {}
    try:
        return read_json(text, limit=MAX_TEXT, unique=True)
    except DuplicateKeyError as problem:
        raise ArgumentError(tool, violations=_violations(problem)) from None
    except UnreadableJSONError as problem:
        way_out = "Send less at once." if len(text) > MAX_TEXT else _SEND
        raise ArgumentError(tool, f"they are {problem}. {way_out}") from None


def _violations(problem: DuplicateKeyError) -> "list[Violation]":
    violations = []
    for path, name in problem.found:
        where = "" if path == "$" else f" in {label(path)}"
        shown = name if len(name) <= 100 else name[:100] + "…"
        message = f"duplicate property `{shown}`{where}; send it once"
        violations.append(Violation(member(path, name), message, "duplicate", name))
    return violations


def _parse_mapping(tool: str, arguments: object) -> object:
    if not isinstance(arguments, Mapping):
        kind = type(arguments).__name__
        raise ArgumentError(tool, f"expected a JSON object, got a Python {kind}. {_SEND}")
    try:
        return copy_json(arguments)[1]
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        pass  # a client's own types are walked, and faults named
    try:
        return copy_plain(arguments)
    except RecursionError:
        raise ArgumentError(tool, f"they are nested too deeply. {_SEND}") from None
    except (TypeError, ValueError) as problem:
        raise ArgumentError(tool, f"they hold what JSON cannot say: {problem}. {_SEND}") from None


def copy_json(value: object) -> tuple[bytes, Any]:
    """Return the JSON text of a value, and a copy: Python's own types for JSON come back from it as they
    were, in a tenth of the time of a walk. Raises TypeError, ValueError, OverflowError or RecursionError for
    others."""
    text = _encode(value)
    copied = decode_json(text)
    if copied != value:
        raise ValueError("no plain JSON data")
    return text, copied


def copy_plain(value: object) -> Any:
    """Copy the objects of a provider's client library to plain values. Raises TypeError or ValueError for
    what no JSON text could have brought: guessing would be worse."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        value.encode()  # raises UnicodeEncodeError for half a surrogate pair
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"the number {value}")
        return float(value)
    if isinstance(value, Mapping):
        pairs = [(_key(name), copy_plain(item)) for name, item in value.items()]
        plain = dict(pairs)
        if len(plain) < len(pairs):  # some clients' mappings keep every one
            raise ValueError("a property that is given twice")
        return plain
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [copy_plain(item) for item in value]
    raise TypeError(f"a Python {type(value).__name__}")


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a property name that is a Python {type(name).__name__}")
    copied: str = copy_plain(name)
    return copied
