"""Strict JSON text (RFC 8259) → plain data, by the standard library's scanner.

The common case is one call into C. Whatever that call cannot vouch for (a repeated key, NaN, a number past
a double, half a surrogate pair, great size or depth, a syntax error) is left to `json_scan`, which reads
the text again, slowly, and knows where everything stands.
"""

import json
import re
from typing import Any

from .json_scan import scan_json
from .problems import MAX_DEPTH, MAX_NUMBER, MAX_VALUES, Problem, read_float

# May occur inside strings too: a hit only means a second look.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONG_NUMBER = re.compile(rf"[-+.eE0-9]{{{MAX_NUMBER + 1}}}")


def parse_json(text: str) -> tuple[Any, list[Problem]]:
    """The data in `text`, and every problem found; with problems the data means nothing. Never raises."""
    opens = text.count("{") + text.count("[")
    if (
        opens <= MAX_DEPTH
        and text.count(",") + opens < MAX_VALUES
        and not _SURROGATE.search(text)
        and not _LONG_NUMBER.search(text)
    ):
        try:
            return _DECODER.decode(text), []
        except ValueError:  # also JSONDecodeError and what the hooks below raise
            pass
    problems, _ = scan_json(text)
    # The scan bounded the depth, so the scanner in C cannot run out of stack.
    return (None, problems) if problems else (_DECODER.decode(text), [])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("repeated key")
    return result


def _float(token: str) -> float:
    value = read_float(token)
    if value is None:
        raise ValueError("out of range")
    return value


def _constant(token: str) -> Any:
    raise ValueError(token)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
