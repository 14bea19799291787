"""Calls and arguments in other literals than JSON's, as JSON: `tool(key="v", n=1)`, read without Python, and
Gemma's `{key:value}`, with strings between a marker of their own.
"""

import re
from functools import cache

import msgspec

from ....runtime.unicode_text import is_encodable
from ..parsed_text import Found
from .feed import Syntax
from .json_calls import is_json
from .marker_patterns import NAME

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
    return Syntax(opening="{[", closing="}]", run=re.compile(rf"[^{first}{{}}\[\]]*+"), strings={quote: rest})


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
