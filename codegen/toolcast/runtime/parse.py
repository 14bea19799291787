"""From what a provider sends as arguments to plain JSON data."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

from .errors import ArgumentError
from .keys import check_distinct
from .plan import MAX_TEXT

Arguments = bytes | bytearray | memoryview | str | Mapping[str, Any] | None
"""What `decode` and `execute` take.

`None` and blank text mean `{}`: providers send "" for a tool without arguments.
"""

_OPENING = frozenset((ord("{"), "{"))
"""How an object begins, in bytes and in text."""

_SEND = "Send the arguments as one JSON object."


def as_text(tool: str, arguments: Any) -> bytes | str | None:
    """JSON text within bounds; None where the arguments are parsed already. Raises ArgumentError."""
    if arguments is None:
        return b"{}"
    if isinstance(arguments, (bytearray, memoryview)):
        arguments = bytes(arguments)
    if not isinstance(arguments, (bytes, str)):
        return None
    if len(arguments) > MAX_TEXT:
        unit = "bytes" if isinstance(arguments, bytes) else "characters"
        raise ArgumentError(
            tool, f"they are too large: {len(arguments)} {unit}, {MAX_TEXT} allowed. Send less at once."
        )
    # The length first: stripping copies, and only short text can be blank enough to matter.
    if len(arguments) <= 64 and not arguments.strip():
        return b"{}"
    return arguments


def parse(tool: str, arguments: Any) -> Any:
    """Plain JSON data: dict, list, str, int, float, bool, None.

    An object that was encoded twice, as a JSON string that holds JSON, is opened once; nothing is lost by
    it, because arguments are always an object. Raises ArgumentError where the text is not JSON, or an
    object in it has a property twice.
    """
    kind = type(arguments)
    if (kind is bytes or kind is str) and 0 < len(arguments) <= MAX_TEXT and arguments[0] in _OPENING:
        text = arguments  # nothing that `as_text` would change: most calls are such
    else:
        text = as_text(tool, arguments)
        if text is None:
            return _plain(tool, arguments)
    value = _load(tool, text)
    if isinstance(value, str):
        inner = _load(tool, value) if value.strip() else {}
        return inner if isinstance(inner, dict) else value
    return value


def _load(tool: str, text: bytes | str) -> Any:
    try:
        value = msgspec.json.decode(text)
        check_distinct(tool, text, value)
        return value
    except RecursionError:
        raise ArgumentError(tool, f"they are nested too deeply. {_SEND}") from None
    except UnicodeError as problem:
        raise ArgumentError(tool, f"they are not valid UTF-8 ({problem}). {_SEND}") from None
    except msgspec.DecodeError as problem:
        raise ArgumentError(tool, f"they are not valid JSON: {_where(text, problem)}. {_SEND}") from None


def _where(text: bytes | str, problem: Exception) -> str:
    """What is wrong at which line and column. msgspec is fast and terse; the standard library knows more."""
    import json

    if text[:3] == b"\xef\xbb\xbf" or text[:1] == "\ufeff":
        return "they begin with a byte order mark"
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as found:
        return str(found)
    except _ConstantError as found:
        return f"{found} is not JSON"
    except UnicodeEncodeError:
        return "a \\u escape is half of a surrogate pair"
    except (ValueError, RecursionError):
        pass
    return str(problem)  # what only msgspec refuses: numbers out of range


class _ConstantError(ValueError):
    """NaN or an infinity, which the standard library takes."""


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def _plain(tool: str, arguments: Any) -> Any:
    """Arguments that came parsed, as JSON would have brought them."""
    if not isinstance(arguments, Mapping):
        kind = type(arguments).__name__
        raise ArgumentError(tool, f"expected a JSON object, got a Python {kind}. {_SEND}")
    try:
        return _copy(arguments)
    except RecursionError:
        raise ArgumentError(tool, f"they are nested too deeply. {_SEND}") from None
    except (TypeError, ValueError) as problem:
        raise ArgumentError(tool, f"they hold what JSON cannot say: {problem}. {_SEND}") from None


def _copy(value: Any) -> Any:
    """Plain values out of whatever a provider's client library hands out; it has classes of its own.

    Raises TypeError or ValueError for what no JSON text could have brought: guessing would be worse.
    """
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
        pairs = [(_key(name), _copy(item)) for name, item in value.items()]
        plain = dict(pairs)
        if len(plain) < len(pairs):  # some clients' mappings keep every one
            raise ValueError("a property that is given twice")
        return plain
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [_copy(item) for item in value]
    raise TypeError(f"a Python {type(value).__name__}")


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a property name that is a Python {type(name).__name__}")
    copied: str = _copy(name)
    return copied
