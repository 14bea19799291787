"""Text for comments: sentences joined, and what no type expresses in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import dedent
from typing import Any

from ..hidden_characters import escape_hidden, without_hidden

ENDS = ".!?:;。！？…"


def joined(sentences: Sequence[str]) -> str:
    """Join sentences to one text, without characters that a reader of source code does not see.

    Args:
        sentences: what to say, each once; empty ones are left out.

    Returns:
        The text; its lines end with line feeds, and those after the first have no indentation in common.
    """
    text = ""
    for sentence in dict.fromkeys(sentences):
        if not sentence or _stands_in(sentence, text):
            continue
        if text:
            text = text.rstrip()
            text += ("" if text.endswith(tuple(ENDS)) else ".") + ("\n" if "\n" in text else " ")
        text += sentence
    first, feed, rest = without_hidden(text.replace("\r\n", "\n").replace("\r", "\n")).strip().partition("\n")
    return first + feed + dedent(rest)


def _stands_in(sentence: str, text: str) -> bool:
    """Whether a sentence stands in a text, not as the beginning or the end of other words: `Default: 1.` is
    not said by `Default: 1.5`."""
    place = text.find(sentence)
    while place >= 0:
        end = place + len(sentence)
        if not f"{text[max(place - 1, 0) : place]}{text[end : end + 1]}".strip():
            return True
        place = text.find(sentence, end)
    return False


def bounds_of_items(schema: Mapping[str, Any]) -> tuple[int, int | None]:
    """The least and the greatest number of items; None without one. JSON Schema lets 2.0 be an integer."""
    most = schema.get("maxItems")
    return int(schema.get("minItems", 0)), None if most is None else int(most)


def count_of_items(least: int, most: int | None) -> str:
    """`Must have 1 to 3 items.`; empty where any number will do."""
    if most is None:
        return f"Must have at least {_items(least)}." if least else ""
    if least == most:
        return f"Must have exactly {_items(most)}."
    return f"Must have {least} to {_items(most)}." if least else f"Must have at most {_items(most)}."


def _items(count: int) -> str:
    return f"{count} item" if count == 1 else f"{count} items"


def compact_json(value: Any) -> str:
    """JSON on one line, in which no character is hidden."""
    return escape_hidden(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def code(pattern: str) -> str:
    """A pattern in backticks, or as JSON where it has one."""
    plain = pattern.isprintable() and "`" not in pattern
    return f"`{pattern}`" if plain else compact_json(pattern)
