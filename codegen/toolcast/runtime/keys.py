"""Properties given twice. msgspec keeps the last one in silence, and JSON Schema never sees the first:
two readers of one text would act on different values, so such arguments are refused.

Looking at every key would cost more than decoding. Colons tell as much: every key has one of its own, so
a text with no more colons than its value accounts for holds each key once. `Plan.keys` accounts for those
of the required properties, and `given` for the optional ones of flat Structs; where there are more, the
value is written anew, which brings every key that was kept and every colon inside of a string that was
kept. Only where that, too, has fewer colons than the text are the keys looked at one by one.
"""

from typing import Any, NamedTuple

import msgspec

from .errors import LIMIT, ArgumentError
from .schema.values import MAX_DEPTH, too_deep

_encode = msgspec.json.encode
_LENGTH = 400
"""Text of this length cannot nest deeper than values may: a level takes two characters."""


def count_colons(text: bytes | str) -> int:
    """How many colons there are, in strings and after keys."""
    return text.count(b":") if isinstance(text, bytes) else text.count(":")


def has_colon_escapes(text: bytes | str) -> bool:
    """Whether a colon may be written as an escape: it comes out as a colon, and could stand in the count
    for one that was lost with a key."""
    if isinstance(text, bytes):
        # An int is found in a tenth of the time, and most texts have no backslash.
        return 92 in text and text.find(b"\\u003") >= 0 and (b"\\u003a" in text or b"\\u003A" in text)
    return "\\u003" in text and ("\\u003a" in text or "\\u003A" in text)


def has_empty(text: bytes | str) -> bool:
    """Whether an empty string may stand in `text`: certainly not where this is false."""
    return text.find(b'""') >= 0 if isinstance(text, bytes) else '""' in text


def is_short(arguments: Any) -> bool:
    """Whether `arguments` are a text too short to nest more than `MAX_DEPTH` levels."""
    kind = type(arguments)
    return (kind is bytes or kind is str) and len(arguments) <= _LENGTH


def is_deep(text: bytes | str) -> bool:
    """Whether `text`, which is JSON, nests more than `MAX_DEPTH` levels."""
    if len(text) <= _LENGTH:
        return False
    if isinstance(text, bytes):
        openings = text.count(b"[") + text.count(b"{")
    else:
        openings = text.count("[") + text.count("{")
    return openings > MAX_DEPTH and too_deep(msgspec.json.decode(text))


def check_distinct(tool: str, text: bytes | str, value: Any) -> None:
    """Raise ArgumentError, naming them, where an object in `text` has properties twice.

    `value` is the plain data that was decoded from it.
    """
    if type(text) is bytes and 92 not in text:
        colons = text.count(b":")
    else:
        colons = -1 if has_colon_escapes(text) else count_colons(text)
    if _encode(value).count(b":") == colons:
        return
    found = find_duplicates(tool, text)
    if found:
        from .schema.errors import Violation
        from .schema.words import label, member

        violations = []
        for path, name in found:
            where = "" if path == "$" else f" in {label(path)}"
            shown = name if len(name) <= 100 else name[:100] + "…"
            message = f"duplicate property `{shown}`{where}; send it once"
            violations.append(Violation(member(path, name), message, "duplicate", name))
        raise ArgumentError(tool, violations=violations)


class _Object(list[tuple[str, Any]]):
    """An object as the pairs that were written."""


class _Link(NamedTuple):
    """How a value is reached: a path is spelt out only for the few that are reported."""

    above: "_Link | None"
    token: str | int


def find_duplicates(tool: str, text: bytes | str) -> list[tuple[str, str]]:
    """(path of the object, property) for every property given more than once, at most `LIMIT`.

    `text` is JSON that was decoded before. Raises ArgumentError where it nests too deeply.
    """
    import json

    try:
        # Numbers stay text: their value does not matter here, and long ones are slow to read.
        root = json.loads(text, object_pairs_hook=_Object, parse_int=str, parse_float=str)
    except RecursionError:
        raise ArgumentError(tool, "they are nested too deeply. Send a flatter value.") from None
    found: list[tuple[str, str]] = []
    stack: list[tuple[Any, _Link | None]] = [(root, None)]
    while stack and len(found) < LIMIT:
        node, link = stack.pop()
        pairs = node if isinstance(node, _Object) else enumerate(node)
        if isinstance(node, _Object) and len({name for name, _ in node}) < len(node):
            path = _spell(link)
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


def _spell(link: _Link | None) -> str:
    from .schema.words import member

    tokens: list[str | int] = []
    while link is not None:
        tokens.append(link.token)
        link = link.above
    path = "$"
    for token in reversed(tokens):
        path = f"{path}[{token}]" if isinstance(token, int) else member(path, token)
    return path
