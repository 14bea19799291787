"""One reader for each kind of content between the markers of a call, as the text arrives.

Each raises BrokenError for another content.
"""

import re
from functools import partial

from ....runtime.bounded_json import UnreadableJSONError, read_json
from ..parsed_text import ArgumentsPiece, BrokenError, CallBegun, Found
from . import json_calls, literal_calls
from .feed import JSON, PYTHON, Ends, Feed, Reading, ahead, balanced, match, skip_space, until
from .grammar import ReadyCall, ReadyParameter
from .marker_patterns import Pattern

_FENCES = tuple(Pattern(each) for each in ("```json ", "``` "))
_FENCE_END = Ends(["```"])
_CALLED = Pattern("{name}(")
_LIST = Pattern("[", (" {", " [", " ]"))
_LISTS = 8
"""Lists around calls, one in the other."""


def _read_json_calls(feed: Feed, ready: ReadyCall, name: str, id: str) -> Reading[list[Found]]:  # noqa: ARG001 - one signature for all contents
    fence = yield from _open_fence(feed)
    found: list[Found] = []
    lists = 0
    while True:
        character = yield from _next_item(feed)
        if character == "[" and lists < _LISTS and (yield from match(feed, _LIST)) is not None:
            lists += 1
            feed.at += 1
        elif character == "]" and lists:
            lists -= 1
            feed.at += 1
        elif character == "{":
            calls = json_calls.calls((yield from _json_object(feed, ready)), ready.form)
            if calls is None:
                raise BrokenError('the JSON is no call: write {"name": …, "arguments": {…}}')
            found += calls
        elif lists:
            raise BrokenError("the list of calls has no end")
        else:
            break
        if ready.form.exact:
            break
    yield from _close_fence(feed, fence)
    return found


def _next_item(feed: Feed) -> Reading[str]:
    while True:
        character = yield from skip_space(feed)
        if character not in (",", ";"):
            return character
        feed.at += 1


def _json_object(feed: Feed, ready: ReadyCall) -> Reading[str]:
    """Read one object; tell its name and arguments as they arrive where they come first."""
    for head in ready.heads:
        begun = yield from match(feed, head)
        if begun is None:
            continue
        yield CallBegun(begun["name"], "")
        feed.at += len(begun[0])
        arguments, ended = yield from balanced(feed, JSON, told=True)
        if ended:
            rest, ended = yield from balanced(feed, JSON, depth=1)
            if ended:
                return f"{begun[0]}{arguments}{rest}"
        raise BrokenError("the JSON of the call is broken or has no end")
    text, ended = yield from balanced(feed, JSON)
    if not ended:
        raise BrokenError("the JSON of the call is broken or has no end")
    return text


def _read_json_arguments(feed: Feed, ready: ReadyCall, name: str, id: str) -> Reading[list[Found]]:
    """Read the arguments; nothing before the closing marker is {}."""
    fence = yield from _open_fence(feed)
    text, ended = "", False
    if (yield from skip_space(feed)) == "{":
        yield CallBegun(name, id)
        text, ended = yield from balanced(feed, JSON, told=True)
    elif not fence and (yield from ahead(feed, ready.close)):
        yield CallBegun(name, id)
        text, ended = "{}", True
    if not ended or not json_calls.is_json(text):
        raise BrokenError(f"the arguments of {name!r} are broken JSON, or have no end")
    yield from _close_fence(feed, fence)
    return [Found(name, text, id)]


def _read_parameters(feed: Feed, ready: ReadyCall, name: str, id: str) -> Reading[list[Found]]:
    yield CallBegun(name, id)
    found: dict[str, object] = {}
    while (yield from skip_space(feed)) and (opened := (yield from _opened(feed, ready))):
        parameter, marker = opened
        key = marker["key"].strip()
        feed.at += len(marker[0])
        tell = partial(ArgumentsPiece, key)
        is_end = partial(_ends_value, feed, parameter, ready)
        value, ended = yield from until(feed, parameter.ends, tell, parameter.form.trim, is_end=is_end)
        close = _close(feed, parameter)
        if not ended:
            raise BrokenError(f"the value of parameter {key!r} has no end")
        if close is None:
            raise BrokenError(f"the value of parameter {key!r} has no end before the next parameter")
        if key in found:
            raise BrokenError(f"parameter {key!r} is given twice")
        feed.at += len(close)
        found[key] = _typed(value) if parameter.form.value == "json" else value
    return [Found(name, found, id, textual=True)]


def _ends_value(feed: Feed, parameter: ReadyParameter, ready: ReadyCall) -> Reading[bool]:
    """Tell whether the closing marker or another parameter follows, and not only begins like that."""
    return _close(feed, parameter) is not None or (yield from _opened(feed, ready)) is not None


def _opened(feed: Feed, ready: ReadyCall) -> Reading[tuple[ReadyParameter, re.Match[str]] | None]:
    for parameter in ready.parameters:
        marker = yield from match(feed, parameter.open)
        if marker is not None:
            return parameter, marker
    return None


def _close(feed: Feed, parameter: ReadyParameter) -> str | None:
    return next((each for each in parameter.form.close if feed.text.startswith(each, feed.at)), None)


def _typed(value: str) -> object:
    """Decode JSON; other text stays text, which the tool's contract judges."""
    try:
        return read_json(value)
    except UnreadableJSONError:
        return value


def _read_python(feed: Feed, ready: ReadyCall, name: str, id: str) -> Reading[list[Found]]:  # noqa: ARG001
    found: list[Found] = []
    while True:
        character = yield from _next_item(feed)
        text, ended = "", True
        if character != "[":
            begun = yield from match(feed, _CALLED)
            if begun is None:
                break
            text = begun[0][:-1]
            feed.at += len(text)
        rest, ended = yield from balanced(feed, PYTHON)
        calls = literal_calls.read_python(text + rest) if ended else None
        if calls is None:
            raise BrokenError("the call is no Python with literals for named arguments, or has no end")
        for call in calls:
            yield CallBegun(call.name, "")
            yield ArgumentsPiece("", str(call.arguments))
        found += calls
        if ready.form.place in ("start", "whole") or (ready.form.peek and not ready.form.close):
            break
    return found


def _read_braces(feed: Feed, ready: ReadyCall, name: str, id: str) -> Reading[list[Found]]:
    yield CallBegun(name, id)
    arguments = None
    if (yield from skip_space(feed)) == "{":
        text, ended = yield from balanced(feed, literal_calls.brace_syntax(ready.form.quote))
        arguments = literal_calls.read_braces(text, ready.form.quote) if ended else None
    if arguments is None:
        raise BrokenError(f"the arguments of {name!r} are not written as {{key:value}}, or have no end")
    yield ArgumentsPiece("", arguments)
    return [Found(name, arguments, id)]


def read_closed(ready: ReadyCall, body: str, name: str, id: str) -> list[Found] | None:
    """Read elements, or words, between two markers; None where they are neither."""
    if ready.form.content == "elements":
        return literal_calls.read_elements(body, name, id, prefix=ready.form.prefix)
    found = literal_calls.read_words(body)
    return None if found is None else [found]


def is_begun(ready: ReadyCall, body: str, found: list[Found] | None) -> bool:
    """Tell whether a text without a closing marker began a call: by arguments or an element, not by a name
    alone.
    """
    if ready.form.content == "elements":
        return literal_calls.begins_element(body, prefix=ready.form.prefix)
    return any(one.arguments not in ("{}", {}) for one in found or ())


def read_bare(ready: ReadyCall, value: str) -> list[Found] | None:
    """Read the calls of a value without markers; None where it is no call."""
    if ready.form.content == "json-calls":
        return json_calls.calls(value, ready.form, strict=True)
    return literal_calls.read_python(value)


def has_head(ready: ReadyCall, text: str) -> bool:
    """Tell whether a text begins with a JSON call's name and arguments, or with a list of such calls. Of a
    bare form it may end behind the key of the name.
    """
    start = len(text) - len(text.lstrip("[ \t\r\n"))
    cut = ready.form.bare and text.count('"') > 2
    return any(head.whole.match(text, start) or (cut and head.begun(text, start)) for head in ready.heads)


def _open_fence(feed: Feed) -> Reading[bool]:
    if (yield from skip_space(feed)) != "`":
        return False
    for fence in _FENCES:
        if (yield from match(feed, fence)) is not None:
            feed.at += len(fence.literal)
            return True
    return False


def _close_fence(feed: Feed, fence: bool) -> Reading[None]:
    if fence and (yield from skip_space(feed)) == "`":
        end = yield from ahead(feed, _FENCE_END)  # may move what has arrived: `feed.at` is read after it
        feed.at += len(end)


CONTENTS = {
    "json-calls": _read_json_calls,
    "json-arguments": _read_json_arguments,
    "parameters": _read_parameters,
    "python": _read_python,
    "braces": _read_braces,
}
