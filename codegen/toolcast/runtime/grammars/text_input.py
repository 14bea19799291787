"""What a tool states whose argument is one text: any text, or one of a grammar."""

from typing import Any, Final, Literal

from msgspec import Struct

GrammarSyntax = Literal["lark", "regex"]
"""The syntax in which a grammar is written."""
SYNTAXES: Final[tuple[GrammarSyntax, ...]] = ("lark", "regex")


class TextInput(Struct, frozen=True, kw_only=True):
    """That the argument of a tool is one text.

    Attributes:
        grammar: the syntax of its grammar; None for any text.
        definition: the grammar.
    """

    grammar: GrammarSyntax | None = None
    definition: str = ""

    def as_written(self) -> Any:
        """The key `input` of a spec that states it."""
        if self.grammar is None:
            return "text"
        return {"grammar": self.grammar, "definition": self.definition}
