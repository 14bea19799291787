"""How two values of one keyword become the value that says both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

TIGHTER: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""For each bound, which of two values is the tighter one."""


def union_of_names(left: list[str], right: list[str]) -> list[str]:
    """The names of two lists, each once: what two values of `required` demand together."""
    return list(dict.fromkeys([*left, *right]))
