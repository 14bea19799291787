"""Keys that stand twice in one JSON object. msgspec keeps the last one in silence, and JSON Schema never sees
the first: two readers of one text would act on different values, so such arguments are refused.

Every key has one colon outside of strings. A text with as many colons as its value has when it is encoded
again lost no key; only where the numbers differ are the keys looked at one by one.
"""

from typing import Any, NamedTuple

import msgspec

from .errors import LIMIT

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
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name, _ in node:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def _path(link: _Link | None) -> str:
    from ..jsonschema.assertions import member

    tokens: list[str | int] = []
    while link is not None:
        tokens.append(link.token)
        link = link.above
    path = "$"
    for token in reversed(tokens):
        path = f"{path}[{token}]" if isinstance(token, int) else member(path, token)
    return path
