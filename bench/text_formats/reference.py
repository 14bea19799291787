"""What a text asks for, read by regular expressions, `json` and `ast`: a second opinion on well-formed texts.

It shares no code and no data with the parser that it judges. It reads calls that are whole and exactly in a
form of a vendor's; at the first that is not it stops, and says that the text is broken there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

NAME = r"(?P<name>[A-Za-z_][\w.-]*)"


class Asked(Struct, frozen=True):
    """What a text asks for.

    Attributes:
        calls: names and arguments. The arguments are None where they are not known.
        broken: whether a call begins in the text that is not whole, or in no known form.
        bare: whether the calls, or the broken one, stand without any mark.
    """

    calls: tuple[tuple[str, Any], ...] = ()
    broken: bool = False
    bare: bool = False


Read = Callable[[str, re.Match[str]], "tuple[list[tuple[str, Any]], int] | None"]
"""Reads the calls behind a marker: the calls, and where they end; None where they are not whole."""
_JSON = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,;]*")
_FENCE = re.compile(r"\s*```(?:json)?\s*")


def read(text: str) -> Asked:
    """Read a text.

    Args:
        text: a model's answer.
    """
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "", text, flags=re.DOTALL).rpartition("</think>")[2]
    if (bare := _bare(text)) is not None:
        return Asked(tuple(bare), bare=True)
    if _BARE_HEAD.match(text) or _LIST_HEAD.search(text):
        return Asked(broken=True, bare=True)
    calls: list[tuple[str, Any]] = []
    at = 0
    while True:
        found = [(match, reader) for form, reader in FORMS if (match := form.search(text, at))]
        if not found:
            return Asked(tuple(calls), broken=bool(_MARKS.search(text, at)))
        first = min(match.start() for match, _ in found)
        for match, reader in found:
            if match.start() == first and (result := reader(text, match)) is not None:
                calls += result[0]
                at = result[1]
                break
        else:
            return Asked(tuple(calls), broken=True)


def _value(text: str, at: int) -> tuple[Any, int] | None:
    try:
        value, end = _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return value, end


def _json_calls(text: str, match: re.Match[str]) -> tuple[list[tuple[str, Any]], int] | None:
    """JSON objects that name their tools, one after the other or in lists."""
    calls: list[tuple[str, Any]] = []
    fence = _FENCE.match(text, match.end())
    at = match.end() if fence is None else fence.end()
    while text[(at := _end(_BETWEEN, text, at)) : at + 1] in ("{", "["):
        found = _value(text, at)
        several = None if found is None else _named(found[0])
        if found is None or several is None:
            return None
        calls += several
        at = found[1]
    return (calls, at) if calls else None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _named(value: Any) -> list[tuple[str, Any]] | None:
    """The calls that a JSON value states."""
    if isinstance(value, list):
        several = [_named(each) for each in value]
        return None if None in several else [call for each in several for call in each or ()]
    if not isinstance(value, dict):
        return None
    name = next((value[key] for key in ("name", "tool_name") if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in ("arguments", "parameters") if key in value), None)
    if arguments is None and name and (value.keys() <= {"name", "id"} or "parameters" in value):
        arguments = {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    return [(name, arguments)] if name and isinstance(arguments, dict) else None


def _json_arguments(text: str, match: re.Match[str]) -> tuple[list[tuple[str, Any]], int] | None:
    """One JSON object behind the name, in a fence or not."""
    fence = _FENCE.match(text, match.end())
    at = match.end() if fence is None else fence.end()
    found = _value(text, _end(_BETWEEN, text, at))
    return (
        None if found is None or not isinstance(found[0], dict) else ([(match["name"], found[0])], found[1])
    )


def _pairs(close: str, pair: str) -> Read:
    """Marked values up to a closing marker; `pair` has the groups `key` and `value`."""
    pattern = re.compile(rf"\s*{pair}\s*", re.DOTALL)
    end = re.compile(rf"\s*{close}")

    def read_pairs(text: str, match: re.Match[str]) -> tuple[list[tuple[str, Any]], int] | None:
        at, arguments = match.end(), {}
        while (found := pattern.match(text, at)) is not None:
            value = found["value"]
            if found.groupdict().get("typed") == "false":
                value = json.loads(value)
            arguments[found["key"].strip()] = value
            at = found.end()
        closed = end.match(text, at)
        return None if closed is None else ([(match["name"], arguments)], closed.end())

    return read_pairs


def _python(text: str, match: re.Match[str]) -> tuple[list[tuple[str, Any]], int] | None:
    """One call in Python, or a list of them, with literals."""
    start = match.end()
    for found in re.finditer(r"[\])]", text[start:]):
        try:
            tree = ast.parse(text[start : start + found.end()], mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            continue
        several = tree.elts if isinstance(tree, ast.List) else [tree]
        calls = [_called(each) for each in several]
        known = [each for each in calls if each is not None]
        return (known, start + found.end()) if known and len(known) == len(several) else None
    return None


def _called(tree: ast.expr) -> tuple[str, Any] | None:
    if not isinstance(tree, ast.Call) or tree.args:
        return None
    try:
        return ast.unparse(tree.func), {str(one.arg): ast.literal_eval(one.value) for one in tree.keywords}
    except ValueError:
        return None


def _braces(text: str, match: re.Match[str]) -> tuple[list[tuple[str, Any]], int] | None:
    """`{key:value}` with strings between `<|"|>`."""
    end = re.compile(r"\}\s*(?:<tool_call\|>|(?=call:)|\Z)").search(text, match.end())
    if end is None:
        return None
    pieces = text[match.end() - 1 : end.start() + 1].split('<|"|>')
    words = [
        json.dumps(piece) if at % 2 else re.sub(r"([{,]\s*)([\w-]+)\s*:", r'\1"\2":', piece)
        for at, piece in enumerate(pieces)
    ]
    try:
        return [(match["name"], json.loads("".join(words)))], end.end()
    except ValueError:
        return None


_BARE_HEAD = re.compile(r"\s*\[?\s*\{\s*\"name\"")
"""How JSON begins that is a call; not the whole of one is broken."""
_LIST_HEAD = re.compile(r"(?<![\w>\]])\[[A-Za-z_][\w.]*\(\s*[A-Za-z_]\w*\s*=(?!=)")
"""How a list of Python calls begins."""
_LIST = re.compile(r"(?<![\w>\]])(?=\[[A-Za-z_][\w.]*\()")


_GEMMA = re.compile(rf"(?<![\w>])call:{NAME}\{{")


def _bare(text: str) -> list[tuple[str, Any]] | None:
    """The calls of JSON that a text begins with, or of lists of Python calls, or Gemma's, anywhere in it."""
    begin = len(text) - len(text.lstrip())
    if (found := _value(text, begin)) is not None and (named := _named(found[0])) is not None:
        return named
    form, reader = (_GEMMA, _braces) if _GEMMA.search(text) else (_LIST, _python)
    calls: list[tuple[str, Any]] = []
    at = 0
    while (match := form.search(text, at)) is not None:
        found = reader(text, match)
        if found is None:
            return None
        calls += found[0]
        at = found[1]
    return calls or None


_AFTER_TAG = r"(?:<tool_call>|<\|python_tag\|>|<\|tool_call_start\|>|<\|START_ACTION\|>)\s*(?=[\[{]\s*[\"{])"
_KIMI = rf"<\|tool_call_begin\|>\s*(?:functions\.)?{NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>"
_DEEPSEEK = rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{NAME}(?:<｜tool▁sep｜>|\s*(?=```))"
_DSML_PAIR = r"<｜DSML｜parameter name=\"{}\" string=\"(?P<typed>\w+)\">{}</｜DSML｜parameter>"
_KEY, _VALUE = r"(?P<key>[^>\"']+)", r"(?P<value>.*?)"


def _form(marker: str, reader: Read) -> tuple[re.Pattern[str], Read]:
    return re.compile(marker), reader


def _tags(prefix: str, attribute: str, quote: str, pair: str = "") -> tuple[re.Pattern[str], Read]:
    """`<invoke name="…"><parameter name="…">…</parameter></invoke>`, and what is written like it."""
    element, _, sign = attribute.partition(" ")
    opening = rf"<{prefix}{element}{' ' if sign else ''}{sign or ''}={quote}{NAME}{quote}>"
    pair = (
        pair
        or rf"<{prefix}parameter{' ' if sign else ''}{sign or ''}={quote}{{}}{quote}>{{}}</{prefix}parameter>"
    )
    return _form(opening, _pairs(rf"</{prefix}{element}>", pair.format(_KEY, _VALUE)))


FORMS: tuple[tuple[re.Pattern[str], Read], ...] = (
    _form(r"\[TOOL_CALLS\]\s*(?=[\[{])", _json_calls),
    _form(rf"\[TOOL_CALLS\]\s*{NAME}(?:\[ARGS\])?\s*(?=\{{)", _json_arguments),
    _form(_AFTER_TAG, _json_calls),
    _form(r"function call<\|role_sep\|>\s*(?=\{)", _json_calls),
    _form(_KIMI, _json_arguments),
    _form(_DEEPSEEK, _json_arguments),
    _form(rf"to=functions\.{NAME}[^{{]*?<\|message\|>", _json_arguments),
    _form(rf"<function={NAME}>\s*(?=\{{)", _json_arguments),
    _form(rf"<｜DSML｜invoke name=\"{NAME}\">\s*(?=\{{)", _json_arguments),
    _tags("", "function", ""),
    _tags("", "invoke name", "[\"']"),
    _tags("steptml:", "invoke name", '"'),
    _tags("｜DSML｜", "invoke name", '"', _DSML_PAIR),
    _form(
        rf"<tool_call>\s*{NAME}\s*(?=<)",
        _pairs("</tool_call>", rf"<arg_key>{_KEY}</arg_key>\s*<arg_value>{_VALUE}</arg_value>"),
    ),
    _form(rf"<\|tool_call>call:{NAME}\{{", _braces),
    _form(r"(?:<\|tool_call_start\|>|<\|python_start\|>)(?=\[\w+\()", _python),
    _form(r"```tool_code\n(?=\w+\()", _python),
)
"""Markers, each with what reads behind it. Of two that begin at one place the first counts."""
_MARKS = re.compile(
    r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call(?:_start|_begin)?\|>|<\|START_ACTION\|>|"
    r"function call<\|role_sep\||<｜tool▁call▁begin|<｜tool_call_begin|<｜DSML｜invoke|<function=|<invoke|"
    r"<steptml:invoke|to=functions"
)
"""What begins a call of some form."""
