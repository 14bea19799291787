"""From the response template of a tokenizer's configuration to a text format, as a TOML file.

A response template is how transformers reads the answers of a model: regions between markers, and the form of
what stands in them. Its regular expressions are read as markers with holes, and never run.

Sources, read in November 2026: `utils/chat_parsing` and `chat_response_parsing.md` of transformers 5.24.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from ..agents.text_calls.format_file import check_format
from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from ..spec.read_file import SourceDocument, read_document
from ..text_formats.text_format import CallForm, Content, Markers, ParameterForm, TextFormat

_KEY = "response_template"
_THOUGHTS = ("reasoning_content", "thinking", "reasoning")
_MOST_MARKERS = 64
"""Markers that one regular expression may stand for."""
_LONGEST = 1_000
"""Characters of a regular expression."""
_DEEPEST = 16
_START, _END, _VALUE = "\x02", "\x03", "\x04"
"""Stand in markers for the start and the end of the text, and for a parameter's value."""
_HOLE = re.compile(r"\{(?:name|id|number|key)\}")
_GROUP = re.compile(r"\(\?P<(\w+)>(\\[wSdD]|\.|\[(?:\\.|[^\]\\])+\])([+*]\??|\{\d+(?:,\d*)?\})\)")
"""A named group with one class of characters, repeated."""
_QUANTIFIER = re.compile(r"([*+?]|\{\d+(?:,\d*)?\})[?+]?")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "s": " ", "A": _START, "Z": _END}
_VALUES: dict[str, Literal["text", "json"]] = {
    "null": "text",
    '{"name":"text"}': "text",
    '{"name":"json"}': "json",
    '{"args":{"allow_non_json":true},"name":"json"}': "json",
}
"""Parsers of values, and their names in a text format."""


class _Field(Struct, forbid_unknown_fields=True, kw_only=True):
    open: str | list[str] | None = None
    open_pattern: str | None = None
    close: str | list[str] | None = None
    close_pattern: str | None = None
    content: str = "text"
    content_args: dict[str, Any] = {}
    repeats: bool = False
    join: str | None = None
    optional: bool = True
    transform: Any = None
    transform_each: bool = False


class _Template(Struct, forbid_unknown_fields=True, kw_only=True):
    fields: dict[str, Any]
    version: Literal[1] = 1
    defaults: dict[str, Any] = {}
    start_anchor: str | list[str] = ""
    start_anchor_pattern: str = ""


class _InexpressibleError(ValueError):
    """A part of a field that no text format has; `keys` lead to it from the field."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


def read_response_template(path: Path, shown: str) -> str | tuple[Diagnostic, ...]:
    """Read the response template of a tokenizer's configuration as a text format.

    Args:
        path: the file `tokenizer_config.json`.
        shown: its name for messages.

    Returns:
        The TOML text of the format, with a comment for each thing that the template does not state; or
        everything that cannot be expressed, with its place.
    """
    document = read_document(path, shown)
    if not isinstance(document, SourceDocument):
        return document
    data = document.data if isinstance(document.data, dict) else {}
    if _KEY not in data:
        older = ", only a `response_schema`, which transformers reads no more" * ("response_schema" in data)
        return (_problem(document, (), f"the file has no `{_KEY}`{older}"),)
    reader = _Reader(data)
    try:
        made = reader.read()
    except msgspec.ValidationError as problem:
        return (_problem(document, (_KEY,), f"{_KEY} is none of transformers: {problem}"),)
    if reader.problems:
        return tuple(_problem(document, keys, message) for keys, message in reader.problems)
    faults = check_format(made)
    return tuple(_problem(document, (_KEY,), each.message) for each in faults) or _toml(made, reader.notes)


def _problem(document: SourceDocument, keys: tuple[str, ...], message: str) -> Diagnostic:
    line, column = document.locate(keys, key=bool(keys))
    hint = "write the format by hand: docs/how-to/own-text-format.md"
    return Diagnostic(
        file=document.file, line=line, column=column, code="import-format", message=message, hint=hint
    )


class _Reader:
    """Reads one template; gathers what cannot be expressed, and notes on what is not stated."""

    def __init__(self, data: JsonObject) -> None:
        self.problems: list[tuple[tuple[str, ...], str]] = []
        self.notes = [
            "how the family is called, and its models (`id`, `title`, `models`)",
            "the marks of results and of declarations of tools (`results`)",
            "the system prompt, and how results go back (`prompts`, `responses`)",
        ]
        self._data = data
        self._tokens = tuple(_special_tokens(data))

    def read(self) -> TextFormat:
        template = msgspec.convert(self._data[_KEY], _Template)
        made: dict[str, Any] = {}
        for name, raw in template.fields.items():
            try:
                field = msgspec.convert(raw, _Field)
                if name == "tool_calls":
                    made["calls"] = (self._call(field),)
                elif name == "content" and field.content == "text":
                    made |= self._content(field, template)
                elif name in _THOUGHTS and field.content == "text":
                    made["thoughts"] = (*made.get("thoughts", ()), *self._thoughts(field, template))
                else:
                    raise _InexpressibleError(f"a text format has no {field.content} {name!r:.80}")
            except (_InexpressibleError, msgspec.ValidationError) as problem:
                self.problems.append(((_KEY, "fields", name, *getattr(problem, "keys", ())), str(problem)))
        return TextFormat(id="imported", title="Imported", **made)

    def _content(self, field: _Field, template: _Template) -> dict[str, tuple[str, ...]]:
        opens, closes = _markers(field, "open"), _markers(field, "close")
        if not opens:
            return {"ends": closes}
        self.notes.append("whether text outside of `content` is for the user (transformers drops it)")
        return {"dropped": (*opens, *closes, *_literals(template.start_anchor or [], "start_anchor"))}

    def _thoughts(self, field: _Field, template: _Template) -> tuple[Markers, ...]:
        closes = _markers(field, "close")
        opens: tuple[str, ...] = ()
        if not closes:
            raise _InexpressibleError("a thought has no closing marker")
        if field.open_pattern == rf"(?=[\s\S]*?{closes[0]})":  # the prompt begins the thought
            begun = closes[0].replace("</", "<", 1)
            opens = (begun,) if begun in f"{template.start_anchor}{template.start_anchor_pattern}" else ()
        opens = opens or _markers(field, "open")
        if not opens:
            raise _InexpressibleError("a thought has no opening marker")
        self.notes.append("whether the prompt begins a thought (`prefilled`)")
        return tuple(Markers(open=open, close=close, prefilled=True) for open in opens for close in closes)

    def _call(self, field: _Field) -> CallForm:
        shape = _shape(field)
        opens, closes = _markers(field, "open", shape.holes), _markers(field, "close")
        content, more = _contents(field, shape)
        if content == "parameters":
            closes = (*self._element_ends(opens, closes), *closes)
        sure = bool(self._tokens) and all(open.startswith(self._tokens) for open in opens)
        if not self._tokens:
            self.notes.append("whether prose may have the markers of calls (`mark`)")
        return CallForm(
            open=opens,
            close=_spaced(closes),
            content=content,
            id="{id}" if "id" in shape.holes.values() else "",
            mark="token" if sure else "tag",
            **more,
        )

    def _element_ends(self, opens: Iterable[str], closes: Iterable[str]) -> Iterator[str]:
        """Give the closing markers with the end of an element that the opening marker begins: transformers
        ignores what stands beside parameters.
        """
        begun = {found[1] for open in opens if (found := re.search(r"<(\w+)=\{name\}>$", open))}
        for end in (f"</{tag}>" for tag in sorted(begun)):
            for close in (each for each in closes if end not in each):
                self.notes.append(f"what ends the element of the name (`{end}`)")
                yield f"{end} {close}"


def _special_tokens(data: JsonObject) -> Iterator[str]:
    added = data.get("added_tokens_decoder")
    for token in added.values() if isinstance(added, dict) else ():
        match token:
            case {"special": True, "content": str(content)}:
                yield content
    for key in ("additional_special_tokens", "extra_special_tokens", "model_specific_special_tokens"):
        several = data.get(key)
        words = [*several.values()] if isinstance(several, dict) else several
        yield from (each for each in words if isinstance(each, str)) if isinstance(words, list) else ()


class _Shape(NamedTuple):
    """The parts of a call: groups of the marker, by the holes that they are, and keys of the content."""

    holes: Mapping[str, str] = {}
    names: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def _shape(field: _Field) -> _Shape:
    match field.transform:
        case {"function": "{content}", **rest} if not field.transform_each and rest.keys() <= {"type"}:
            return _Shape(names=("name",), arguments=("arguments",))
        case {"function": {"name": str(name), "arguments": str(arguments), **other}, **rest} if not other:
            prefix = "" if field.transform_each else r"content\."
            keys = [re.fullmatch(rf"\{{{prefix}(\w+)\}}", each) for each in (name, arguments)]
            if rest.keys() <= {"type", "id"} and keys[0] and keys[1]:
                return _Shape(names=(keys[0][1],), arguments=(keys[1][1],))
            if rest.keys() <= {"type", "id"} and arguments == "{content}" and not field.transform_each:
                return _Shape(holes={name[1:-1]: "name", str(rest.get("id", ""))[1:-1]: "id"} | {"": ""})
    raise _InexpressibleError("the parts of a function's call are not all named", "transform")


def _contents(field: _Field, shape: _Shape) -> tuple[Content, dict[str, Any]]:
    """Return what stands between the markers, and the keys of a call's form that describe it."""
    match field.content, field.content_args:
        case "json", {**rest} if shape.names and not rest:
            return "json-calls", {"names": shape.names, "arguments": shape.arguments}
        case "json", {**rest} if not rest:
            return "json-arguments", {}
        case "json", {"unquoted_keys": True, "string_delims": [[str(quote), end]], **rest}:
            if quote == end and not (shape.names or rest):
                return "braces", {"quote": quote}
        case "python-call-list", {**rest} if (*shape.names, *shape.arguments, *rest) == ("name", "arguments"):
            return "python", {}
        case "xml-inline", {"tag_pattern": str(pattern), **rest} if rest.keys() <= {"value_parser"}:
            if shape.holes:
                return "parameters", {"parameters": (_parameter(pattern, rest.get("value_parser")),)}
    message = f"a text format has no {field.content!r:.80} with these `content_args`, or this `transform`"
    raise _InexpressibleError(message, "content")


def _parameter(pattern: str, parser: object) -> ParameterForm:
    value = _VALUES.get(msgspec.json.encode(parser, order="sorted").decode())
    if value is None:
        raise _InexpressibleError("a value is text or JSON", "content_args", "value_parser")
    keys = ("content_args", "tag_pattern")
    halves = [each.split(_VALUE) for each in _expand(pattern, {"key": "key", "value": "value"}, keys)]
    if any(len(half) != 2 or "{key}" not in half[0] for half in halves):
        raise _InexpressibleError("a parameter has its key, then its value, then an end", *keys)
    # A parser strips its value; without one the pattern says what is no part of it.
    stripped = parser is not None or all(half[0].endswith(" ") and half[1].startswith(" ") for half in halves)
    return ParameterForm(
        open=tuple(dict.fromkeys(half[0].strip() for half in halves)),
        close=_spaced(half[1].strip() for half in halves),
        value=value,
        trim="blanks" if stripped else "none",
    )


def _spaced(closes: Iterable[str]) -> tuple[str, ...]:
    """Write closing markers, which have no holes, with nothing, a line break and a blank for white space."""
    return tuple(dict.fromkeys(each.replace(" ", gap) for each in closes for gap in ("", "\n", " ")))


def _markers(field: _Field, side: Literal["open", "close"], holes: Mapping[str, str] = {}) -> tuple[str, ...]:
    """Return the markers of one side; the start or the end of the text is none."""
    literal: str | list[str] | None = getattr(field, side)
    pattern: str | None = getattr(field, f"{side}_pattern")
    if pattern is None:
        return _literals(literal or [], side)
    found = [each.strip() for each in _expand(pattern, holes, (f"{side}_pattern",))]
    whole = tuple(dict.fromkeys(each for each in found if each not in (_START, _END)))
    if literal is not None or not all(whole) or re.search(f"[{_START}{_END}]", "".join(whole)):
        raise _InexpressibleError("the expression is no marker: it may fit nothing", f"{side}_pattern")
    return whole


def _literals(literal: str | list[str], key: str) -> tuple[str, ...]:
    listed = [literal] if isinstance(literal, str) else literal
    for each in listed:
        if not each.strip() or _HOLE.search(each):
            raise _InexpressibleError(f"{each!r:.80} is no marker: it is blank, or has a hole", key)
    return tuple(dict.fromkeys(each.strip() for each in listed))


def _expand(pattern: str, holes: Mapping[str, str], keys: Iterable[str]) -> list[str]:
    """List the markers that a regular expression fits, with one blank for white space."""
    try:
        if len(pattern) > _LONGEST or _HOLE.search(pattern) or re.search(r"[\x00-\x08]", pattern):
            raise ValueError(f"it has more than {_LONGEST:,} characters, or what is a hole in a marker")
        return [re.sub(r"\s+", " ", each) for each in _Expression(pattern, holes).read()]
    except ValueError as problem:
        raise _InexpressibleError(f"the expression is no marker: {problem}", *keys) from None


class _Expression:
    """A regular expression, read as the markers that it fits, with a hole for each named group."""

    def __init__(self, pattern: str, holes: Mapping[str, str]) -> None:
        self._pattern, self._holes, self._at = pattern, holes, 0

    def read(self) -> list[str]:
        """Return the markers. Raises ValueError where they are no literals, holes and white space."""
        found = self._either(0)
        if self._at < len(self._pattern):
            raise ValueError(f"unexpected `)` at character {self._at + 1}")
        return found

    def _either(self, depth: int) -> list[str]:
        if depth > _DEEPEST:
            raise ValueError(f"groups nest deeper than {_DEEPEST}")
        found = self._sequence(depth)
        while self._pattern.startswith("|", self._at):
            self._at += 1
            found += self._sequence(depth)
        return found

    def _sequence(self, depth: int) -> list[str]:
        made = [""]
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            begun = self._at
            found = self._atom(depth)
            if repeated := _QUANTIFIER.match(self._pattern, self._at):
                self._at = repeated.end()
                if all(each.isspace() for each in found):
                    found = [" "]  # any white space in a marker, or none
                elif repeated[1] == "?":
                    found = [*found, ""]
                else:
                    raise ValueError(f"`{self._pattern[begun : self._at]:.40}` repeats a literal")
            made = [before + after for before in made for after in found]
            if len(made) > _MOST_MARKERS:
                raise ValueError(f"it fits more than {_MOST_MARKERS} markers")
        return made

    def _atom(self, depth: int) -> list[str]:
        begun, rest = self._at, self._pattern[self._at :]
        if named := _GROUP.match(rest):
            self._at += named.end()
            return [self._hole(named)]
        if rest.startswith("(?:") or (rest[0] == "(" and rest[1:2] != "?"):
            self._at += 3 if rest[1:2] == "?" else 1
            found = self._either(depth + 1)
            if not self._pattern.startswith(")", self._at):
                raise ValueError(f"the group at character {begun + 1} has no end")
            self._at += 1
            return found
        escaped = rest[0] == "\\"
        literal = rest[1:2] if escaped else rest[0]
        known = _ESCAPES if escaped else {"^": _START, "$": _END}
        if literal not in known and (not literal or literal.isalnum() if escaped else literal in ".([*+?"):
            raise ValueError(f"`{rest:.40}` fits more than a literal, white space or a name")
        self._at += 2 if escaped else 1
        return [known.get(literal, literal)]

    def _hole(self, named: re.Match[str]) -> str:
        group, characters, repeated = named.groups()
        hole = self._holes.get(group, "number" if characters == r"\d" else "")
        if not hole or (hole == "value" and (characters != "." or repeated not in ("*?", "+?"))):
            raise ValueError(f"`{named[0]:.80}` is no name, id, number, key or value up to its end")
        return _VALUE if hole == "value" else f"{{{hole}}}"


def _toml(format: TextFormat, notes: Iterable[str]) -> str:
    lines = ["# Imported from the response template of a tokenizer."]
    lines += [f"# not stated by the template: {each}" for each in dict.fromkeys(notes)]
    lines += ["", *_keys(format, omit="calls"), "", "[[calls]]", *_keys(format.calls[0])]
    return "\n".join(lines) + "\n"


def _keys(value: Struct, omit: str = "") -> Iterator[str]:
    for field in msgspec.structs.fields(value):
        found = getattr(value, field.name)
        if field.name != omit and (field.required or found != field.default):
            yield f"{field.encode_name} = {_value(found)}"


def _value(value: Any) -> str:
    if isinstance(value, Struct):
        return f"{{{', '.join(_keys(value))}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return msgspec.json.encode(value).decode().replace("\x7f", r"\u007f")  # TOML has no raw DEL
