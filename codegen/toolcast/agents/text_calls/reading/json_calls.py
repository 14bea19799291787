"""Calls in JSON text."""

import msgspec

from ....runtime.bounded_json import UnreadableJSONError, find_duplicates, read_json
from ....text_formats.text_format import CallForm
from ..parsed_text import Found

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_ENVELOPES = ("tool_calls", "function_call")
_IDS = ("id", "call_id", "tool_call_id")
_EXTRA = ("type", "index")
"""Keys that may stand beside and mean nothing."""
_DEPTH = 8
"""Lists around a call: each is read anew."""
FAULTS = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""The exceptions of decoding text that is not JSON, or nests too deeply."""


def calls(raw: str, form: CallForm, *, strict: bool = False) -> list[Found] | None:
    """Read the calls of a JSON value: an object with a name, an answer in OpenAI's form, or an array of
    these.

    With `strict` arguments must stand with the name: an object with a name alone is data. Returns None where
    anything is no call, or lists nest deeper than anybody writes them; [] for a declaration that the model
    repeats.
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
            members = _members(value)
            inner = _envelope(members)
            if inner is not None and not form.exact:
                waiting.append((inner, depth + 1))
                continue
            one = _exact(members) if form.exact else _call(members, form, strict)
        except FAULTS:
            return None
        if one is None and (strict or not _is_declaration(members)):
            return None
        found += [] if one is None else [one]
    return found


def content(raw: str) -> str:
    """Return the text beside the calls of an answer in OpenAI's form."""
    try:
        return _STRING.decode(_OBJECT.decode(raw).get("content", msgspec.Raw(b'""'))).strip()
    except FAULTS:
        return ""


def is_json(raw: str) -> bool:
    try:
        read_json(raw)
    except UnreadableJSONError:
        return False
    return True


def _members(raw: str) -> dict[str, str]:
    """Read an object. Raises ValidationError where a key stands twice: which one is meant nothing tells."""
    members = {key: _text(item) for key, item in _OBJECT.decode(raw).items()}
    colons = len(members) + sum(item.count(":") for item in members.values())
    if raw.count(":") != colons and any(path == "$" for path, _ in find_duplicates(raw)):
        raise msgspec.ValidationError("a key stands twice")
    return members


def _envelope(members: dict[str, str]) -> str | None:
    """Return the calls of an answer in OpenAI's form, which has nothing else but its text and its role."""
    inner = next((members[key] for key in _ENVELOPES if members.get(key, "")[:1] in ("{", "[")), None)
    return inner if inner is not None and members.keys() <= {*_ENVELOPES, "role", "content"} else None


def _exact(members: dict[str, str]) -> Found | None:
    if members.keys() != {"name", "arguments"}:
        return None
    arguments = "{}" if members["arguments"] == "null" else members["arguments"]
    name = _STRING.decode(members["name"])
    return Found(name, arguments) if arguments[:1] == "{" and name.strip() == name != "" else None


def _call(members: dict[str, str], form: CallForm, strict: bool) -> Found | None:
    if not form.arguments:
        return _keyed(members)
    outer: dict[str, str] = {}
    function = members.get("function")
    if function is not None and function[:1] == "{" and not any(key in members for key in form.names):
        outer = {key: value for key, value in members.items() if key != "function"}
        members = _members(function)
    name_key = next((key for key in (*form.names, "function") if key in members), "")
    argument_key = next((key for key in form.arguments if key in members), "")
    name = members.get(name_key, "")
    if name[:1] != '"' or (not argument_key and strict):
        return None
    known = {name_key, argument_key, *_IDS, *_EXTRA}
    if not members.keys() <= known or not outer.keys() <= known:
        return None  # something would be left unread
    named = _STRING.decode(name).strip()
    both = {**outer, **members}
    id = next((both[key] for key in _IDS if key in both), '""')
    arguments = members.get(argument_key, "null")
    if arguments == "null":
        arguments = "{}"
    elif arguments[:1] == '"':  # encoded twice, as OpenAI does
        arguments = _STRING.decode(arguments) or "{}"
    return Found(named, arguments, _STRING.decode(id) if id[:1] == '"' else id) if named else None


def _keyed(members: dict[str, str]) -> Found | None:
    """Read `{"tool": {…}}`: the one key is the tool's name."""
    if len(members) != 1:
        return None
    ((name, arguments),) = members.items()
    return Found(name, arguments) if name.strip() and arguments[:1] == "{" else None


def _is_declaration(members: dict[str, str]) -> bool:
    """Tell whether the object declares a tool, as the system prompt does, and calls none."""
    function = members.get("function", "")
    if function[:1] == "{":
        members = _members(function)
    return "name" in members and "description" in members and "arguments" not in members


def _text(raw: msgspec.Raw) -> str:
    return bytes(raw).decode().strip()
