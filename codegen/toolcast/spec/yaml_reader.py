"""YAML 1.2 text → plain JSON data and the position of each value, in one pass over libyaml's events.

libyaml splits the text and gives the positions; scalars are resolved here, never by PyYAML's YAML 1.1
resolver. PyYAML's composer does not serve: it merges an alias with its anchor, refuses an anchor that is
defined again, and recurses without a bound.
Refused, because JSON data has no equal: keys that are not strings, tags outside the core schema, `.inf` and
`.nan`, an alias inside its own anchor. Refused, because they hide mistakes: duplicate keys, several
documents, merge keys (an unquoted `<<`, which 1.2 no longer has) and a `%YAML 1.1` directive.

Plain scalars have the values of the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema).
"""

import re
from typing import Any, Final

from .positions import Member, Node
from .reader_problems import (
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
from .yaml_parser import explain_error, forbidden_character, open_parser

# libyaml drops the tag `!`, which would make `! 12` a number; in YAML 1.2 it is a string.
_BARE_TAG = re.compile(r"(?:&\S+\s+)?!(?=\s|\Z)")


class _Anchor:
    """One `&name`: while `node` is None, its value is still being read."""

    __slots__ = ("height", "node", "size", "value")

    def __init__(self) -> None:
        self.node: Node | None = None
        self.value: Any = None
        self.size = 1
        self.height = 0


def parse_yaml(text: str) -> tuple[Any, list[Problem]]:
    """The data in `text`, and every problem found. Never raises.

    With problems the data is not usable, but for keys that are there twice: the first of each counts.
    """
    data, _, problems = _read(text)
    return data, problems


def read_yaml(text: str, limits: Limits) -> tuple[Any, Node | None, list[Problem]]:
    """The data in `text`, its positions, and every problem found. Never raises.

    A key that is an integer is its text: `200:` in the responses of an OpenAPI document is "200".
    """
    return _read(text, limits, integer_keys=True)


def yaml_positions(text: str) -> Node:
    """The position of every value in a text that `parse_yaml` accepted.

    An alias has the position where it is written, its children those of the anchor's.
    """
    _, root, _ = _read(text)
    assert root is not None, "a text that was parsed has positions"
    return root


def _read(
    text: str, limits: Limits = SPEC, *, integer_keys: bool = False
) -> tuple[Any, Node | None, list[Problem]]:
    problems: list[Problem] = []
    try:
        return *_Reader(text, problems, limits, integer_keys).document(), problems
    except RefusedError as error:
        return None, None, [*problems, error.problem]


class _Reader:
    """Builds values by recursive descent over events; the depth is bounded by `limits`."""

    def __init__(self, text: str, problems: list[Problem], limits: Limits, integer_keys: bool) -> None:
        parser, self._restored = open_parser(text)
        # Imported here for the same reason as in `open_parser`.
        from yaml import error, events

        self._text = text
        self._limits = limits
        self._integer_keys = integer_keys
        self._next = parser.get_event
        self._error = error.YAMLError
        self._events = events
        self._problems = problems
        self._anchors: dict[str, _Anchor] = {}
        self._count = 0
        self._deepest = 0

    def document(self) -> tuple[Any, Node]:
        try:
            return self._document()
        except self._error as error:
            if getattr(error, "problem", None) is None:
                raise forbidden_character(self._text) from None
            raise RefusedError(explain_error(error, self._text, self._limits)) from None

    def _document(self) -> tuple[Any, Node]:
        self._next()  # the stream's start
        start = self._next()
        if isinstance(start, self._events.StreamEndEvent):
            raise RefusedError(
                Problem(
                    1,
                    1,
                    "empty-document",
                    "the file holds nothing but comments",
                    "write the spec, or delete the file",
                )
            )
        if start.version == (1, 1):
            self._report(
                start,
                "yaml-version",
                "the file declares YAML 1.1, where `no`, `on` and `1:30` mean something else",
                "remove the %YAML line; specs are read as YAML 1.2",
            )
        read = self._value(self._next(), 1)
        self._next()  # the document's end
        more = self._next()
        if not isinstance(more, self._events.StreamEndEvent):
            self._report(
                more, "several-documents", "a second document starts here", "write one spec per file"
            )
        return read

    def _report(self, event: Any, code: str, message: str, hint: str = "") -> None:
        line, column = _position(event)
        self._problems.append(Problem(line, column, code, message, hint))

    def _value(self, event: Any, depth: int) -> tuple[Any, Node]:
        self._count += 1
        if self._count > self._limits.values:
            raise RefusedError(too_many(*_position(event), self._limits))
        if type(event) is self._events.AliasEvent:
            return self._alias(event, depth)
        if event.anchor is None:
            return self._read_value(event, depth)
        anchor = self._anchors[event.anchor] = _Anchor()
        count, deepest = self._count, self._deepest
        self._deepest = depth - 1  # a scalar adds no level
        anchor.value, anchor.node = self._read_value(event, depth)
        anchor.size = self._count - count + 1
        anchor.height = self._deepest - depth + 1
        self._deepest = max(deepest, self._deepest)
        return anchor.value, anchor.node

    def _read_value(self, event: Any, depth: int) -> tuple[Any, Node]:
        """The value that begins with `event`, without its anchor."""
        node = Node(*_position(event))
        if type(event) is self._events.ScalarEvent:
            return self._scalar(event), node
        if depth > self._limits.depth:
            raise RefusedError(too_deep(node.line, node.column, self._limits))
        self._deepest = max(self._deepest, depth)
        is_map = type(event) is self._events.MappingStartEvent
        if event.tag is not None and event.tag != _PREFIX + ("map" if is_map else "seq"):
            self._unknown_tag(event, event.tag)
        if is_map:
            data, node.members = self._mapping(depth)
            return data, node
        items: list[Any] = []
        node.items = []
        while type(child := self._next()) is not self._events.SequenceEndEvent:
            value, item = self._value(child, depth + 1)
            items.append(value)
            node.items.append(item)
        return items, node

    def _mapping(self, depth: int) -> tuple[dict[str, Any], dict[str, Member]]:
        data: dict[str, Any] = {}
        members: dict[str, Member] = {}
        while type(event := self._next()) is not self._events.MappingEndEvent:
            key = self._key(event, depth + 1)
            value, node = self._value(self._next(), depth + 1)
            if key is None:
                continue
            line, column = _position(event)
            if key in members:
                first = members[key]
                self._problems.append(duplicate_key(key, line, column, (first.line, first.column)))
            else:
                data[key] = value
                members[key] = Member(line, column, node)
        return data, members

    def _key(self, event: Any, depth: int) -> str | None:
        """The key, or None after reporting why it is none."""
        known = len(self._problems)
        value, _ = self._value(event, depth)
        self._count -= 1  # keys are not counted as values
        is_scalar = type(event) is self._events.ScalarEvent
        if self._integer_keys and is_scalar and type(value) is int:
            return str(event.value)
        if not isinstance(value, str):
            if len(self._problems) == known:
                text = quoted(event.value) if is_scalar else "this key"
                why = "it is not text" if value is not None else "it means null"
                self._report(event, "key-not-text", f"{text} cannot be a key: {why}", "put the key in quotes")
            return None
        if value == "<<" and is_scalar and not event.style and event.tag is None:
            self._report(
                event,
                "merge-key",
                "the merge key `<<` is not part of YAML 1.2",
                'write the merged keys out, or use $ref; for a key of that name write "<<"',
            )
            return None
        return value

    def _scalar(self, event: Any) -> Any:
        text: str = event.value.translate(self._restored) if self._restored else event.value
        tag: str | None = event.tag
        if tag is None:
            if _BARE_TAG.match(self._text, event.start_mark.index):
                return self._unknown_tag(event, "!")
            if event.style:
                return text
        try:
            return _resolve_plain(text) if tag is None else _resolve_tagged(tag, text)
        except _NotFiniteError:
            self._problems.append(not_finite(text, *_position(event)))
        except _NumberRangeError:
            self._problems.append(number_range(text, *_position(event)))
        except KeyError:
            self._unknown_tag(event, str(tag))
        except ValueError:
            shown = "!!" + str(tag).removeprefix(_PREFIX)
            self._report(
                event, "tag-mismatch", f"{quoted(text)} does not fit its tag {shown}", "remove the tag"
            )
        return None

    def _unknown_tag(self, event: Any, tag: str) -> None:
        self._report(
            event,
            "unknown-tag",
            f"the tag {quoted(tag)} is not allowed here",
            "remove the tag; only !!str, !!int, !!float, !!bool, !!null, !!seq and !!map are known",
        )

    def _alias(self, event: Any, depth: int) -> tuple[Any, Node]:
        anchor = self._anchors.get(event.anchor)
        name = quoted("*" + event.anchor)
        node = Node(*_position(event))
        if anchor is None:
            hint = "define it earlier, or put the text in quotes if no alias is meant"
            self._report(event, "unknown-alias", f"{name} refers to an anchor that does not exist", hint)
            return None, node
        if anchor.node is None:
            hint = "describe recursive data with $ref: '#' or $ref: '#/$defs/…'"
            self._report(event, "alias-cycle", f"{name} stands inside the value that it refers to", hint)
            return None, node
        self._count += anchor.size - 1
        if self._count > self._limits.values:
            raise RefusedError(too_many(node.line, node.column, self._limits))
        reached = depth + anchor.height - 1
        if reached > self._limits.depth:
            raise RefusedError(too_deep(node.line, node.column, self._limits))
        self._deepest = max(self._deepest, reached)
        node.members, node.items = anchor.node.members, anchor.node.items
        return anchor.value, node


def _position(event: Any) -> tuple[int, int]:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMERIC_START: Final = frozenset("+-.0123456789")

_PREFIX = "tag:yaml.org,2002:"


class _NotFiniteError(ValueError):
    """`.inf` or `.nan`."""


class _NumberRangeError(ValueError):
    """A number that a double cannot hold, or one past `MAX_NUMBER` characters."""


def _resolve_plain(text: str) -> Any:
    """The value of an unquoted scalar. Raises `_NotFiniteError` or `_NumberRangeError`."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC_START:
        number = _read_number(text)
        if number is not None:
            return number
    return text


def _read_number(text: str) -> int | float | None:
    """The number that `text` is under the core schema, or None. Raises as `_resolve_plain`."""
    base = 10 if _INT.fullmatch(text) else 8 if _OCTAL.fullmatch(text) else 16 if _HEX.fullmatch(text) else 0
    if not base and not _FLOAT.fullmatch(text):
        if _NOT_FINITE.fullmatch(text):
            raise _NotFiniteError
        return None
    if len(text) > MAX_NUMBER:
        raise _NumberRangeError
    if base:
        return int(text if base == 10 else text[2:], base)
    value = read_float(text)
    if value is None:
        raise _NumberRangeError
    return value


def _resolve_tagged(tag: str, text: str) -> Any:
    """The value of a scalar with a core tag, quoted or not.

    Raises `KeyError` for any other tag, `ValueError` where the text does not fit the tag.
    """
    kind = tag.removeprefix(_PREFIX)
    if not tag.startswith(_PREFIX) or kind not in ("str", "null", "bool", "int", "float"):
        raise KeyError(tag)
    if kind == "str":
        return text
    value = _resolve_plain(text)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise _NumberRangeError from None
    wanted = {"null": type(None), "bool": bool, "int": int, "float": float}[kind]
    if type(value) is not wanted:
        raise ValueError(text)
    return value
