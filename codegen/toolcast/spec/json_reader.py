"""Strict JSON text (RFC 8259) → plain data, and the position of each value.

The standard library decodes. A text that it must not decode unseen (a repeated key, NaN, a number past a
double, half of a surrogate pair, great size or depth, a syntax error) is scanned first, to name each problem
and its position. Positions come from the same scan, when a diagnostic asks for them.
"""

import json
import re
from typing import Any, Final, NoReturn

from ..jsonschema.json_values import JsonObject
from .parsed_document import Lines, Member, ParsedNode
from .spec_checker import (
    MAX_NUMBER,
    SPEC,
    Limits,
    Problem,
    RefusedError,
    duplicate_key,
    not_finite,
    number_range,
    quoted,
    read_float,
    too_deep,
    too_many,
)

_SPACE = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"')
_STRING_START = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_ODD_NUMBER = re.compile(r"[-+.]?[0-9][-+.0-9a-zA-Z_]*+")
_WORD = re.compile(r"[-+]?[^\W\d]\w*+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")

_WORD_HINTS: Final = {"none": "write null", "undefined": "write null, or leave the key out"}
# May occur inside strings, and in whole pairs: a match is a reason to scan, not a problem.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, limits: Limits = SPEC) -> tuple[Any, list[Problem]]:
    """Return the data in `text`, and every problem found. Never raises. With problems the data is not usable,
    but for keys that are there twice: the first of each counts.
    """
    opens = text.count("{") + text.count("[")
    if text.count(",") + opens < limits.values and (limits.lone_surrogates or not _SURROGATE.search(text)):
        try:
            data = _DECODER.decode(text)
        except (ValueError, RecursionError):  # also JSONDecodeError and what the hooks below raise
            pass
        else:
            if opens <= limits.depth or not _deeper(data, limits.depth):
                return data, []
    problems, _ = scan_json(text, limits)
    if any(problem.code != "duplicate-key" for problem in problems):
        return None, problems
    # The scan bounded the depth, so the scanner in C cannot run out of stack.
    return json.loads(text, object_pairs_hook=_first_of_each), problems


def _deeper(data: Any, depth: int) -> bool:
    """Return whether lists and objects are nested more than `depth` levels deep; without recursion."""
    level = [data]
    for _ in range(depth + 1):
        level = [value for value in level if isinstance(value, dict | list)]
        if not level:
            return False
        level = [child for value in level for child in (value.values() if isinstance(value, dict) else value)]
    return True


def json_positions(text: str) -> ParsedNode:
    """Return the position of every value in a text that `parse_json` accepted."""
    _, root = scan_json(text)
    assert root is not None, "a text that was parsed has positions"
    return root


def scan_json(text: str, limits: Limits = SPEC) -> tuple[list[Problem], ParsedNode | None]:
    """Return every problem in `text`, and all places (None after a syntax error). Never raises."""
    scanner = _Scanner(text, limits)
    try:
        return scanner.problems, scanner.root()
    except RefusedError as error:
        return [*scanner.problems, error.problem], None


class _Scanner:
    """Recursive descent; the depth is bounded by `limits`. Stops at the first syntax error."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.problems: list[Problem] = []
        self._limits = limits
        self._text = text
        self._at = 0
        self._count = 0
        self._lines = Lines(text)

    def root(self) -> ParsedNode:
        self._skip()
        if self._at == len(self._text):
            self._fail("the file is empty", "write one JSON object", code="empty-document")
        node = self._value(1)
        self._skip()
        if self._at < len(self._text):
            self._fail("the text goes on after the value has ended", "write one JSON value per file")
        return node

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
        if self._text.startswith(("//", "/*", "#"), self._at):
            self._fail("JSON has no comments", "remove it, or write the spec as YAML")

    def _here(self, at: int | None = None) -> tuple[int, int]:
        return self._lines.position(self._at if at is None else at)

    def _fail(self, message: str, hint: str = "", *, at: int | None = None, code: str = "syntax") -> NoReturn:
        line, column = self._here(at)
        raise RefusedError(Problem(line, column, code, message, hint))

    def _next(self) -> str:
        """Return the next character past white space; "" at the end."""
        self._skip()
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> ParsedNode:
        line, column = self._here()
        self._count += 1
        if self._count > self._limits.values:
            raise RefusedError(too_many(line, column, self._limits))
        character = self._text[self._at : self._at + 1]
        if character in ("{", "["):
            if depth > self._limits.depth:
                raise RefusedError(too_deep(line, column, self._limits))
            self._at += 1
            if character == "{":
                return ParsedNode(line, column, members=self._members(depth))
            return ParsedNode(line, column, items=self._items(depth))
        if character == '"':
            self._string()
        else:
            self._scalar(character)
        return ParsedNode(line, column)

    def _items(self, depth: int) -> list[ParsedNode]:
        start = self._at - 1
        items: list[ParsedNode] = []
        if self._next() == "]":
            self._at += 1
            return items
        while True:
            self._skip()
            items.append(self._value(depth + 1))
            if self._separator("]", start, "list"):
                return items

    def _members(self, depth: int) -> dict[str, Member]:
        start = self._at - 1
        members: dict[str, Member] = {}
        if self._next() == "}":
            self._at += 1
            return members
        while True:
            character = self._next()
            line, column = self._here()
            if character != '"':
                self._bad_key(character, start)
            key = self._string()
            if self._next() != ":":
                self._fail(f"a `:` is missing after the key {quoted(key)}", 'write "key": value')
            self._at += 1
            self._skip()
            value = self._value(depth + 1)
            if key in members:
                first = members[key]
                self.problems.append(duplicate_key(key, line, column, (first.line, first.column)))
            else:
                members[key] = Member(line, column, value)
            if self._separator("}", start, "object"):
                return members

    def _separator(self, close: str, start: int, what: str) -> bool:
        """Move past a `,` (return False) or the closing bracket (True)."""
        found = self._next()
        if found == close:
            self._at += 1
            return True
        if not found:
            self._unclosed(close, start, what)
        if found != ",":
            self._fail(
                f"a `,` or `{close}` is missing before {quoted(found)}", "separate values with a comma"
            )
        comma = self._at
        self._at += 1
        if self._next() == close:
            self._fail(f"a `,` stands before the closing `{close}`", "remove the comma", at=comma)
        return False

    def _unclosed(self, close: str, start: int, what: str) -> NoReturn:
        self._fail(f"this {what} is never closed", f"add `{close}`", at=start)

    def _bad_key(self, character: str, start: int) -> NoReturn:
        if not character:
            self._unclosed("}", start, "object")
        if character == ",":
            self._fail("a key was expected here", "remove the extra comma")
        if character == "'":
            self._fail("a key stands in single quotes", "JSON wants double quotes")
        self._fail("a key must be text in double quotes", 'write "key": value')

    def _string(self) -> str:
        """Move past the string that starts here; return its value."""
        begin = self._at
        found = _STRING.match(self._text, begin)
        if found is None:
            self._bad_string(begin)
        self._at = found.end()
        token = found.group()
        if "\\u" in token and not self._limits.lone_surrogates:
            self._check_surrogates(token, begin)
        value: str = json.loads(token)
        return value

    def _bad_string(self, begin: int) -> NoReturn:
        found = _STRING_START.match(self._text, begin)
        at = found.end() if found else begin
        wrong = self._text[at : at + 1]
        if wrong == "\\" and at + 1 < len(self._text):
            escape = self._text[at : at + 2]
            hint = 'write each backslash as \\\\; the others are \\" \\/ \\b \\f \\n \\r \\t and \\uHHHH'
            self._fail(f"{quoted(escape)} is not a whole JSON escape", hint, at=at)
        if wrong in ("\n", "\r", "", "\\"):
            self._fail(
                "a text is not closed on its line",
                'add the closing ", or write a line break as \\n',
                at=begin,
            )
        message = f"the character U+{ord(wrong):04X} may not stand in JSON text as it is"
        self._fail(message, f"write \\u{ord(wrong):04x}", at=at, code="control-character")

    def _check_surrogates(self, token: str, begin: int) -> None:
        """Report halves of surrogate pairs: no text can hold them."""
        high = -1  # offset of an unpaired high half, or -1
        for found in _ESCAPE.finditer(token):
            unit = int(found.group(1), 16) if found.group(1) else 0
            if 0xDC00 <= unit <= 0xDFFF and high == found.start() - 6 and high >= 0:
                high = -1
                continue
            if high >= 0:
                self._half(begin + high)
            high = found.start() if 0xD800 <= unit <= 0xDBFF else -1
            if 0xDC00 <= unit <= 0xDFFF:
                self._half(begin + found.start())
        if high >= 0:
            self._half(begin + high)

    def _half(self, at: int) -> None:
        line, column = self._here(at)
        self.problems.append(
            Problem(
                line,
                column,
                "lone-surrogate",
                f"{quoted(self._text[at : at + 6])} is half of a surrogate pair, not a character",
                "write both halves, or the character itself",
            )
        )

    def _scalar(self, character: str) -> None:
        for word in ("true", "false", "null"):
            if self._text.startswith(word, self._at) and not _continues(self._text, self._at + len(word)):
                self._at += len(word)
                return
        found = _NUMBER.match(self._text, self._at)
        if found and not _continues(self._text, found.end()):
            self._number(found.group())
            self._at = found.end()
            return
        self._bad_scalar(character)

    def _number(self, token: str) -> None:
        whole = token.lstrip("-").isdigit()
        if len(token) > MAX_NUMBER or (not whole and read_float(token) is None):
            self.problems.append(number_range(token, *self._here()))

    def _bad_scalar(self, character: str) -> NoReturn:
        if not character:
            self._fail("the text ends where a value was expected", "write the value")
        if character == "'":
            self._fail("a text stands in single quotes", "JSON wants double quotes")
        word = _WORD.match(self._text, self._at)
        if word and word.group().lstrip("+-") in ("NaN", "Infinity"):
            raise RefusedError(not_finite(word.group(), *self._here()))
        if word:
            name = word.group()
            literal = name.lower() if name.lower() in ("true", "false", "null") else ""
            hint = (
                f"write {literal}" if literal else _WORD_HINTS.get(name.lower(), "put text in double quotes")
            )
            self._fail(f"{quoted(name)} is not a JSON value", hint)
        number = _ODD_NUMBER.match(self._text, self._at)
        if number:
            hint = "write plain decimal: no leading zeros, no `+` or `_`, digits around the point"
            self._fail(f"{quoted(number.group())} is not a JSON number", hint)
        self._fail(
            f"a value was expected here, not {quoted(character)}",
            "write the value, or remove the extra comma",
        )


def _continues(text: str, at: int) -> bool:
    """Return whether a token goes on at `at`, as in `nullx` or `1.e5`."""
    following = text[at : at + 1]
    return following.isalnum() or following in ("_", ".", "-", "+")


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("repeated key")
    return result


def _first_of_each(pairs: list[tuple[str, object]]) -> JsonObject:
    result: JsonObject = {}
    for key, value in pairs:
        result.setdefault(key, value)
    return result


def _float(token: str) -> float:
    value = read_float(token) if len(token) <= MAX_NUMBER else None
    if value is None:
        raise ValueError("out of range")
    return value


def _integer(token: str) -> int:
    if len(token) > MAX_NUMBER:
        raise ValueError("out of range")
    return int(token)


def _constant(token: str) -> object:
    raise ValueError(token)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_constant
)
