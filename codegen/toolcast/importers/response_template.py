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
_MOST_BYTES = 4 * 1024 * 1024
"""Bytes of a configuration, which may list thousands of tokens."""
_MOST_MARKERS = 64
"""Markers that one regular expression may stand for."""
_LONGEST = 1_000
"""Characters of a regular expression."""
_START, _END, _VALUE = "\x02", "\x03", "\x04"
"""Stand in markers for the start and the end of the text, and for a parameter's value."""
_HOLE = re.compile(r"\{(?:name|id|number|key)\}")
_TOKEN = re.compile(
    r"""(?P<named>\(\?P<(?P<group>\w+)>(?P<class>\\[wSdD]|\.|\[(?:\\.|[^\]\\])+\])
            (?P<times>[*+]\??|\{\d+(?:,\d*)?\})\))        # a named group, with one class of characters
        |(?P<open>\((?:\?:|(?!\?)))|(?P<close>\))|(?P<or>\|)
        |(?P<repeat>[*+?]|\{\d+(?:,\d*)?\})[?+]?
        |(?P<start>\^|\\A)|(?P<end>\$|\\Z)|(?P<space>\\[snrt])
        |\\(?P<escaped>[\W_])|(?P<literal>[^\\.(\[])""",
    re.VERBOSE,
)
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
    document = read_document(path, shown, _MOST_BYTES)
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
        begun = closes[0].replace("</", "<", 1) if closes else ""
        anchor = f"{template.start_anchor}{template.start_anchor_pattern}"
        if closes and field.open_pattern == rf"(?=[\s\S]*?{closes[0]})" and begun in anchor:
            opens: tuple[str, ...] = (begun,)  # the prompt begins the thought
        else:
            opens = _markers(field, "open")
        if not (opens and closes):
            raise _InexpressibleError("a thought has an opening and a closing marker")
        self.notes.append("whether the prompt begins a thought (`prefilled`)")
        return tuple(Markers(open=open, close=close, prefilled=True) for open in opens for close in closes)

    def _call(self, field: _Field) -> CallForm:
        shape = _shape(field)
        opens, closes = _markers(field, "open", shape.holes), _markers(field, "close")
        content, more = _contents(field, shape)
        element = re.search(r"<(\w+)=\{name\}>$", opens[0]) if opens and content == "parameters" else None
        if element and f"</{element[1]}>" not in "".join(closes):
            # transformers ignores what stands beside parameters
            self.notes.append(f"what ends the element of the name (`</{element[1]}>`)")
            closes = (*(f"</{element[1]}> {close}" for close in closes), *closes)
        if not self._tokens:
            self.notes.append("whether prose may have the markers of calls (`mark`)")
        return CallForm(
            open=opens,
            close=_spaced(closes),
            content=content,
            id="{id}" if "id" in shape.holes.values() else "",
            mark="token" if self._tokens and all(open.startswith(self._tokens) for open in opens) else "tag",
            **more,
        )


def _special_tokens(data: JsonObject) -> Iterator[str]:
    added = data.get("added_tokens_decoder")
    for token in added.values() if isinstance(added, dict) else ():
        if isinstance(token, dict) and token.get("special") is True and isinstance(token.get("content"), str):
            yield token["content"]
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
            id = str(rest.get("id", "{}"))
            prefix = "" if field.transform_each else r"content\."
            keys = re.fullmatch(rf"\{{{prefix}(\w+)\}} \{{{prefix}(\w+)\}}", f"{name} {arguments}")
            groups = re.fullmatch(r"\{(\w+)\} \{content\} \{(\w*)\}", f"{name} {arguments} {id}")
            if rest.keys() <= {"type", "id"} and keys:
                return _Shape(names=(keys[1],), arguments=(keys[2],))
            if rest.keys() <= {"type", "id"} and groups and not field.transform_each:
                return _Shape(holes={groups[1]: "name"} | ({groups[2]: "id"} if groups[2] else {}))
        case _:
            pass
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
        case _:
            pass
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
    """List the markers that a regular expression fits: holes for groups, one blank for white space."""
    try:
        if len(pattern) > _LONGEST or _HOLE.search(pattern) or re.search(r"[\x00-\x08]", pattern):
            raise ValueError(f"it has more than {_LONGEST:,} characters, or what is a hole in a marker")
        return [re.sub(r"\s+", " ", each) for each in _alternatives(pattern, holes)]
    except ValueError as problem:
        raise _InexpressibleError(f"the expression is no marker: {problem}", *keys) from None


def _alternatives(pattern: str, holes: Mapping[str, str]) -> list[str]:
    outer: list[tuple[list[str], list[str]]] = []  # of each open group what stands before it
    done: list[str] = []  # alternatives before the last `|`
    made, last = [""], [""]  # beginnings of the next one, and what a quantifier would repeat
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise ValueError(f"`{pattern[at : at + 40]}` fits more than a literal, white space or a name")
        at = token.end()
        if token["repeat"]:
            if all(each.isspace() for each in last):
                last = [" "]  # any white space, or none
            elif token["repeat"] == "?":
                last = [*last, ""]
            else:
                raise ValueError(f"`{pattern[:at][-40:]}` repeats a literal")
            continue
        made, last = _joined(made, last), [""]
        if token["open"]:
            outer.append((done, made))
            done, made = [], [""]
        elif token["or"]:
            done, made = done + made, [""]
        elif token["close"] and outer:
            last = done + made
            done, made = outer.pop()
        else:
            last = [_atom(token, holes)]
    if outer:
        raise ValueError("a group has no end")
    return done + _joined(made, last)


def _joined(made: list[str], last: list[str]) -> list[str]:
    found = [before + after for before in made for after in last]
    if len(found) > _MOST_MARKERS:
        raise ValueError(f"it fits more than {_MOST_MARKERS} markers")
    return found


def _atom(token: re.Match[str], holes: Mapping[str, str]) -> str:
    if token["close"]:
        raise ValueError(f"`)` at character {token.end()} ends no group")
    if not token["named"]:
        marks = {"start": _START, "end": _END, "space": " "}
        return marks.get(str(token.lastgroup)) or token["escaped"] or token["literal"]
    hole = holes.get(token["group"], "number" if token["class"] == r"\d" else "")
    if not hole or (hole == "value" and (token["class"] != "." or token["times"] not in ("*?", "+?"))):
        raise ValueError(f"`{token[0]:.80}` is no name, id, number, key or value up to its end")
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
