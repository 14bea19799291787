"""YAML 1.2 text → plain JSON data, in one pass over libyaml's events.

libyaml only splits the text; what a scalar means is decided here, never by PyYAML's YAML 1.1 resolver.
Refused, because JSON data has no equal: keys that are not strings, tags outside the core schema, `.inf` and
`.nan`, an alias inside its own anchor. Refused, because they hide mistakes: duplicate keys, several
documents, merge keys (an unquoted `<<`, which 1.2 no longer has) and a `%YAML 1.1` directive.
"""

import re
from typing import Any

from .problems import (
    MAX_DEPTH,
    MAX_VALUES,
    Problem,
    RefusedError,
    duplicate_key,
    not_finite,
    number_range,
    quoted,
    too_deep,
    too_many,
)
from .scalars import (
    NUMERIC_START,
    PREFIX,
    WORDS,
    NotFiniteError,
    NumberRangeError,
    resolve_plain,
    resolve_tagged,
)
from .yaml_errors import explain
from .yaml_events import forbidden_character, open_events

# libyaml drops the tag `!`, which would make `! 12` a number; YAML 1.2 says it is a string.
_BARE_TAG = re.compile(r"(?:&\S+\s+)?!(?=\s|\Z)")


class _Anchor:
    """One `&name`: while `done` is false its node is still being read."""

    __slots__ = ("done", "height", "size", "value")

    def __init__(self) -> None:
        self.done = False
        self.value: Any = None
        self.size = 1
        self.height = 0


def parse_yaml(text: str) -> tuple[Any, list[Problem]]:
    """The data in `text`, and every problem found; with problems the data means nothing. Never raises."""
    problems: list[Problem] = []
    try:
        return _Reader(text, problems).document(), problems
    except RefusedError as error:
        problems.append(error.problem)
    return None, problems


class _Reader:
    """Builds values by recursive descent over events; the depth is bounded by `MAX_DEPTH`."""

    def __init__(self, text: str, problems: list[Problem]) -> None:
        parser, self._back = open_events(text)
        # Imported here for the same reason as in `open_events`, which has just paid for it.
        from yaml import error, events

        self._text = text
        self._next = parser.get_event
        self._error = error.YAMLError
        self._events = events
        self._scalar_type = events.ScalarEvent
        self._map_type = events.MappingStartEvent
        self._map_end = events.MappingEndEvent
        self._list_type = events.SequenceStartEvent
        self._list_end = events.SequenceEndEvent
        self._bare_tags = "!" in text
        self._literal = not self._back and not self._bare_tags  # an untagged scalar is what its event says
        self._problems = problems
        self._anchors: dict[str, _Anchor] = {}
        self._count = 0
        self._deepest = 0

    def document(self) -> Any:
        try:
            return self._document()
        except self._error as error:
            if getattr(error, "problem", None) is None:
                raise forbidden_character(self._text) from None
            raise RefusedError(explain(error, self._text)) from None

    def _document(self) -> Any:
        self._next()  # the stream's start
        start = self._next()
        if isinstance(start, self._events.StreamEndEvent):
            raise RefusedError(
                Problem(
                    line=1,
                    column=1,
                    code="empty-document",
                    message="the file holds nothing but comments",
                    hint="write the spec, or delete the file",
                )
            )
        if start.version == (1, 1):
            self._report(
                start,
                "yaml-version",
                "the file declares YAML 1.1, where `no`, `on` and `1:30` mean something else",
                "remove the %YAML line; specs are read as YAML 1.2",
            )
        value = self._value(self._next(), 1)
        self._next()  # the document's end
        more = self._next()
        if not isinstance(more, self._events.StreamEndEvent):
            self._report(
                more, "several-documents", "a second document starts here", "write one spec per file"
            )
        return value

    def _report(self, event: Any, code: str, message: str, hint: str = "") -> None:
        line, column = _place(event)
        self._problems.append(Problem(line=line, column=column, code=code, message=message, hint=hint))

    def _value(self, event: Any, depth: int) -> Any:
        self._count += 1
        if self._count > MAX_VALUES:
            raise RefusedError(too_many(*_place(event)))
        kind = type(event)
        if kind is self._scalar_type:
            value = self._scalar(event)
            if event.anchor is not None:
                anchor = self._anchors[event.anchor] = _Anchor()
                anchor.value, anchor.done = value, True
            return value
        if kind is not self._map_type and kind is not self._list_type:
            return self._alias(event, depth)
        if depth > MAX_DEPTH:
            raise RefusedError(too_deep(*_place(event)))
        if event.anchor is not None:
            return self._anchored(event, depth)
        return self._container(event, depth)

    def _container(self, event: Any, depth: int) -> Any:
        if depth > self._deepest:
            self._deepest = depth
        is_map = type(event) is self._map_type
        if event.tag is not None and event.tag != PREFIX + ("map" if is_map else "seq"):
            self._unknown_tag(event, event.tag)
        if is_map:
            return self._mapping(depth)
        items: list[Any] = []
        child = self._next()
        while type(child) is not self._list_end:
            items.append(self._value(child, depth + 1))
            child = self._next()
        return items

    def _mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        places: dict[str, Any] = {}
        event = self._next()
        while type(event) is not self._map_end:
            key = self._key(event, depth + 1)
            value = self._value(self._next(), depth + 1)
            if key is not None:
                if key in result:
                    line, column = _place(event)
                    self._problems.append(duplicate_key(key, line, column, _place(places[key])))
                else:
                    result[key] = value
                    places[key] = event
            event = self._next()
        return result

    def _key(self, event: Any, depth: int) -> str | None:
        """The key, or None after reporting why it is none."""
        if type(event) is self._scalar_type and self._literal and event.tag is None and event.anchor is None:
            text: str = event.value
            is_text = event.style or (text not in WORDS and text[0] not in NUMERIC_START and text != "<<")
            if is_text and self._count < MAX_VALUES:
                return text  # nearly every key; the others take the way below
        known = len(self._problems)
        value = self._value(event, depth)
        self._count -= 1  # keys are not counted as values
        if not isinstance(value, str):
            if len(self._problems) == known:
                text = quoted(event.value) if type(event) is self._scalar_type else "this key"
                why = "it is not text" if value is not None else "it means null"
                self._report(event, "key-not-text", f"{text} cannot be a key: {why}", "put the key in quotes")
            return None
        if value == "<<" and type(event) is self._scalar_type and not event.style and event.tag is None:
            self._report(
                event,
                "merge-key",
                "the merge key `<<` is not part of YAML 1.2",
                'write the merged keys out, or use $ref; for a key of that name write "<<"',
            )
            return None
        return value

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        tag: str | None = event.tag
        if tag is None and self._literal and event.style:
            return text
        if self._back:
            text = text.translate(self._back)
        if tag is None:
            if self._bare_tags and _BARE_TAG.match(self._text, event.start_mark.index):
                return self._unknown_tag(event, "!")
            if event.style:
                return text
        try:
            return resolve_plain(text) if tag is None else resolve_tagged(tag, text)
        except NotFiniteError:
            self._problems.append(not_finite(text, *_place(event)))
        except NumberRangeError:
            self._problems.append(number_range(text, *_place(event)))
        except KeyError:
            self._unknown_tag(event, str(tag))
        except ValueError:
            shown = "!!" + str(tag).removeprefix(PREFIX)
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

    def _anchored(self, event: Any, depth: int) -> Any:
        anchor = self._anchors[event.anchor] = _Anchor()
        count, deepest = self._count, self._deepest
        self._deepest = depth
        anchor.value = self._container(event, depth)
        anchor.size = self._count - count + 1
        anchor.height = self._deepest - depth + 1
        anchor.done = True
        self._deepest = max(deepest, self._deepest)
        return anchor.value

    def _alias(self, event: Any, depth: int) -> Any:
        anchor = self._anchors.get(event.anchor)
        name = quoted("*" + event.anchor)
        if anchor is None:
            hint = "define it earlier, or put the text in quotes if no alias is meant"
            self._report(event, "unknown-alias", f"{name} refers to an anchor that does not exist", hint)
            return None
        if not anchor.done:
            hint = "describe recursive data with $ref: '#' or $ref: '#/$defs/…'"
            self._report(event, "alias-cycle", f"{name} stands inside the value that it refers to", hint)
            return None
        self._count += anchor.size - 1
        if self._count > MAX_VALUES:
            raise RefusedError(too_many(*_place(event)))
        reached = depth + anchor.height - 1
        if reached > MAX_DEPTH:
            raise RefusedError(too_deep(*_place(event)))
        self._deepest = max(self._deepest, reached)
        return anchor.value


def _place(event: Any) -> tuple[int, int]:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1
