"""From what a provider sends as arguments to plain JSON data.

An object in which a key stands twice is refused: msgspec keeps the last value without a word, and JSON Schema
never sees the first, so two readers of one text would act on different values. Every key has one colon
outside of strings. A text with as many colons as its value has when it is encoded again lost no key; only
where the numbers differ are the keys compared one by one.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .errors import LIMIT, ArgumentError

if TYPE_CHECKING:
    from ..jsonschema.validator_errors import Violation


_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.encode


class DuplicateKeyError(ValueError):
    """`found` has (path of the object, key) for every key that stands twice, at most `LIMIT` of them."""

    def __init__(self, found: list[tuple[str, str]]) -> None:
        super().__init__("a property that is given twice")
        self.found = found


def decode_json(text: bytes) -> Any:
    """Plain data for a JSON text in which no object has a key twice.

    Raises msgspec.DecodeError or UnicodeError for what is not JSON, DuplicateKeyError (all of them are
    ValueErrors), and RecursionError where it nests too deeply.
    """
    value = _decode(text)
    colons = text.count(b":")
    if type(value) is dict and len(value) == colons:
        return value  # a flat object, and each colon is a key's: most calls
    # A colon that is written as an escape could make up for one that was lost with a key.
    escaped = 92 in text and (b"\\u003a" in text or b"\\u003A" in text)  # 92 is the backslash
    if escaped or colons != _encode(value).count(b":"):
        found = find_duplicates(text)
        if found:
            raise DuplicateKeyError(found)
    return value


class _Object(list[tuple[str, Any]]):
    """An object as the pairs that were written."""


class _Link(NamedTuple):
    """How a value is reached: a path is written only for the few that are reported."""

    above: "_Link | None"
    token: str | int


def find_duplicates(text: bytes | str) -> list[tuple[str, str]]:
    """(path of the object, key) for every key that stands more than once, at most `LIMIT`.

    `text` is JSON that was decoded before. Raises RecursionError where it nests too deeply.
    """
    import json

    # Numbers stay text: their value does not matter here, and long ones are slow to read.
    root = json.loads(text, object_pairs_hook=_Object, parse_int=str, parse_float=str)
    found: list[tuple[str, str]] = []
    stack: list[tuple[Any, _Link | None]] = [(root, None)]
    while stack and len(found) < LIMIT:
        node, link = stack.pop()
        pairs = node if isinstance(node, _Object) else enumerate(node)
        if isinstance(node, _Object) and len({name for name, _ in node}) < len(node):
            path = _path(link)
            found += [(path, name) for name in _repeated(node)]
        below = [(item, _Link(link, name)) for name, item in pairs if isinstance(item, list)]
        stack += reversed(below)  # so that findings come in the order of the text
    return found[:LIMIT]


def _repeated(node: _Object) -> list[str]:
    known: set[str] = set()
    twice: dict[str, None] = {}
    for name, _ in node:
        if name in known:
            twice[name] = None
        known.add(name)
    return list(twice)


def _path(link: _Link | None) -> str:
    from ..jsonschema.messages import member

    tokens: list[str | int] = []
    while link is not None:
        tokens.append(link.token)
        link = link.above
    path = "$"
    for token in reversed(tokens):
        path = f"{path}[{token}]" if isinstance(token, int) else member(path, token)
    return path


MAX_TEXT = 4 * 1024 * 1024
"""Longest JSON text of arguments, in bytes or characters: about a million tokens, more than any model
writes in one answer. What is longer is refused unread."""

Arguments = bytes | bytearray | memoryview | str | Mapping[str, Any] | None
"""What `decode` and `execute` take.

`None`, blank text and the text `null` mean `{}`: providers send "" or null for a tool without arguments.
"""

_SEND = "Send the arguments as one JSON object."


def parse_arguments(tool: str, arguments: Any) -> Any:
    """Plain JSON data: dict, list, str, int, float, bool, None.

    An object that was encoded twice, as a JSON string that holds JSON, is opened once, and null is an object
    without members; nothing is lost by it, because arguments are always an object. Raises ArgumentError,
    which names `tool`, where the text is not JSON, or an object in it has a key twice, and for a mapping with
    values that JSON lacks.
    """
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


def _parse_text(tool: str, text: bytes | str) -> Any:
    if len(text) > MAX_TEXT:
        unit = "bytes" if isinstance(text, bytes) else "characters"
        raise ArgumentError(
            tool, f"they are too large: {len(text)} {unit}, {MAX_TEXT} allowed. Send less at once."
        )
    # The length first: stripping copies, and only short text can be blank enough to matter.
    if len(text) <= 64 and not text.strip():
        return {}
    try:
        return decode_json(text.encode() if isinstance(text, str) else text)
    except RecursionError:
        raise ArgumentError(tool, f"they are nested too deeply. {_SEND}") from None
    except DuplicateKeyError as problem:
        raise ArgumentError(tool, violations=_violations(problem)) from None
    except UnicodeError as problem:
        raise ArgumentError(tool, f"they are not valid UTF-8 ({problem}). {_SEND}") from None
    except msgspec.DecodeError as problem:
        raise ArgumentError(tool, f"they are not valid JSON: {_where(text, problem)}. {_SEND}") from None


def _violations(problem: DuplicateKeyError) -> "list[Violation]":
    from ..jsonschema.messages import label, member
    from ..jsonschema.validator_errors import Violation

    violations = []
    for path, name in problem.found:
        where = "" if path == "$" else f" in {label(path)}"
        shown = name if len(name) <= 100 else name[:100] + "…"
        message = f"duplicate property `{shown}`{where}; send it once"
        violations.append(Violation(member(path, name), message, "duplicate", name))
    return violations


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


def _parse_mapping(tool: str, arguments: Any) -> Any:
    """Arguments that came parsed, as JSON would have brought them."""
    if not isinstance(arguments, Mapping):
        kind = type(arguments).__name__
        raise ArgumentError(tool, f"expected a JSON object, got a Python {kind}. {_SEND}")
    try:
        return copy_plain(arguments)
    except RecursionError:
        raise ArgumentError(tool, f"they are nested too deeply. {_SEND}") from None
    except (TypeError, ValueError) as problem:
        raise ArgumentError(tool, f"they hold what JSON cannot say: {problem}. {_SEND}") from None


def copy_plain(value: Any) -> Any:
    """Plain values from the objects of a provider's client library.

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
