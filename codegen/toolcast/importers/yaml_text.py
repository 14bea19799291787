"""YAML text that every reader takes for the same data: YAML 1.1 and 1.2, PyYAML and our own.

A string is left plain only where no reader could see a number, a boolean, a null, a date or structure in it;
text of several lines becomes a block literal; everything else is quoted. Keys keep their order.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_$./@%+~^*()=;?!<>&|'\"-]| (?=[^ #]))*")
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
_BLOCK = re.compile(r"[ -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff\n]+")
_SINGLE_QUOTED = re.compile(r"[ -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff]+")
_PLAIN_UNICODE = re.compile(r"[\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff]")
_FLOW_WIDTH = 80
_ENDLESS = 1 << 30  # never fold: a folded line is where readers differ

MAX_DEPTH = 200


class UnwritableError(ValueError):
    """The data is no JSON, or YAML cannot hold it: lone surrogates, non-finite numbers, too deep."""


class _Dumper(yaml.SafeDumper):
    """The safe dumper, with our choice of style for every string and sequence."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        """Write shared values twice: an alias is a surprise to a reader."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent sequences below their key."""
        super().increase_indent(flow, False)


def dump(data: Any) -> str:
    """YAML text of one JSON value; loading it gives an equal value. Raises UnwritableError."""
    check_writable(data)
    return str(
        yaml.dump(
            data,
            Dumper=_Dumper,
            default_flow_style=False,
            sort_keys=False,
            allow_unicode=True,
            width=_ENDLESS,
        )
    )


def check_writable(data: Any) -> None:
    """Refuse what YAML cannot carry exactly. Raises UnwritableError with the reason."""
    for depth, value in _walk(data):
        if depth > MAX_DEPTH:
            raise UnwritableError(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            if any("\ud800" <= char <= "\udfff" for char in value):
                raise UnwritableError(f"lone surrogate in {value[:40]!a}")
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise UnwritableError(f"{value} is not a JSON number")
        elif isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise UnwritableError(f"object key {key!r} is not a string")
        elif not (value is None or isinstance(value, bool | int | list)):
            raise UnwritableError(f"{type(value).__name__} is not a JSON type")


def _walk(data: Any) -> Iterator[tuple[int, Any]]:
    """Every value and key with its depth, without recursion; goes one level past the limit at most."""
    stack: list[tuple[int, Any]] = [(0, data)]
    while stack:
        depth, value = stack.pop()
        yield depth, value
        if isinstance(value, Mapping):
            stack += [(depth + 1, child) for pair in value.items() for child in pair]
        elif isinstance(value, list):
            stack += [(depth + 1, child) for child in value]


def is_plain(text: str) -> bool:
    """Whether `text` may stand without quotes in any YAML, block or flow."""
    ascii_only = _PLAIN_UNICODE.sub("a", text)
    return bool(_PLAIN.fullmatch(ascii_only)) and text.lower() not in _RESERVED and text == text.strip()


def _string_style(text: str) -> str | None:
    if is_plain(text):
        return None
    if "\n" in text and _is_block(text):
        return "|"
    if ('"' in text or "\\" in text) and _SINGLE_QUOTED.fullmatch(text):
        return "'"
    return '"'


def _is_block(text: str) -> bool:
    """A literal block is safe when no line ends in a space, and the first is neither empty nor indented."""
    lines = text.split("\n")
    return (
        bool(_BLOCK.fullmatch(text))
        and bool(lines[0])
        and not lines[0].startswith(" ")
        and not any(line.endswith(" ") for line in lines)
    )


def _represent_str(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=_string_style(data))


def _represent_list(dumper: yaml.SafeDumper, data: list[Any]) -> yaml.Node:
    """Short lists of short scalars go on one line."""
    scalar = all(item is None or isinstance(item, bool | int | float | str) for item in data)
    short = scalar and sum(len(item) + 4 if isinstance(item, str) else 8 for item in data) <= _FLOW_WIDTH
    flow = short and not any(isinstance(item, str) and "\n" in item for item in data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flow)


_Dumper.add_representer(str, _represent_str)
_Dumper.add_representer(list, _represent_list)
