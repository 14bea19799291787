"""YAML 1.2 text → plain JSON data and the position of each value, in one pass over libyaml's events.

libyaml splits the text and gives the positions; scalars are resolved here, never by PyYAML's YAML 1.1
resolver. PyYAML's composer does not serve: it merges an alias with its anchor, refuses an anchor that is
defined again, and recurses without a bound.
Refused, because JSON data has no equal: keys that are not strings, tags outside the core schema, `.inf` and
`.nan`, an alias inside its own anchor. Refused, because they hide mistakes: duplicate keys, several
documents, merge keys (an unquoted `<<`, which 1.2 no longer has) and a `%YAML 1.1` directive.

Plain scalars have the values of the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema).
PyYAML is imported on first use.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

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

# libyaml drops the tag `!`, which would make `! 12` a number; in YAML 1.2 it is a string.
_BARE_TAG = re.compile(r"(?:&\S+\s+)?!(?=\s|\Z)")


class _Anchor:
    """One `&name`: while `node` is None, its value is still being read."""

    __slots__ = ("height", "node", "size", "value")

    def __init__(self) -> None:
        self.node: ParsedNode | None = None
        self.value: object = None
        self.size = 1
        self.height = 0


def parse_yaml(text: str) -> tuple[Any, list[Problem]]:
    """Return the data in `text`, and every problem found, as `json_reader.parse_json` does."""
    data, _, problems = _read(text)
    return data, problems


def read_yaml(text: str, limits: Limits) -> tuple[Any, ParsedNode | None, list[Problem]]:
    """Return the data in `text`, its positions, and every problem found. Never raises. A key that is an
    integer is its text: `200:` in the responses of an OpenAPI document is "200".
    """
    return _read(text, limits, integer_keys=True)


def yaml_positions(text: str) -> ParsedNode:
    """Return the position of every value in a text that `parse_yaml` accepted. An alias has the position
    where it is written, its children those of the anchor's.
    """
    _, root, _ = _read(text)
    assert root is not None, "a text that was parsed has positions"
    return root


def _read(
    text: str, limits: Limits = SPEC, *, integer_keys: bool = False
) -> tuple[Any, ParsedNode | None, list[Problem]]:
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

    def document(self) -> tuple[Any, ParsedNode]:
        try:
            return self._document()
        except self._error as error:
            if getattr(error, "problem", None) is None:
                raise _forbidden_character(self._text) from None
            raise RefusedError(_explain_error(error, self._text, self._limits)) from None

    def _document(self) -> tuple[Any, ParsedNode]:
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

    def _report(self, event: object, code: str, message: str, hint: str = "") -> None:
        line, column = _position(event)
        self._problems.append(Problem(line, column, code, message, hint))

    def _value(self, event: Any, depth: int) -> tuple[Any, ParsedNode]:
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

    def _read_value(self, event: Any, depth: int) -> tuple[Any, ParsedNode]:
        """Read the value that begins with `event`, without its anchor."""
        node = ParsedNode(*_position(event))
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
        items: list[object] = []
        node.items = []
        while type(child := self._next()) is not self._events.SequenceEndEvent:
            value, item = self._value(child, depth + 1)
            items.append(value)
            node.items.append(item)
        return items, node

    def _mapping(self, depth: int) -> tuple[JsonObject, dict[str, Member]]:
        data: JsonObject = {}
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
        """Return the key, or None after reporting why it is none."""
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

    def _alias(self, event: Any, depth: int) -> tuple[Any, ParsedNode]:
        anchor = self._anchors.get(event.anchor)
        name = quoted("*" + event.anchor)
        node = ParsedNode(*_position(event))
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
    """Return the value of an unquoted scalar. Raises `_NotFiniteError` or `_NumberRangeError`."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC_START:
        number = _read_number(text)
        if number is not None:
            return number
    return text


def _read_number(text: str) -> int | float | None:
    """Return the number that `text` is under the core schema, or None. Raises as `_resolve_plain`."""
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
    """Return the value of a scalar with a core tag, quoted or not. Raises `KeyError` for any other tag,
    `ValueError` where the text does not fit the tag.
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


# libyaml follows YAML 1.1, where these end a line; in 1.2 they are ordinary characters. They are swapped
# for private-use characters before parsing and swapped back in every scalar.
_OLD_BREAKS = re.compile("[\x85\u2028\u2029]")

# What libyaml's reader refuses: all outside c-printable (YAML 1.2.2, 5.1).
_FORBIDDEN = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def open_parser(text: str) -> tuple[Any, Mapping[int, str]]:
    """Open a libyaml parser over `text`; return it with the translation that every scalar's value needs.
    Raises `RefusedError` where PyYAML came without libyaml, or where it refuses a character.
    """
    # Imported here: a project whose specs are JSON, or unchanged, does not need it.
    try:
        from yaml._yaml import CParser
        from yaml.reader import ReaderError
    except ImportError:
        raise RefusedError(
            Problem(
                1,
                1,
                "yaml-unavailable",
                "YAML cannot be read here: PyYAML is missing or was built without libyaml",
                "run pip install 'toolcast[build]' with a PyYAML wheel, or write the spec as JSON",
            )
        ) from None

    swapped, restored = _replace_old_breaks(text)
    try:
        return CParser(swapped), restored
    except ReaderError:
        raise _forbidden_character(text) from None


def _forbidden_character(text: str) -> RefusedError:
    """Report the first character of `text` that YAML does not allow raw."""
    found = re.search(_FORBIDDEN, text)  # compiled here: it takes longer than to read a small spec
    offset = found.start() if found else 0
    line, column = Lines(text).position(offset)
    code = f"U+{ord(text[offset]):04X}" if text else "?"
    return RefusedError(
        Problem(
            line,
            column,
            "control-character",
            f"the character {code} may not stand in a YAML file as it is",
            'remove it, or write it as an escape inside double quotes, such as "\\x07" or "\\u0007"',
        )
    )


def _replace_old_breaks(text: str) -> tuple[str, dict[int, str]]:
    if text.isascii() or not _OLD_BREAKS.search(text):
        return text, {}
    lowered = text.lower()
    # A replacement must not occur in the text, neither raw nor as an escape.
    free = (c for c in map(chr, range(0xE000, 0xF8FF)) if c not in text and f"{ord(c):x}" not in lowered)
    replaced: dict[int, str] = {}
    restored: dict[int, str] = {}
    for old in sorted(set(_OLD_BREAKS.findall(text))):
        new = next(free, None)
        if new is None:
            line, column = Lines(text).position(text.index(old))
            raise RefusedError(
                Problem(
                    line,
                    column,
                    "control-character",
                    f"the line separator U+{ord(old):04X} cannot be read in this file",
                    "write it as an escape inside double quotes",
                )
            )
        replaced[ord(old)] = new
        restored[ord(new)] = old
    return text.translate(replaced), restored


# libyaml's wording → (message, hint, whether the position is the start of the construct).
_EXPLANATIONS: Final[dict[str, tuple[str, str, bool]]] = {
    "mapping values are not allowed in this context": (
        "a `:` makes a key here, where none can stand",
        "put text that holds `: ` in quotes, or check the indentation",
        False,
    ),
    "could not find expected ':'": (
        "a `:` is missing after this key, or the text goes on without quotes",
        "write `key: value`, or indent the text's next lines",
        True,
    ),
    "did not find expected key": (
        "this does not line up with the keys above, or ends them early",
        "check the indentation, and quote text that starts with a quote, bracket or other special character",
        False,
    ),
    "did not find expected '-' indicator": (
        "this does not line up with the list above",
        "start each item with `- ` in the same column",
        False,
    ),
    "did not find expected ',' or ']'": (
        "a list in [ ] is not closed, or lacks a comma",
        "add the `,` or `]`; quote items that hold special characters",
        True,
    ),
    "did not find expected ',' or '}'": (
        "a mapping in { } is not closed, or lacks a comma",
        "add the `,` or `}`; quote texts that hold special characters",
        True,
    ),
    "did not find expected node content": (
        "a value was expected here",
        "write the value, or remove the extra `,`",
        False,
    ),
    "found unexpected end of stream": (
        "a quoted text is never closed",
        "add the closing quote",
        True,
    ),
    "found unknown escape character": (
        "this backslash escape does not exist",
        "use single quotes for text with backslashes, or write each as \\\\",
        False,
    ),
    "did not find expected hexdecimal number": (
        "a \\x, \\u or \\U escape lacks hexadecimal digits",
        "write \\xHH, \\uHHHH or \\UHHHHHHHH, or use single quotes for text with backslashes",
        False,
    ),
    "found a tab character where an indentation space is expected": (
        "a tab indents this line",
        "indent with spaces",
        False,
    ),
    "did not find expected alphabetic or numeric character": (
        "a `*` or `&` at the start makes an alias or an anchor, and its name is missing",
        "put text that starts with `*` or `&` in quotes",
        True,
    ),
    "block sequence entries are not allowed in this context": (
        "a list item cannot stand here",
        "start the list on its own line, below its key",
        False,
    ),
    "found undefined tag handle": (
        "a `!` at the start makes a tag, and this one is not known",
        "put text that starts with `!` in quotes",
        True,
    ),
    "found incompatible YAML document": (
        "the file declares a version of YAML that is not 1.2",
        "remove the %YAML line",
        False,
    ),
}


def _explain_error(error: Any, text: str, limits: Limits) -> Problem:
    """Return the problem of a `yaml.MarkedYAMLError`; `text` is the text that libyaml read."""
    raw: str = error.problem
    if raw == "exceeded maximum nesting depth":  # of libyaml, from 0.2.6 on, before any event
        return too_deep(error.problem_mark.line + 1, error.problem_mark.column + 1, limits)
    if raw == "found character that cannot start any token":
        return _bad_start(error, text)
    message, hint, at_context = _EXPLANATIONS.get(
        raw, (f"this is not valid YAML: {raw}", "put unusual text in quotes", False)
    )
    mark = error.problem_mark or error.context_mark
    if at_context and error.context_mark is not None:
        mark = error.context_mark
    line, column = mark.line + 1, mark.column + 1
    if mark.index >= len(text):
        line, column = Lines(text).position(len(text))  # libyaml counts a line that is not there
        if raw == "did not find expected node content":
            message, hint = "the text ends before a `[` or `{` is closed", "add the closing bracket"
    return Problem(line, column, "syntax", message, hint)


def _bad_start(error: Any, text: str) -> Problem:
    mark = error.problem_mark
    start = text[mark.index : mark.index + 1]
    if start == "\t":
        message, hint = "a tab indents this line", "indent with spaces"
    else:
        message = f"text cannot start with {quoted(start)} without quotes"
        hint = "put the text in quotes"
    return Problem(mark.line + 1, mark.column + 1, "syntax", message, hint)
