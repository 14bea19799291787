"""Calls whose values are text: words, as in `tool>value`, `tool key="v"` or `{tool => …}`, and elements."""

import re
from typing import Any

from ....jsonschema.json_values import JsonObject
from ..parsed_text import Found
from .json_calls import is_json
from .literal_calls import unescape
from .marker_patterns import NAME

_SHORT = re.compile(rf"({NAME})>")
_PATH = re.compile(r"([^\W\d][\w.-]{0,127})/([^\W\d][\w.-]{0,127})>")
_HEAD = re.compile(rf"({NAME})(?=[ \t]+[\w.-]+[ \t]*=[ \t]*[\"'])")
_ATTRIBUTE = re.compile(
    r"""\s*+,?+\s*+([\w.-]{1,128})[ \t]*=[ \t]*(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)')""", re.DOTALL
)
_LINE = re.compile(r"[ \t]*([A-Za-z_][\w.-]{0,127})[ \t]*:(?:[ \t]+(.*))?")
_NAME_ALONE = re.compile(NAME)
_CODE = re.compile(rf"({NAME})[ \t]*\r?\n\s*<code>(.*)</code>", re.DOTALL)
_GROUPS = ("arguments", "parameters", "args")
_IDS = ("id", "tool_call_id", "call_id")
_NAME_KEYS = ("name", "tool", "function")
_ARROW = re.compile(
    rf"\{{\s*tool\s*=>\s*[\"']?({NAME})[\"']?\s*,?\s*"
    r"(?:(?:args|arguments|parameters)\s*=>\s*(?P<args>\{)\s*)?"
)
_ARROW_PAIR = re.compile(
    r"""[\s,]*+(?:--)?([A-Za-z_][\w-]{0,127})\s*+(?:=>|=|:)?\s*+"""
    r"""(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'|([-+.\w]++))""",
    re.DOTALL,
)
_ARROW_END = re.compile(r"[\s,]*+\}")


def read_words(body: str) -> Found | None:
    """Read the one call between two markers; None where it is in no known form."""
    alone = body.strip("\r\n")  # prose has a word between blanks: see <a> and </a>
    body = body.strip()
    if body[:1] == "{":
        return _arrow(body)
    code = _CODE.fullmatch(body)
    if code is not None:
        return _code_values(code[1], code[2])
    if _PATH.match(body) is not None:
        return read_path(body)
    short = _SHORT.match(body)
    if short is not None:
        return _after(short[1], body[short.end() :].strip())
    head = _HEAD.match(body)
    if head is not None:
        arguments = _attributes(body[head.end() :])
        return None if arguments is None else Found(head[1], arguments, textual=True)
    if _NAME_ALONE.fullmatch(alone):
        return Found(alone, "{}")
    first, _, rest = body.partition("\n")
    name = first.strip().removesuffix(":")
    if rest and _NAME_ALONE.fullmatch(name):
        arguments = _lines(rest)
        return None if arguments is None else Found(name, arguments, textual=True)
    arguments = _lines(body)
    if arguments is None:
        return None
    key = next((key for key in _NAME_KEYS if arguments.get(key)), None)
    # Prose may well be a line with a colon: only lines that name a tool are a call.
    if key is None or not _NAME_ALONE.fullmatch(arguments[key]):
        return None
    named = arguments.pop(key)
    id = next((arguments.pop(key) for key in _IDS if key in arguments), "")
    return Found(named, arguments, id, textual=True)


def read_path(line: str) -> Found | None:
    """Read a line `tool/parameter>value`; None where it is none."""
    path = _PATH.match(line)
    value = "" if path is None else line[path.end() :].strip()
    if path is None or not value or "\n" in value:
        return None
    return Found(path[1], {path[2]: value}, textual=True)


def _code_values(name: str, body: str) -> Found | None:
    """Read `key>value` on each line."""
    found: dict[str, str] = {}
    for line in body.strip().splitlines():
        key, mark, value = line.partition(">")
        if not mark or not key.strip() or key.strip() in found:
            return None
        found[key.strip()] = value.strip()
    return Found(name, found, textual=True)


def _after(name: str, value: str) -> Found | None:
    if value[:1] == "{" and is_json(value):
        return Found(name, value)
    arguments = _attributes(value) if value else {}
    if arguments is not None:
        return Found(name, arguments, textual=True)
    arguments = _lines(value) if "\n" in value else None
    if arguments is not None:
        return Found(name, arguments, textual=True)
    return Found(name, value, textual=True)


def _attributes(text: str) -> dict[str, str] | None:
    """Read `a="1" b='2'`; None where anything else stands there, or a name twice."""
    found: dict[str, str] = {}
    at = 0
    text = text.strip()
    while at < len(text):
        one = _ATTRIBUTE.match(text, at)
        if one is None or one[1] in found:
            return None
        found[one[1]] = unescape(one[2] if one[2] is not None else one[3])
        at = one.end()
    return found


def _lines(text: str) -> dict[str, str] | None:
    """Read `key: value` on each line; None where a line is anything else, or a key stands twice."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        one = _LINE.fullmatch(line)
        if one is None or one[1] in found:
            return None
        value = (one[2] or "").strip()
        if not value and one[1] in _GROUPS:
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = unescape(value[1:-1])
        found[one[1]] = value
    return found or None


def _arrow(text: str) -> Found | None:
    """Read `{tool => "x", args => { --key "v" }}`."""
    head = _ARROW.match(text)
    if head is None:
        return None
    found: dict[str, str] = {}
    at = head.end()
    if head["args"] is not None:
        while (pair := _ARROW_PAIR.match(text, at)) is not None:
            if pair[1] in found:
                return None
            found[pair[1]] = unescape(next(part for part in pair.groups()[1:] if part is not None))
            at = pair.end()
        end = _ARROW_END.match(text, at)
        at = -1 if end is None else end.end()
    end = None if at < 0 else _ARROW_END.match(text, at)
    return Found(head[1], found, textual=True) if end is not None and not text[end.end() :].strip() else None


_ELEMENT = re.compile(r"<(?P<close>/?)(?P<name>[^\W\d][\w.-]{0,127})(?:\s[^<>]*)?(?P<empty>/?)>")
_THOUGHT = re.compile(r"\s*<(think|thinking)>.*?</\1>\s*", re.DOTALL)
_NAMES = ("name", "tool_name", "function", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_ELEMENT_DEPTH = 32

_Pair = tuple[str, Any]


def read_elements(text: str, name: str = "", id: str = "", *, prefix: str = "") -> list[Found] | None:
    """Read the calls between two markers; None for anything else: half of the arguments must not be carried
    out.

    Without `name` the elements name their tools. `prefix` stands before each tag; with it, white space around
    a value is the value's.
    """
    thought = _THOUGHT.match(text)
    roots = _elements(text[thought.end() :] if thought is not None else text, prefix)
    if roots is None:
        return None
    if name:
        value = _as_value(roots) if roots else {}
        return [Found(name, value, id, textual=True)] if isinstance(value, dict) else None
    return _element_calls(roots) if roots else None


def begins_element(text: str, *, prefix: str = "") -> bool:
    text = text.lstrip()
    found = _ELEMENT.match(text, len(prefix)) if text.startswith(prefix) else None
    return found is not None and not found["close"]


def _elements(text: str, prefix: str) -> list[_Pair] | None:
    """Read elements as names with texts or elements; None where one has no end, or words stand between."""
    roots: list[_Pair] = []
    stack: list[tuple[str, list[_Pair], int]] = []
    at = 0
    while True:
        begin = text.find(f"{prefix}<", at) if prefix else _next_tag(text, at)
        if begin < 0:
            return None if stack or text[at:].strip() else roots
        found = _ELEMENT.match(text, begin + len(prefix))
        if found is None:
            return None
        children = stack[-1][1] if stack else roots
        between = text[at:begin]
        if found["close"]:
            if not stack:
                return None
            name, inner, start = stack.pop()
            if found["name"] != name or (inner and between.strip()):
                return None
            value = text[start:begin]
            (stack[-1][1] if stack else roots).append((name, inner or (value if prefix else value.strip())))
        elif between.strip():
            return None  # text between elements would be lost
        elif found["empty"]:
            children.append((found["name"], ""))
        else:
            stack.append((found["name"], [], found.end()))
            if len(stack) > _ELEMENT_DEPTH:
                return None
        at = found.end()


def _next_tag(text: str, start: int) -> int:
    found = _ELEMENT.search(text, start)
    return -1 if found is None else found.start()


def _as_value(value: Any) -> Any:
    """Make an object of elements; a list of those of one name, and of those that are all called `item`."""
    if isinstance(value, str):
        return value
    if value and all(name == "item" for name, _ in value):
        return [_as_value(item) for _, item in value]
    made: JsonObject = {}
    several: set[str] = set()
    for name, item in value:
        plain = _as_value(item)
        if name not in made:
            made[name] = plain
        elif name in several:
            made[name].append(plain)
        else:
            several.add(name)
            made[name] = [made[name], plain]
    return made


def _element_calls(roots: list[_Pair]) -> list[Found] | None:
    """Read elements `<name>` and `<arguments>`, or elements that are named for tools."""
    named = dict(roots)
    name = next((named[key] for key in _NAMES if isinstance(named.get(key), str) and named[key]), None)
    if name is not None:
        if len(named) < len(roots) or not named.keys() <= {*_NAMES, *_ARGUMENTS, *_IDS}:
            return None
        parsed = next((named[key] for key in _ARGUMENTS if key in named), "")
        id = next((named[key] for key in _IDS if isinstance(named.get(key), str)), "")
        one = _element_call(name, parsed, id)
        return None if one is None else [one]
    found = [_element_call(name, value, "") for name, value in roots]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def _element_call(name: str, parsed: object, id: str) -> Found | None:
    if isinstance(parsed, str):
        arguments = parsed or "{}"
        return Found(name, arguments, id) if arguments[:1] == "{" and is_json(arguments) else None
    value = _as_value(parsed)
    return Found(name, value, id, textual=True) if isinstance(value, dict) else None
