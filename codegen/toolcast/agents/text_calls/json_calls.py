"""JSON in a text: how far it reaches, and which calls it holds."""

import re

import msgspec

from .marks import Source
from .parsed_text import BrokenError, Found

_RUN = re.compile(r'(?:[\s,:\-+.\w]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_BETWEEN = re.compile(r"[\s,;]*(?:<\|python_tag\|>\s*)?")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_IDS = ("id", "tool_call_id", "call_id")
_TOOL_CALLS = ("tool_calls", "function_call")
_DEPTH = 8
"""Lists around a call: each is read anew."""
_FAULTS = (msgspec.MsgspecError, UnicodeError, RecursionError)


def extent(source: Source, start: int) -> int:
    """The end of the object or array that begins at `start`; -1 where it is broken or does not end.

    Only JSON is skipped, so a broken one is noticed where it breaks: a later block
    never lies in a stretch that was read before, but within a string of it.
    """
    text, at, depth = source.text, start, 0
    while True:
        found = _RUN.match(text, at)
        at = at if found is None else found.end()
        bracket = text[at : at + 1]
        if bracket in ("{", "["):
            depth += 1
        elif bracket in ("}", "]"):
            depth -= 1
        else:
            # An open string was read to the end of the text.
            source.steps += (len(text) if bracket == '"' else at) - start
            return -1
        at += 1
        if depth == 0:
            source.steps += at - start
            return at


def series(source: Source, start: int) -> tuple[list[str], int]:
    """The objects and arrays that follow each other from `start`, and the end of the last."""
    values: list[str] = []
    end = at = start
    while source.text[at : at + 1] in ("{", "["):
        reach = extent(source, at)
        if reach < 0:
            raise BrokenError("the JSON of the call is broken or has no end")
        values.append(source.text[at:reach])
        end = reach
        between = source.match(_BETWEEN, end)
        at = end if between is None else between.end()
    return values, end


def calls(raw: str, *, strict: bool = False) -> list[Found] | None:
    """The calls of a JSON value: an object with a name, an answer in OpenAI's form, or an array of such.

    None where it is not JSON, anything in it is no call, or lists nest deeper than anybody writes them.
    `strict` requires arguments with the name: without a tag around it, an object with a name alone is data.
    """
    found: list[Found] = []
    waiting = [(raw, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEPTH:
            return None
        try:
            if value.lstrip()[:1] == "[":
                items = _LIST.decode(value)
                if not items:
                    return None
                waiting += [(_text(item), depth + 1) for item in reversed(items)]
                continue
            members = {key: _text(item) for key, item in _OBJECT.decode(value).items()}
            inner = next((members[key] for key in _TOOL_CALLS if _holds(members.get(key))), None)
            if inner is not None and "name" not in members:
                waiting.append((inner, depth + 1))
                continue
            one = _call(members, strict)
        except _FAULTS:
            return None
        if one is None:
            return None
        found.append(one)
    return found


def canonical(raw: str) -> Found | None:
    """The call of an object with a name and an object of arguments, and nothing else; None for any other."""
    try:
        members = {key: _text(item) for key, item in _OBJECT.decode(raw).items()}
        if members.keys() != {"name", "arguments"} or members["arguments"][:1] != "{":
            return None
        name = _STRING.decode(members["name"])
    except _FAULTS:
        return None
    return Found(name, members["arguments"], "json") if name.strip() == name != "" else None


def content(raw: str) -> str:
    """The text of an answer in OpenAI's form that has calls, too."""
    try:
        return _STRING.decode(_OBJECT.decode(raw).get("content", msgspec.Raw(b'""'))).strip()
    except _FAULTS:
        return ""


def is_json(raw: str) -> bool:
    """Whether the text is JSON."""
    try:
        msgspec.json.decode(raw)
    except _FAULTS:
        return False
    return True


def _call(members: dict[str, str], strict: bool) -> Found | None:
    outer = members
    function = members.get("function")
    if function is not None and function[:1] == "{" and "name" not in members:
        members = {key: _text(item) for key, item in _OBJECT.decode(function).items()}
        function = None
    name = members.get("name", function)
    arguments = next((members[key] for key in ("arguments", "parameters") if key in members), None)
    if name is None or name[:1] != '"' or (arguments is None and strict):
        return None
    named = _STRING.decode(name)
    if not named.strip():
        return None
    id = next((outer[key] for key in _IDS if key in outer), '""')
    if arguments is None or arguments == "null":
        arguments = "{}"
    elif arguments[:1] == '"':  # encoded twice, as OpenAI does
        arguments = _STRING.decode(arguments)
    return Found(named.strip(), arguments, "json", _STRING.decode(id) if id[:1] == '"' else "")


def _text(raw: msgspec.Raw) -> str:
    return bytes(raw).decode().strip()


def _holds(raw: str | None) -> bool:
    return raw is not None and raw[:1] in ("{", "[")
