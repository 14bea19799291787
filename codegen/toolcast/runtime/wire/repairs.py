"""What each guess makes of a text or a value. Whether it is right, the contract says."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..duplicates import decode_json
from .steps import Steps, steps_of, value_at, with_value, without

if TYPE_CHECKING:
    from ...jsonschema import Violation
    from .guess_names import Name

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")
_FENCE = "```"
_CLOSING = {"{": "}", "[": "]"}
_ESCAPE = re.compile(r"\\.|[\"{}\[\]]|\\$", re.DOTALL)


def unfenced(text: str) -> str | None:
    """What stands between a first and a last line of ```; None where there are none."""
    text = text.strip()
    head, newline, rest = text.partition("\n")
    language = head[3:].strip()
    if not newline or head[:3] != _FENCE or not rest.endswith(_FENCE):
        return None
    return rest[:-3] if not language or language.isalnum() else None


def closed(text: str) -> str | None:
    """`text` with the one bracket, brace or quote that its end lacks; None where that is not all.

    A text that ends in a number gets none: digits may be what is missing.
    """
    waiting: list[str] = []
    in_string = False
    for found in _ESCAPE.finditer(text):
        mark = found[0]
        if mark == '"':
            in_string = not in_string
        elif mark == "\\":
            return None  # cut in the middle of an escape
        elif in_string or len(mark) > 1:
            continue
        elif mark in _CLOSING:
            waiting.append(_CLOSING[mark])
        elif not waiting or waiting.pop() != mark:
            return None
    if in_string:
        return None if waiting else text + '"'
    if len(waiting) != 1 or text.rstrip()[-1:].isdigit():
        return None
    return text + waiting[0]


def size(value: Any) -> int:
    """How many values there are in `value`, itself included. Does not recurse."""
    count = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if isinstance(each, (dict, list)):
            waiting += each.values() if isinstance(each, dict) else each
    return count


def candidates(
    value: Any, violations: "Sequence[Violation]", allow: "Collection[Name]"
) -> "Iterator[tuple[Name, str, Any]]":
    """Each guess at a refused place: its name, the path, and the whole value after it."""
    seen: set[str] = set()
    for violation in violations:
        steps = steps_of(violation.path)
        if steps is None or violation.path in seen:
            continue
        seen.add(violation.path)
        try:
            found = value_at(value, steps)
        except LookupError:
            continue
        for name, other in _others(value, steps, found):
            if name in allow:
                yield name, violation.path, other


def _others(value: Any, steps: Steps, found: Any) -> "Iterator[tuple[Name, Any]]":
    if isinstance(found, str):
        if _NUMBER.fullmatch(found):
            number = _number(found)
            if number is not None:
                yield "number", with_value(value, steps, number)
        elif found in ("true", "false"):
            yield "boolean", with_value(value, steps, found == "true")
        elif found == "null":
            yield "null-text", with_value(value, steps, None)
        property_ = bool(steps) and isinstance(steps[-1], str)
        if property_ and found == "null":
            yield "null-text", without(value, steps)
        if property_ and not found:
            yield "empty-string", without(value, steps)
        if found.lstrip()[:1] in ("{", "["):
            opened = _opened(found)
            if opened is not None:
                yield "json-text", with_value(value, steps, opened)
    if steps and isinstance(found, (str, int, float)):
        yield "single-item", with_value(value, steps, [found])


def _number(text: str) -> Any:
    """The number that `text` is; None beyond doubles."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _opened(text: str) -> Any:
    """The object or array that `text` holds; None where it is not JSON, or has a property twice."""
    try:
        return decode_json(text.encode())
    except (ValueError, RecursionError):
        return None
