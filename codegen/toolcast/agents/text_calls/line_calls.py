"""Calls in words: `tool>value`, `tool key="v"`, `key: value` on lines, and `TOOL_CALL{tool => …}`."""

import re

from . import json_calls
from .marks import NAME, Source
from .parsed_text import BrokenError, Found
from .python_calls import unescape

_SHORT = re.compile(rf"({NAME})>")
BEGUN = re.compile(
    r"(?:name|tool|function)[ \t]*:[ \t]"
    rf"|{NAME}(?:>|\(|[ \t]+[\w.-]+[ \t]*=[ \t]*[\"']|[ \t]*\r?\n[ \t]*[\w.-]+:)"
)
"""How a call in words begins."""
_HEAD = re.compile(rf"({NAME})(?=[ \t]+[\w.-]+[ \t]*=[ \t]*[\"'])")
_ATTRIBUTE = re.compile(
    r"""\s*+,?+\s*+([\w.-]{1,128})[ \t]*=[ \t]*(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)')""", re.DOTALL
)
_LINE = re.compile(r"[ \t]*([A-Za-z_][\w.-]{0,127})[ \t]*:(?:[ \t]+(.*))?")
_BARE = re.compile(rf"{NAME}")
_GROUPS = ("arguments", "parameters", "args")
_NAMES = ("name", "tool", "function")
_ARROW = re.compile(
    rf"\s*\{{\s*tool\s*=>\s*[\"']?({NAME})[\"']?\s*,?\s*"
    r"(?:(?:args|arguments|parameters)\s*=>\s*(?P<args>\{)\s*)?"
)
_ARROW_PAIR = re.compile(
    r"""[\s,]*+(?:--)?([A-Za-z_][\w-]{0,127})\s*+(?:=>|=|:)?\s*+"""
    r"""(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'|([-+.\w]++))""",
    re.DOTALL,
)
_ARROW_END = re.compile(r"[\s,]*+\}")


def read(body: str, *, closed: bool, bare: bool) -> Found | None:
    """The one call of a body that is neither JSON nor tag_calls.

    `closed` says that the block has its closing mark: without one a value may be cut short, so only what
    shows its own end counts. `bare` lets a name alone be a call.
    """
    body = body.strip()
    short = _SHORT.match(body)
    if short is not None:
        return _after(short[1], body[short.end() :].strip(), closed=closed)
    head = _HEAD.match(body)
    if head is not None:
        arguments = _attributes(body[head.end() :])
        return None if arguments is None else Found(head[1], arguments, "attributes", textual=True)
    if not closed:
        return None
    if bare and _BARE.fullmatch(body):
        return Found(body, "{}", "json")
    first, _, rest = body.partition("\n")
    name = first.strip().removesuffix(":")
    if rest and _BARE.fullmatch(name):
        arguments = _lines(rest)
        return None if arguments is None else Found(name, arguments, "lines", textual=True)
    arguments = _lines(body)
    if arguments is None:
        return None
    key = next((key for key in _NAMES if arguments.get(key)), None)
    # Prose may well be a line with a colon: only lines that name a tool are a call.
    if key is None or not _BARE.fullmatch(arguments[key]):
        return None
    named = arguments.pop(key)
    id = next((arguments.pop(key) for key in ("id", "tool_call_id", "call_id") if key in arguments), "")
    return Found(named, arguments, "lines", id, textual=True)


def _after(name: str, value: str, *, closed: bool) -> Found | None:
    """What stands after `tool>`."""
    if value[:1] == "{" and json_calls.is_json(value):
        return Found(name, value, "json")
    arguments = _attributes(value) if value else {}
    if arguments is not None:
        return Found(name, arguments, "attributes", textual=True) if arguments or closed else None
    if not closed:
        return None
    arguments = _lines(value) if "\n" in value else None
    if arguments is not None:
        return Found(name, arguments, "lines", textual=True)
    return Found(name, value, "short", textual=True)


def _attributes(text: str) -> dict[str, str] | None:
    """`a="1" b='2'`; None where anything else stands there, or a name twice."""
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
    """`key: value` on each line; None where a line is anything else, or a key stands twice."""
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


def arrow(source: Source, start: int) -> tuple[Found, int] | None:
    """`{tool => "x", args => { --key "v" }}` from `start`; None for other braces. Raises BrokenError."""
    head = source.match(_ARROW, start)
    if head is None:
        return None
    found: dict[str, str] = {}
    at = head.end()
    if head["args"] is not None:
        while (pair := source.match(_ARROW_PAIR, at)) is not None:
            value = next(part for part in pair.groups()[1:] if part is not None)
            if pair[1] in found:
                raise BrokenError(f"argument {pair[1]!r} is given twice")
            found[pair[1]] = unescape(value)
            at = pair.end()
        end = source.match(_ARROW_END, at)
        if end is None:
            raise BrokenError(f"the arguments of {head[1]!r} have no end")
        at = end.end()
    end = source.match(_ARROW_END, at)
    if end is None:
        raise BrokenError(f"the call of {head[1]!r} has no end")
    return (Found(head[1], found, "arrow", textual=True), end.end())
