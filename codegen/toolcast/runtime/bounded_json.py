"""JSON texts that others wrote, read within bounds.

msgspec keeps the last value of a key that stands twice in an object, and JSON Schema never sees the first:
two readers of one text would act on different values. Every key has one colon outside of strings: a text with
as many colons as its value has when it is encoded again lost no key. Only where the numbers differ are the
keys compared one by one.
"""

import re
from typing import Any, Final, NamedTuple

import msgspec

from ..jsonschema.messages import member
from .errors import LIMIT

COLON: Final = ord(":")
BACKSLASH: Final = ord("\\")
_escaped_colon = re.compile(rb"\\u003[aA]").search

decode_json = msgspec.json.Decoder().decode
"""Reads a JSON text as plain data, without bounds."""
_encode = msgspec.json.Encoder().encode


class UnreadableJSONError(ValueError):
    """A text that is not JSON, or that passes a bound. `str()` completes "the text is …"."""


class DuplicateKeyError(UnreadableJSONError):
    """A text in which an object has a key twice.

    Attributes:
        found: path of the object and the key, for at most 50 keys that stand twice.
    """

    def __init__(self, found: list[tuple[str, str]]) -> None:
        super().__init__("ambiguous: an object has a key twice")
        self.found = found


class _InvalidJSONError(UnreadableJSONError):
    def __init__(self, text: bytes | str, problem: msgspec.DecodeError) -> None:
        super().__init__(text, problem)

    def __str__(self) -> str:
        return f"not valid JSON: {_place(*self.args)}"  # read once more only where somebody asks


def read_json(text: bytes | str, *, limit: int | None = None, unique: bool = False) -> Any:
    """Read a JSON text of at most `limit` bytes, or characters, as plain data; `unique` refuses a key that
    stands twice in one object.

    Raises UnreadableJSONError where it is longer, nests too deeply, or is neither UTF-8 nor JSON, and
    DuplicateKeyError with `unique`.
    """
    if limit is not None and len(text) > limit:
        unit = "bytes" if isinstance(text, bytes) else "characters"
        raise UnreadableJSONError(f"too large: {len(text)} {unit}, {limit} allowed")
    try:
        if not unique:
            return decode_json(text)
        data = text.encode() if isinstance(text, str) else text
        value = decode_json(data)
        if may_repeat_key(data, data.count(COLON), value):
            found = find_duplicates(data)
            if found:
                raise DuplicateKeyError(found)
    except RecursionError:
        raise UnreadableJSONError("nested too deeply") from None
    except UnicodeError as problem:
        raise UnreadableJSONError(f"not valid UTF-8 ({problem})") from None
    except msgspec.DecodeError as problem:
        raise _InvalidJSONError(text, problem) from None
    return value


def may_repeat_key(text: bytes, colons: int, value: object) -> bool:
    """Tell whether an object of a JSON text with so many colons may have a key twice; `value` is what msgspec
    reads in it."""
    if type(value) is dict and len(value) == colons:
        return False  # a flat object, and each colon is a key's: most calls
    return _encode(value).count(COLON) != colons or may_escape_colon(text)


def may_escape_colon(text: bytes) -> bool:
    """Tell whether a JSON text may have a colon as an escape: it could make up for one that was lost with a
    key."""
    return BACKSLASH in text and _escaped_colon(text) is not None


class _Object(list[tuple[str, Any]]):
    """An object as the pairs that were written."""


class _Link(NamedTuple):
    """A step on the way to a value: a path is written only for the few that are reported."""

    above: "_Link | None"
    token: str | int


def find_duplicates(text: bytes | str) -> list[tuple[str, str]]:
    """Return (path of the object, key) for the first 50 keys that stand more than once in a JSON text. Raises
    RecursionError where it nests too deeply."""
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
    tokens: list[str | int] = []
    while link is not None:
        tokens.append(link.token)
        link = link.above
    path = "$"
    for token in reversed(tokens):
        path = f"{path}[{token}]" if isinstance(token, int) else member(path, token)
    return path


def _place(text: bytes | str, problem: msgspec.DecodeError) -> str:
    """Return line and column of the error, which the standard library states better than msgspec."""
    import json

    if text[:3] == b"\xef\xbb\xbf" or text[:1] == "\ufeff":
        return "the text begins with a byte order mark"
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


def _refuse_constant(name: str) -> object:
    raise _ConstantError(name)
