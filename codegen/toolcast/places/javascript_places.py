"""The lines of a generated JavaScript module and of its declaration that belong to the values of a spec.

What is read is our own layout: a value that is not on one line has a line for each member, two blanks in.
"""

import json
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

_MEMBER = re.compile(r'( *)(?:readonly )?(?:([\w$]+)|\[?("(?:[^"\\]|\\.)*")\]?)\??: (.*)')
_OBJECT = re.compile(r"export const ([\w$]+) = (?:Object\.freeze|new Contract)\((.*)")
_TYPE = re.compile(r"export (?:interface|type) ([\w$]+)\b(.*)")
_OPENING = re.compile(r"(?:new Contract\()?[{\[]")


class Line(Struct, frozen=True):
    """Lines of a module. `owner` is what it exports there; `path` the keys that lead to the value, below it;
    in a declaration, names of properties."""

    owner: str
    path: tuple[str | int, ...]
    line: int
    column: int
    last: int


def code_lines(text: str) -> list[Line]:
    """The objects that a module exports, with their members."""
    return list(_exports(text.split("\n"), _OBJECT))


def type_lines(text: str) -> list[Line]:
    """The types that a declaration exports, with their properties."""
    return list(_exports(text.split("\n"), _TYPE))


def _exports(rows: Sequence[str], begins: re.Pattern[str]) -> Iterator[Line]:
    for number, row in enumerate(rows):
        if found := begins.match(row):
            last = number
            if row.endswith(("{", "[")):
                last = next(
                    (n for n in range(number + 1, len(rows)) if rows[n].startswith(("}", "]"))), number
                )
                yield from _members(rows, number, last, found[1])
            yield Line(found[1], (), number + 1, 1, last + 1)


def _members(rows: Sequence[str], start: int, end: int, owner: str) -> Iterator[Line]:
    """The members of the value between two lines, and of those below."""
    open_values: list[tuple[int, tuple[str | int, ...], int, bool]] = [
        (start, (), 0, rows[start].endswith("["))
    ]
    for number in range(start + 1, end):
        row = rows[number]
        indent = len(row) - len(row.lstrip(" "))
        while len(open_values) > 1 and indent <= 2 * (len(open_values) - 1):
            first, path, _, _ = open_values.pop()
            yield Line(owner, path, first + 1, 2 * len(open_values) + 1, number + 1)
        if indent != 2 * len(open_values):
            continue
        _, above, count, is_array = open_values[-1]
        found = _MEMBER.fullmatch(row)
        if is_array and not row.strip().startswith(("}", "]")):
            key: str | int = count
            open_values[-1] = (*open_values[-1][:2], count + 1, True)
            value = row.strip()
        elif found:
            key, value = found[2] or json.loads(found[3]), found[4]
        else:
            continue
        if _OPENING.fullmatch(value):
            open_values.append((number, (*above, key), 0, value.endswith("[")))
        else:
            yield Line(owner, (*above, key), number + 1, indent + 1, number + 1)
