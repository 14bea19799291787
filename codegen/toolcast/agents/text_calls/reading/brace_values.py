"""`{key:value}` as Gemma writes arguments: keys without quotes, strings between a marker of their own."""

import re
from functools import cache

import msgspec

from .feed import Syntax
from .json_calls import is_json

MAX_DEPTH = 32
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?\Z")
_BARE = re.compile(r"[^\W\d]\w*\Z")
_WORDS = {"true": "true", "false": "false", "null": "null", "None": "null", "True": "true", "False": "false"}


@cache
def syntax(quote: str) -> Syntax:
    """What may stand between braces whose strings are enclosed by `quote`."""
    first = re.escape(quote[0])
    begun = "|".join(re.escape(quote[:size]) + r"\Z" for size in range(1, len(quote)))
    ahead = rf"(?!{re.escape(quote)}{'|' + begun if begun else ''})"
    rest = re.compile(rf"(?:[^{first}]++|{ahead}{first})*+")
    return Syntax(opening="{[", closing="}]", run=re.compile(rf"[^{first}{{}}\[\]]*+"), strings={quote: rest})


def read(text: str, quote: str) -> str | None:
    """The arguments as JSON; None where the text is not written so."""
    try:
        json, end = _object(text, 0, quote, 0)
    except (ValueError, RecursionError):
        return None
    return json if end == len(text) and is_json(json) else None


def _object(text: str, start: int, quote: str, depth: int) -> tuple[str, int]:
    """Raises ValueError where it is not written so."""
    out: list[str] = []
    keys: set[str] = set()
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        key, at = _key(text, at, quote)
        if key in keys:
            raise ValueError(key)
        keys.add(key)
        value, at = _value(text, _skip(text, at), quote, depth + 1)
        out.append(f"{msgspec.json.encode(key).decode()}:{value}")
        at = _separated(text, at, "}")
    return "{" + ",".join(out) + "}", at + 1


def _array(text: str, start: int, quote: str, depth: int) -> tuple[str, int]:
    out: list[str] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        value, at = _value(text, at, quote, depth + 1)
        out.append(value)
        at = _separated(text, at, "]")
    return "[" + ",".join(out) + "]", at + 1


def _separated(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise ValueError(text[at : at + 1])
    return at


def _key(text: str, at: int, quote: str) -> tuple[str, int]:
    if text.startswith(quote, at):
        key, at = _string(text, at, quote)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError(key)
        return key, at + 1
    end = text.find(":", at)
    key = text[at:end].strip()
    if end < 0 or not key or any(mark in key for mark in '{}[],<>"'):
        raise ValueError(key)
    return key, end + 1


def _value(text: str, at: int, quote: str, depth: int) -> tuple[str, int]:
    if depth > MAX_DEPTH:
        raise ValueError(depth)
    if text.startswith(quote, at):
        value, at = _string(text, at, quote)
        return msgspec.json.encode(value).decode(), at
    if text[at : at + 1] == "{":
        return _object(text, at, quote, depth)
    if text[at : at + 1] == "[":
        return _array(text, at, quote, depth)
    end = _END.search(text, at)
    stop = len(text) if end is None else end.start()
    word = text[at:stop].strip()
    if word in _WORDS:
        return _WORDS[word], stop
    if _NUMBER.match(word) is not None:
        return word, stop
    if _BARE.match(word) is not None:
        return f'"{word}"', stop
    raise ValueError(word)  # text without quotes: nobody can tell where it ends


_END = re.compile(r"[,{}\[\]]")


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _string(text: str, at: int, quote: str) -> tuple[str, int]:
    begin = at + len(quote)
    end = text.find(quote, begin)
    if end < 0:
        raise ValueError(quote)
    return text[begin:end], end + len(quote)
