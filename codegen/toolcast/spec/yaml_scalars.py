"""YAML 1.2 core schema: the values of plain scalars (https://yaml.org/spec/1.2.2/#103-core-schema)."""

import re
from typing import Any, Final

from .reader_problems import MAX_NUMBER, read_float

WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
INT = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEX = re.compile(r"0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
NUMERIC_START: Final = frozenset("+-.0123456789")

PREFIX = "tag:yaml.org,2002:"


class NotFiniteError(ValueError):
    """`.inf` or `.nan`."""


class NumberRangeError(ValueError):
    """A number that a double cannot hold, or one past `MAX_NUMBER` characters."""


def resolve_plain(text: str) -> Any:
    """The value of an unquoted scalar. Raises `NotFiniteError` or `NumberRangeError`."""
    if text in WORDS:
        return WORDS[text]
    if text[0] in NUMERIC_START:
        number = read_number(text)
        if number is not None:
            return number
    return text


def read_number(text: str) -> int | float | None:
    """The number that `text` is under the core schema, or None. Raises as `resolve_plain`."""
    base = 10 if INT.fullmatch(text) else 8 if OCTAL.fullmatch(text) else 16 if HEX.fullmatch(text) else 0
    if not base and not FLOAT.fullmatch(text):
        if NOT_FINITE.fullmatch(text):
            raise NotFiniteError
        return None
    if len(text) > MAX_NUMBER:
        raise NumberRangeError
    if base:
        return int(text if base == 10 else text[2:], base)
    value = read_float(text)
    if value is None:
        raise NumberRangeError
    return value


def resolve_tagged(tag: str, text: str) -> Any:
    """The value of a scalar with a core tag, quoted or not.

    Raises `KeyError` for any other tag, `ValueError` where the text does not fit the tag.
    """
    kind = tag.removeprefix(PREFIX)
    if not tag.startswith(PREFIX) or kind not in ("str", "null", "bool", "int", "float"):
        raise KeyError(tag)
    if kind == "str":
        return text
    value = resolve_plain(text)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise NumberRangeError from None
    wanted = {"null": type(None), "bool": bool, "int": int, "float": float}[kind]
    if type(value) is not wanted:
        raise ValueError(text)
    return value
