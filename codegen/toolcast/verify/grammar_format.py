"""The grammar of a tool as a format of its text, so that the laws hold with it as with any constraint."""

import random
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from ..instances.grammar_texts import grammar_texts
from ..providers import LedgerEntry
from ..runtime.grammars import TextGrammar, grammar_of
from ..spec.text_input import PARAMETER
from ..spec.tool_spec import ToolSpec

GRAMMAR: Final = "text-of-the-grammar"
"""The format that stands for the grammar."""
GRAMMAR_ENTRY: Final = LedgerEntry(
    path=f"/properties/{PARAMETER}",
    keyword="format",
    action="described",
    severity="lost",
    reason="is the grammar, which the entry of `input` names",
)


class GrammarFormat(Struct, frozen=True, eq=False):
    """A grammar, and instances of a tool that has it."""

    grammar: TextGrammar

    def accepts(self, text: str) -> bool:
        """Whether the grammar has a text."""
        return self.grammar.problem(text) is None

    def instances(self, rng: random.Random, count: int) -> list[dict[str, str]]:
        """Texts that the grammar derives, and each with one character changed."""
        texts = list(grammar_texts(self.grammar, rng, (count + 1) // 2))
        return [{PARAMETER: text} for text in (*texts, *(_changed(text, rng) for text in texts))]


def grammar_format(tool: ToolSpec) -> GrammarFormat | None:
    """The format for a tool; None for one without a grammar."""
    if tool.input is None or tool.input.grammar is None:
        return None
    return GrammarFormat(grammar_of(tool.input.grammar, tool.input.definition))


def with_format(contract: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a contract file with the format at the text."""
    parameters = contract["parameters"]
    text = {**parameters["properties"][PARAMETER], "format": GRAMMAR}
    return {**contract, "parameters": {**parameters, "properties": {PARAMETER: text}}}


def _changed(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice((text[:1], " ", "(", "x", "0", "")) + text[at + rng.randint(0, 1) :]
