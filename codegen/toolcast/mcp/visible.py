"""Words of a server without what a reader would not see."""

from typing import Any
from unicodedata import category

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Line breaks and tabs; the joiners that scripts and emoji need.
_KEPT = frozenset("\n\t\u200c\u200d")
# Variation selectors that no text needs: they can spell anything, unseen.
_SELECTORS = range(0xE0100, 0xE01F0)
_WORDS = ("description", "title", "$comment")
_VALUES = ("const", "default", "enum", "examples", "example")


def visible(text: str) -> str:
    """`text` without control characters, terminal escapes, marks that turn the direction of writing, tag
    characters and the like: a person who approves a description sees what the model reads."""
    if text.isprintable() and not any(ord(letter) in _SELECTORS for letter in text if letter > "\uffff"):
        return text
    return "".join(letter for letter in text if not _is_hidden(letter))


def visible_words(schema: Any) -> Any:
    """A schema whose descriptions are visible; what judges values stays as it was."""
    if isinstance(schema, dict):
        return {
            key: visible(item)
            if key in _WORDS and isinstance(item, str)
            else item
            if key in _VALUES
            else visible_words(item)
            for key, item in schema.items()
        }
    return [visible_words(item) for item in schema] if isinstance(schema, list) else schema


def _is_hidden(letter: str) -> bool:
    return (category(letter) in _HIDDEN and letter not in _KEPT) or ord(letter) in _SELECTORS
