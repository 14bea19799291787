"""`tool(key="v", n=1)`: calls written as Python writes them, read without Python."""

import re

import msgspec

from .marks import NAME, Source
from .parsed_text import Found

HEAD = re.compile(rf"\s*({NAME})\(")
_KEY = re.compile(r"\s*([A-Za-z_]\w{0,127})\s*=(?!=)")
_PIECE = re.compile(
    r"""\s*+(?:(?P<double>"(?:[^"\\]++|\\.)*+")|(?P<single>'(?:[^'\\]++|\\.)*+')"""
    r"""|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]))"""
    r"""|(?P<word>True|False|None|true|false|null)\b|(?P<mark>[\[\]{}:,)]))""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


def read(source: Source, start: int) -> tuple[Found, int] | None:
    """One call from `start`, and its end. None where it is not written so: positional arguments, names of
    variables and expressions have no meaning here."""
    head = source.match(HEAD, start)
    if head is None:
        return None
    at = head.end()
    out: list[str] = []
    keys: set[str] = set()
    while True:
        key = source.match(_KEY, at)
        if key is None:
            break
        if key[1] in keys:
            return None
        keys.add(key[1])
        value = _value(source, key.end())
        if value is None:
            return None
        json, at = value
        out.append(f'"{key[1]}":{json}')
        piece = source.match(_PIECE, at)
        if piece is None or piece["mark"] not in (",", ")"):
            return None
        if piece["mark"] == ")":
            at = piece.start("mark")
            break
        at = piece.end()
    end = source.match(_PIECE, at)
    if end is None or end["mark"] != ")":
        return None
    arguments = "{" + ",".join(out) + "}"
    try:
        msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return Found(head[1], arguments, "function"), end.end()


def read_list(source: Source, start: int) -> tuple[list[Found], int] | None:
    """`[a(), b(k=1)]`: calls in brackets."""
    at, found = start + 1, list[Found]()
    while True:
        one = read(source, at)
        if one is None:
            return None
        found.append(one[0])
        piece = source.match(_PIECE, one[1])
        if piece is None:
            return None
        at = piece.end()
        if piece["mark"] == "]":
            return found, at
        if piece["mark"] != ",":
            return None


def _value(source: Source, start: int) -> tuple[str, int] | None:
    """The JSON text of the literal at `start`; msgspec checks whether it is well formed."""
    out: list[str] = []
    at, depth = start, 0
    while True:
        piece = source.match(_PIECE, at)
        if piece is None:
            source.steps += len(source.text) - at if source.text[at : at + 2].strip()[:1] in "\"'" else 0
            return None
        at = piece.end()
        mark = piece["mark"]
        if mark is not None:
            if mark in "[{":
                depth += 1
            elif mark in "]}":
                depth -= 1
            if depth < 0 or mark == ")" or (depth == 0 and mark in ",:"):
                return None
            if mark in "]}" and out and out[-1] == ",":
                out.pop()
            out.append(mark)
        elif piece["word"] is not None:
            out.append(_WORDS.get(piece["word"], piece["word"]))
        elif piece["number"] is not None:
            out.append(piece["number"])
        else:
            out.append(_quoted((piece["double"] or piece["single"])[1:-1]))
        if depth == 0:
            return "".join(out), at


def unescape(text: str) -> str:
    """The value of a quoted string. An unknown escape stays as it is."""
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _quoted(inner: str) -> str:
    try:
        return msgspec.json.encode(unescape(inner)).decode()
    except UnicodeError:
        return '"'  # half a surrogate pair: no JSON, and so refused


def _escape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    if code in "\\'\"/":
        return code
    return _PLAIN.get(code, found[0])
