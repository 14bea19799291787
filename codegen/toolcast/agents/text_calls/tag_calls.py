"""Arguments between tags. All of their values are text."""

import re
from typing import Any

from . import json_calls
from .marks import ALIASES, CLOSER, NAME, Source
from .parsed_text import BrokenError, Found, Read

_PARAMETER = re.compile(
    r"""\s*<(?P<end>(?:｜DSML｜)?parameter)(?:=\"?(?P<bare>[^<>"]{1,256}?)\"?"""
    r"""|\s[^<>]{0,256}?\bname\s{0,8}=\s{0,8}(?P<quote>["'])(?P<name>[^<>]{1,256}?)(?P=quote)[^<>]{0,256}?)\s*>"""
)
_NEXT = re.compile(rf"<(?P<more>(?:｜DSML｜)?parameter[\s=])|</?(?:{ALIASES}|function\b)")
_PAIR = re.compile(r"(?:\\n|\s)*<arg_key>")
_PAIR_VALUE = re.compile(r"(?:\\n|\s)*<arg_value>")
_PAIR_HEAD = re.compile(rf"\s*({NAME})(?:\\n|\s)*(?=<arg_key>)")
_ELEMENT = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z_][\w.-]{0,127})(?:\s[^<>]*)?(?P<empty>/?)>")
_CODE_HEAD = re.compile(rf"\s*({NAME})[ \t]*\r?\n\s*(?=<code>)")
_INSIDE = ("<parameter=", "<parameter name=", "<｜DSML｜parameter ")
_NAMES = ("name", "tool_name", "function", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_IDS = ("id", "tool_call_id", "call_id")
_BLOCK = re.compile(rf"</?(?:{ALIASES}|function\b|FunctionCall>)|<tool_result\b")
MAX_DEPTH = 32

Pair = tuple[str, Any]


def parameters(source: Source, start: int) -> tuple[dict[str, str] | None, int]:
    """`<parameter name="k">v</parameter>`, or `<parameter=k>`, from `start`; None where there is none.

    Raises BrokenError where a value has no end: half a value must not be carried out.
    """
    found: dict[str, str] = {}
    at = start
    while (head := source.match(_PARAMETER, at)) is not None:
        key, begin = (head["name"] or head["bare"]).strip(), head.end()
        mark = f"</{head['end']}>"
        end = source.find(mark, begin)
        if end < 0:
            closer = source.search(CLOSER, begin)
            if closer is None:
                raise BrokenError(f"the value of parameter {key!r} has no end")
            end, mark = closer.start(), ""
        value = source.text[begin:end]
        at = end + len(mark)
        if any(inside in value for inside in _INSIDE):
            raise BrokenError(f"the value of parameter {key!r} has no end before the next parameter")
        if key in found:
            raise BrokenError(f"parameter {key!r} is given twice")
        found[key] = trimmed(value)
    if at == start:
        return None, start
    more = source.search(_NEXT, at)
    if more is not None and more["more"] is not None:
        raise BrokenError("words stand between two parameters")
    return found, at


def trimmed(value: str) -> str:
    """A value without the line breaks that only set it apart from its tags."""
    value = value.removeprefix("\r\n").removeprefix("\n")
    return value.removesuffix("\n").removesuffix("\r")


def pairs(source: Source, start: int) -> tuple[Found, int] | None:
    """`tool<arg_key>k</arg_key><arg_value>v</arg_value>` from `start`; None where it is not written so."""
    head = source.match(_PAIR_HEAD, start)
    if head is None:
        return None
    found: dict[str, str] = {}
    at = head.end()
    while (opening := source.match(_PAIR, at)) is not None:
        key, at = _until(source, "</arg_key>", opening.end(), "an argument's name")
        value = source.match(_PAIR_VALUE, at)
        if value is None:
            raise BrokenError(f"argument {key.strip()!r} has no <arg_value>")
        found[key.strip()], at = _until(source, "</arg_value>", value.end(), f"the value of {key.strip()!r}")
    return Found(head[1], found, "pairs", textual=True), at


def _until(source: Source, mark: str, start: int, what: str) -> tuple[str, int]:
    end = source.find(mark, start)
    if end < 0:
        raise BrokenError(f"{what} has no end")
    return source.text[start:end], end + len(mark)


def elements(source: Source, start: int) -> tuple[list[Pair], int] | None:
    """The elements that follow each other from `start`: names, and texts or lists of elements.

    None where there is none, or one has no end: half of the arguments must not be carried out.
    """
    roots: list[Pair] = []
    at = start
    while True:
        while source.text[at : at + 1].isspace():
            at += 1
        if source.match(_BLOCK, at) is not None or source.match(_ELEMENT, at) is None:
            return (roots, at) if roots else None
        one = _element(source, at)
        if one is None:
            return None
        roots.append(one[0])
        at = one[1]


def _element(source: Source, start: int) -> tuple[Pair, int] | None:
    stack: list[tuple[str, list[Pair], int]] = []
    at = start
    while True:
        found = source.match(_ELEMENT, at) if not stack else source.search(_ELEMENT, at)
        if found is None or (not stack and found["close"]):
            return None
        if stack and not found["close"] and source.text[at : found.start()].strip():
            return None  # text between elements would be lost
        if found["close"]:
            name, children, begin = stack.pop()
            if found["name"] != name:
                return None
            if children and source.text[at : found.start()].strip():
                return None
            value = children or source.text[begin : found.start()].strip()
            done = (name, value)
        elif found["empty"]:
            done = (found["name"], "")
        else:
            stack.append((found["name"], [], found.end()))
            at = found.end()
            if len(stack) > MAX_DEPTH:
                return None
            continue
        at = found.end()
        if not stack:
            return done, at
        stack[-1][1].append(done)


def as_value(value: Any) -> Any:
    """Elements as an object; those of one name as a list."""
    if isinstance(value, str):
        return value
    made: dict[str, Any] = {}
    several: set[str] = set()
    for name, item in value:
        plain = as_value(item)
        if name not in made:
            made[name] = plain
        elif name in several:
            made[name].append(plain)
        else:
            several.add(name)
            made[name] = [made[name], plain]
    return made


def calls(roots: list[Pair]) -> list[Found] | None:
    """Elements without a name around them: `<name>`, `<arguments>`; or elements that are named for tools."""
    named = dict(roots)
    name = next((named[key] for key in _NAMES if isinstance(named.get(key), str) and named[key]), None)
    if name is not None:
        parsed = next((named[key] for key in _ARGUMENTS if key in named), "")
        id = next((named[key] for key in _IDS if isinstance(named.get(key), str)), "")
        return [_found(name, parsed, id)]
    if any(isinstance(value, str) and value and value[:1] != "{" for _, value in roots):
        return None
    return [_found(name, value, "") for name, value in roots]


def _found(name: str, parsed: Any, id: str) -> Found:
    if isinstance(parsed, str):
        return Found(name, parsed if parsed else "{}", "json", id)
    return Found(name, as_value(parsed), "xml", id, textual=True)


def code_values(source: Source, start: int) -> Read | None:
    """`tool` and `<code>key>value</code>`, as `<FunctionCall>` has it."""
    head = source.match(_CODE_HEAD, start)
    if head is None:
        return None
    body, end = _until(source, "</code>", head.end() + len("<code>"), "the <code> block")
    found: dict[str, str] = {}
    for line in body.strip().splitlines():
        key, mark, value = line.partition(">")
        if not mark or not key.strip():
            raise BrokenError("a line of the <code> block is not written key>value")
        found[key.strip()] = value.strip()
    return [Found(head[1], found, "lines", textual=True)], end


def arguments(name: str, source: Source, start: int, id: str) -> tuple[Found, int] | None:
    """What a block whose tag has the tool's name may hold: parameters, JSON, or elements."""
    parsed, at = parameters(source, start)
    if parsed is not None:
        return Found(name, parsed, "invoke", id, textual=True), at
    space = start
    while source.text[space : space + 1].isspace():
        space += 1
    first = source.text[space : space + 1]
    if first == "{":
        values, at = json_calls.series(source, space)
        if len(values) > 1 or not json_calls.is_json(values[0]):
            raise BrokenError(f"the arguments of {name!r} are not one JSON object")
        return Found(name, values[0], "json", id), at
    if first == "<" and source.text[space + 1 : space + 2] != "/":
        roots = elements(source, space)
        if roots is not None:
            return Found(name, as_value(roots[0]), "xml", id, textual=True), roots[1]
    return None
