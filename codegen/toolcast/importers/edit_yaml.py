"""Edits of a YAML text that leave everything else as it is, byte for byte: comments, order, quotes, breaks.

ruamel.yaml keeps comments, but not bytes: 0.19 changes other lines of 71 of the 95 YAML files below `specs/`,
`examples/` and `tests/` (indentation, blanks, line ends), and drops the comments of removed values. So the
text is cut where libyaml says that a value begins and ends. Comments of a value that is removed, or replaced
by several lines, stay on lines of their own above it. The result is read again and compared.
"""

import re
from typing import Any, cast

from msgspec import UNSET, Struct
from yaml import events

from ..spec.read_file import SourceDocument, parse_document
from ..spec.yaml_reader import open_parser
from .merge import Edit, applied
from .spec_text import dump

_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")
_HEADER = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\r\n]*)")
_TAIL = re.compile(r"[ \t]*(#[^\r\n]*)?")


class EditError(ValueError):
    """A text that cannot be edited in place; the message says why."""


class _Span(Struct):
    start: int
    end: int
    flow: bool = False
    members: "dict[str, _Member] | None" = None


class _Member(Struct):
    start: int
    value: _Span


def edited_yaml(text: str, edits: tuple[Edit, ...]) -> str:
    """Apply edits to the text of a mapping, and keep every comment. Raises EditError where they cannot be
    made in place.
    """
    made = text
    for edit in edits:
        made = _edited(made, edit)
    before = parse_document(text.encode(), "before", "yaml")
    after = parse_document(made.encode(), "after", "yaml")
    assert isinstance(before, SourceDocument)
    if not isinstance(after, SourceDocument) or after.data != applied(before.data, edits):
        raise EditError("an anchor, or the way in which its values are written, stands in the way")
    if sorted(_comments(text)) != sorted(_comments(made)):
        raise EditError("a comment stands in the way")
    return made


def _edited(text: str, edit: Edit) -> str:
    node, line = _Reader(text).root, 0
    for key in edit.path[:-1]:
        member = (node.members or {}).get(key)
        if member is None:
            raise EditError(f"{key!r} is an alias, or is not there")
        if not node.flow:
            line = _line_start(text, member.start)
        node = member.value
    key = edit.path[-1]
    if node.members is None:
        raise EditError(f"the place of {key!r} is not a mapping")
    removing = edit.value is UNSET
    if removing and len(node.members) == 1:
        if len(edit.path) == 1:
            raise EditError("nothing would be left")
        return _edited(text, Edit(edit.path[:-1], {}))
    if node.flow:
        return _edited_flow(text, node, edit, line)
    if key in node.members:
        return _replaced(text, node.members[key], "" if removing else dump({key: edit.value}))
    return _inserted(text, _neighbour(node, edit), dump({key: edit.value}))


def _neighbour(node: _Span, edit: Edit) -> _Member:
    members = cast("dict[str, _Member]", node.members)
    last = max(members.values(), key=lambda member: member.start)
    return members.get(edit.after, last) if edit.after is not None else last


def _replaced(text: str, member: _Member, new: str) -> str:
    start, margin = _margin(text, member)
    end, tail = _rest_of_line(text, member.value.end)
    inner = _comments(text, member.start, member.value.end)
    lines = new.splitlines()
    if len(lines) == 1:
        lines[0] += tail
    else:
        inner += [tail.strip()] if tail.strip() else []
    lines = [*inner, *lines]
    if lines:
        return text[:start] + _block(lines, margin, text) + _rest(lines, text, end)
    return text[:start] + text[end + (2 if text[end : end + 2] == "\r\n" else 1) :]


def _inserted(text: str, member: _Member, new: str) -> str:
    _, margin = _margin(text, member)
    end, _ = _rest_of_line(text, member.value.end)
    lines = new.splitlines()
    return text[:end] + _newline(text) + _block(lines, margin, text) + _rest(lines, text, end)


def _edited_flow(text: str, node: _Span, edit: Edit, line: int) -> str:
    """Edit a mapping in braces. Comments go above `line`."""
    members = cast("dict[str, _Member]", node.members)
    key = edit.path[-1]
    new = "" if edit.value is UNSET else dump({key: edit.value}, flow=True)
    if key not in members:
        if not members:
            if text[node.start] != "{":
                raise EditError("a tag or an anchor stands before a mapping")
            return text[: node.start + 1] + new + text[node.start + 1 :]
        end = _neighbour(node, edit).value.end
        return f"{text[:end]}, {new}{text[end:]}"
    start, end = members[key].start, members[key].value.end
    if not new:
        ordered = sorted(members.values(), key=lambda member: member.start)
        index = ordered.index(members[key])
        if index + 1 < len(ordered):
            end = ordered[index + 1].start
        else:
            start = ordered[index - 1].value.end
    comments = _comments(text, start, end)
    made = text[:start] + new + text[end:]
    if not comments:
        return made
    margin = re.match(r"[ \t]*", made[line:])
    assert margin is not None
    return made[:line] + _block(comments, margin[0], text) + _newline(text) + made[line:]


def _block(lines: list[str], margin: str, text: str) -> str:
    return _newline(text).join(margin + line if line else line for line in lines)


def _rest(lines: list[str], text: str, end: int) -> str:
    """Return the text after `lines`. At the end of the text, an empty last line belongs to a value, and is
    ended.
    """
    return text[end:] or (_newline(text) if lines[-1:] == [""] else "")


def _margin(text: str, member: _Member) -> tuple[int, str]:
    start = _line_start(text, member.start)
    margin = text[start : member.start]
    if margin.strip(" "):
        raise EditError("a key does not begin its line")
    return start, margin


def _rest_of_line(text: str, end: int) -> tuple[int, str]:
    found = _TAIL.match(text, end)
    assert found is not None
    if found.end() < len(text) and text[found.end()] not in "\r\n":
        raise EditError("another value follows on a line")
    return found.end(), found[0]


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _newline(text: str) -> str:
    found = re.search(r"\r\n|\r|\n", text)
    return found[0] if found else "\n"


def _comments(text: str, start: int = 0, end: int | None = None) -> list[str]:
    end = len(text) if end is None else end
    found: list[str] = []
    place = start
    for first, last in [*_Reader(text).scalars, (end, end)]:
        if last <= start and first < start:
            continue
        if place < first:
            found += [each[0] for each in _COMMENT.finditer(text, place, min(first, end))]
        if first >= end:
            break
        header = _HEADER.match(text, first)
        if header is not None and header.end() <= last:
            found.append(header[1])
        place = max(place, last)
    return found


class _Reader:
    """Reads the root's place and the places of all scalars, in order, from libyaml's events."""

    def __init__(self, text: str) -> None:
        self._events = events
        self._text = text
        parser, _ = open_parser(text)
        self._next = parser.get_event
        self.scalars: list[tuple[int, int]] = []
        self._next()
        self._next()
        self.root = self._value(self._next())

    def _value(self, event: Any) -> _Span:
        start: int = event.start_mark.index
        kind = type(event)
        if kind is self._events.ScalarEvent:
            span = _Span(start, self._end(event))
            if span.end > span.start:
                self.scalars.append((span.start, span.end))
            return span
        if kind is self._events.AliasEvent:
            self.scalars.append((start, event.end_mark.index))
            return _Span(start, event.end_mark.index)
        flow = bool(event.flow_style)
        end = start
        members: dict[str, _Member] | None = None
        if kind is self._events.MappingStartEvent:
            members = {}
            while type(key := self._next()) is not self._events.MappingEndEvent:
                place = self._value(key)
                value = self._value(self._next())
                members[key.value] = _Member(place.start, value)
                end = max(end, value.end, place.end)
            closing: Any = key
        else:
            while type(item := self._next()) is not self._events.SequenceEndEvent:
                end = max(end, self._value(item).end)
            closing = item
        return _Span(start, closing.end_mark.index if flow else end, flow, members)

    def _end(self, event: Any) -> int:
        """Return the end of a scalar; blank lines after a block are no part of it, unless it keeps them."""
        end: int = event.end_mark.index
        if event.style not in ("|", ">"):
            return end
        header = re.search(r"[|>][-+0-9]*", self._text[event.start_mark.index :])
        if header is not None and "+" in header[0]:
            return end - 1
        return len(self._text[:end].rstrip(" \t\r\n"))
