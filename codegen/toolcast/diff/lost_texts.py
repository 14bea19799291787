"""Texts of one grammar that another one lacks."""

import random
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from ..instances.grammar_texts import grammar_texts
from ..runtime.grammars import TextGrammar, TextInput, grammar_of
from ..spec.text_input import PARAMETER

_TRIED: Final = 200
"""Texts that are derived from the old grammar."""
_FREE: Final = ("", "a", "1", "\x00")
"""Texts that are tried where any was valid; few grammars have all of them."""


class LostText(Struct, frozen=True):
    """A text that was valid, and why it is refused."""

    text: str
    refusal: str


def lost_text(old: TextInput | None, new: TextInput, examples: Sequence[Any]) -> LostText | None:
    """Look for a text that the old grammar has and the new one lacks.

    Args:
        old: the old grammar; None where any text was valid.
        new: the new grammar, which can be read.
        examples: calls of the tool, whose texts are tried, too.

    Returns:
        The shortest that was found; None where all that were tried are valid.
    """
    after = _grammar(new)
    before = None if old is None else _grammar(old)
    tried: list[str] = [each[PARAMETER] for each in examples if isinstance(each, dict) and _is_text(each)]
    tried = [text for text in tried if before is None or before.problem(text) is None]
    if before is None:
        tried += _FREE
    else:
        tried += grammar_texts(before, random.Random(0), _TRIED)
    for text in sorted(set(tried), key=lambda text: (len(text), text)):
        refusal = after.problem(text)
        if refusal is not None:
            return LostText(text, refusal)
    return None


def _grammar(stated: TextInput) -> TextGrammar:
    assert stated.grammar is not None
    return grammar_of(stated.grammar, stated.definition)


def _is_text(example: dict[str, Any]) -> bool:
    return isinstance(example.get(PARAMETER), str)
