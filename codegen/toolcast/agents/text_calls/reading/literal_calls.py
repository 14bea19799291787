"""Calls in other forms than JSON.

The arguments of Python's `tool(key="v")` and Gemma's `{key:value}` become JSON; the values of words, as in
`tool>value`, and of elements are text.
"""

import re
from functools import cache
from typing import Any

import msgspec

from ....jsonschema.json_values import JsonObject
from ....runtime.unicode_text import is_encodable
from ....text_formats.text_format import NAME
from ..parsed_text import Found
from .feed import Syntax
from .json_calls import is_json

_PYTHON_HEAD = re.compile(rf"\s*({NAME})\(")
_PYTHON_KEY = re.compile(r"\s*([^\W\d]\w{0,127})\s*=(?!=)")
_PIECE = re.compile(
    r"""\s*+(?:(?P<double>"(?:[^"\\]++|\\.)*+")|(?P<single>'(?:[^'\\]++|\\.)*+')"""
    r"""|(?P<number>[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]))"""
    r"""|(?P<word>True|False|None|true|false|null)\b|(?P<mark>[()\[\]{}:,]))""",
    re.DOTALL,
)
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_LITERAL_ESCAPE = re.compile(r"\\(U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_JSON_TEXT = re.compile(r'(?:[^"\\\x00-\x1f\ud800-\udfff]++|\\[ntr"\\])*+')
"""Matches text between quotes that means the same in JSON."""
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SET_ITEM = '"-0123456789'
"""Characters that begin an item of a set: a text or a number. A set has each value once."""


def read_python(text: str) -> list[Found] | None:
    """Read one call, or a list of calls, as the whole text; None where an argument is no literal or has no
    name.
    """
    text = text.strip()
    listed = text[:1] == "["
    at = int(listed)
    found: list[Found] = []
    while True:
        one = _call(text, at)
        if one is None:
            return None
        found.append(one[0])
        at = one[1]
        if not listed:
            return found if at == len(text) else None
        piece = _PIECE.match(text, at)
        if piece is None or piece["mark"] not in (",", "]"):
            return None
        at = piece.end()
        if piece["mark"] == "," and text[at:].strip() == "]":
            at = len(text)
        elif piece["mark"] == ",":
            continue
        return found if at == len(text) else None


def _call(text: str, start: int) -> tuple[Found, int] | None:
    head = _PYTHON_HEAD.match(text, start)
    if head is None:
        return None
    at = head.end()
    out: list[str] = []
    keys: set[str] = set()
    while (key := _PYTHON_KEY.match(text, at)) is not None:
        if key[1] in keys:
            return None
        keys.add(key[1])
        value = _python_value(text, key.end())
        if value is None:
            return None
        json, at = value
        out.append(f'"{key[1]}":{json}')
        piece = _PIECE.match(text, at)
        if piece is None or piece["mark"] not in (",", ")"):
            return None
        if piece["mark"] == ")":
            at = piece.start("mark")
            break
        at = piece.end()
    end = _PIECE.match(text, at)
    if end is None or end["mark"] != ")":
        return None
    arguments = "{" + ",".join(out) + "}"
    return (Found(head[1], arguments), end.end()) if is_json(arguments) else None


class _Open:
    """An open bracket: its closing, where its items begin, and the marks between them so far."""

    __slots__ = ("begun", "closing", "colons", "commas")

    def __init__(self, opening: str, begun: int) -> None:
        self.closing = _CLOSING[opening]
        self.begun = begun
        self.commas = 0
        self.colons = 0


def _python_value(text: str, start: int) -> tuple[str, int] | None:
    """Return the literal at `start` as JSON, which msgspec judges, and its end."""
    out: list[str] = []
    at = start
    waiting: list[_Open] = []
    after_value = False  # whether a value ended here, so that no other may begin
    while True:
        piece = _PIECE.match(text, at)
        if piece is None:
            return None
        at = piece.end()
        mark = piece["mark"]
        if mark is None or mark in _CLOSING:
            if after_value:
                return None
            after_value = mark is None
            if mark is None:
                out.append(_scalar(piece))
            else:
                out.append("[" if mark == "(" else mark)
                waiting.append(_Open(mark, len(out)))
        elif not waiting:
            return None
        elif mark in ",:":
            waiting[-1].commas += mark == ","
            waiting[-1].colons += mark == ":"
            out.append(mark)
            after_value = False
        else:
            inner = waiting.pop()
            if inner.closing != mark or not _close_bracket(out, inner):
                return None
            after_value = True
        if not waiting:
            return "".join(out), at


def _close_bracket(out: list[str], inner: _Open) -> bool:
    """Write the end of a bracket; False for what is no list, tuple, set or object."""
    size = len(out) - inner.begun
    if size > 1 and out[-1] == ",":
        out.pop()
    if inner.closing == ")":
        out.append("]")
        return not size or inner.commas > 0  # parentheses without a comma are no tuple
    if inner.closing == "}" and size and not inner.colons:
        items = out[inner.begun :: 2]
        out[inner.begun - 1] = "["
        out.append("]")
        return len({*items}) == len(items) and all(item[0] in _SET_ITEM for item in items)
    out.append(inner.closing)
    return True


def _scalar(piece: re.Match[str]) -> str:
    if piece["word"] is not None:
        return _PYTHON_WORDS.get(piece["word"], piece["word"])
    if piece["number"] is not None:
        return piece["number"].removeprefix("+")
    return _quoted((piece["double"] or piece["single"])[1:-1])


def unescape(text: str) -> str:
    """Return the value of a quoted string. An unknown escape stays as it is."""
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _quoted(inner: str) -> str:
    if _JSON_TEXT.fullmatch(inner) is not None:
        return f'"{inner}"'
    try:
        text = _LITERAL_ESCAPE.sub(_literal_escape, inner) if "\\" in inner else inner
        if not text.isascii():  # JSON writes a character beyond U+FFFF as two escapes
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        return msgspec.json.encode(text).decode()
    except (ValueError, OverflowError):
        return '"'  # no character, or half a surrogate pair: no JSON, and so refused


def _literal_escape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "U":
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _CONTROLS.get(code) or _escape(found)


def _escape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    if code in "\\'\"/":
        return code
    return _PLAIN.get(code, found[0])


_BRACE_DEPTH = 32
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_BARE_WORD = re.compile(r"[^\W\d]\w*")
_NO_KEY = re.compile(r'[<>"]')
_GOES_ON_AS_KEY = re.compile(r"\s*:")


@cache
def brace_syntax(quote: str) -> Syntax:
    first = re.escape(quote[0])
    begun = "|".join(re.escape(quote[:size]) + r"\Z" for size in range(1, len(quote)))
    ahead = rf"(?!{re.escape(quote)}{'|' + begun if begun else ''})"
    rest = re.compile(rf"(?:[^{first}]++|{ahead}{first})*+")
    run = re.compile(rf"[^{first}{{}}\[\]]*+")
    return Syntax(opening=re.compile(r"[{\[]+"), closing="}]", run=run, strings={quote: rest})


@cache
def _brace_piece(quote: str) -> re.Pattern[str]:
    end, first = re.escape(quote), re.escape(quote[0])
    string = rf"{end}(?P<string>(?:[^{first}]++|(?!{end}){first})*+){end}"
    bare = rf"(?:[^{first}{{}}\[\],:]++|(?!{end}){first})++"
    return re.compile(rf"\s*+(?:(?P<mark>[{{}}\[\],:])|{string}|(?P<bare>{bare}))")


def read_braces(text: str, quote: str) -> str | None:
    """Return the arguments as JSON; None where the text is not written so."""
    if not is_encodable(text):
        return None
    piece, text = _brace_piece(quote), text.rstrip()
    out: list[str] = []
    keys: list[set[str]] = []  # of the brackets that are open
    at = 0
    while at < len(text):
        found = piece.match(text, at)
        if found is None:
            return None
        at = found.end()
        mark, is_key = found["mark"], _GOES_ON_AS_KEY.match(text, at) is not None
        if mark is None:
            word = found["string"] if found["bare"] is None else found["bare"].strip()
            if is_key and (not keys or word in keys[-1] or (found["bare"] and _NO_KEY.search(word))):
                return None
            if is_key:
                keys[-1].add(word)
            mark = _bare_json(word) if found["bare"] and not is_key else msgspec.json.encode(word).decode()
        elif mark in "{[":
            keys.append(set())
        elif mark in "}]":
            if not keys:
                return None
            keys.pop()
            if out[-1] == "," and out[-2] not in ("{", "["):
                out.pop()
        if len(keys) > _BRACE_DEPTH:
            return None
        out.append(mark)
    json = "".join(out)
    return json if is_json(json) else None


def _bare_json(word: str) -> str:
    """Return a word without quotes as JSON; no JSON for text that has no certain end."""
    if word in _PYTHON_WORDS:
        return _PYTHON_WORDS[word]
    if word in ("true", "false", "null") or _NUMBER.fullmatch(word) is not None:
        return word
    return f'"{word}"' if _BARE_WORD.fullmatch(word) is not None else "?"


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
