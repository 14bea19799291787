"""A grammar of texts, and what is wrong with one that it does not have, in words that a model can act on."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from ...jsonschema import charset
from ...jsonschema.charset import Ranges, intersection, union
from .grammar_error import GrammarError
from .lark import MAX_LENGTH, parse_lark
from .productions import Productions, productions_of
from .recogniser import Items, Mismatch, TooMuchWorkError, items_of, recognise
from .regex import parse_regex
from .terminal import terminal_of
from .text_input import GrammarSyntax

_SHOWN: Final = 12
"""Terminals that a message names."""
_EXCERPT: Final = 30
"""Characters of the text that a message shows."""
_LONGEST: Final = 60
"""Characters of a class as a message shows it."""
_ASCII: Final[Ranges] = ((0, 0x7F),)


class TextGrammar(Struct, frozen=True, eq=False):
    """A grammar, ready for any number of texts, from any thread.

    Attributes:
        productions: its rules and terminals.
        items: the places in its rules.
    """

    productions: Productions
    items: Items

    def problem(self, text: str) -> str | None:
        """Check a text.

        Args:
            text: the text.

        Returns:
            None where the grammar has it. Else what does not fit, where, and what was expected there, as a
            predicate of the text.
        """
        try:
            found = recognise(text, self.productions, self.items)
        except TooMuchWorkError as much:
            return (
                f"cannot be checked with reasonable work (it was read up to {_place(text, much.at)}): send a "
                "shorter text, or one that can be read in fewer ways"
            )
        return None if found is None else self._worded(text, found)

    def _worded(self, text: str, found: Mismatch) -> str:
        expected = self._expected(found)
        wanted = f"expected {_either(expected)}" if expected else "nothing fits"
        excerpt = text[found.at : found.at + _EXCERPT]
        more = "…" if len(text) > found.at + _EXCERPT else ""
        here = f"found {_quoted(excerpt + more)}" if excerpt else "the text ends"
        return f"does not fit the grammar at {_place(text, found.at)}: {wanted}, but {here}"

    def _expected(self, found: Mismatch) -> list[str]:
        terminals = self.productions.terminals
        names = [terminals[each].shown or _class(terminals[each].first) for each in found.expected]
        loose: list[tuple[int, int]] = []
        for terminal, ranges in found.begun:
            shown = terminals[terminal].shown
            if shown.startswith('"') and shown not in names:
                names.append(shown)
            elif not shown.startswith('"'):
                loose += ranges
        if loose:
            names.append(_class(union(loose)))
        names = list(dict.fromkeys(names))
        if len(names) > _SHOWN:
            names[_SHOWN:] = [f"one of {len(names) - _SHOWN} others"]
        return [*names, "the end of the text"] if found.may_end else names


def grammar_of(syntax: GrammarSyntax, definition: str) -> TextGrammar:
    """Read a grammar.

    Args:
        syntax: "lark" or "regex".
        definition: the grammar.

    Returns:
        The grammar, ready for texts.

    Raises:
        GrammarError: the definition is none, or has what cannot be checked exactly.
    """
    if syntax == "lark":
        productions = productions_of(parse_lark(definition))
    else:
        if len(definition) > MAX_LENGTH:
            raise GrammarError(
                f"an expression has at most {MAX_LENGTH:,} characters", MAX_LENGTH, "shorten it"
            )
        if "\n" in definition or "\r" in definition:
            hint = r"write it on one line, and a line break as `\n`"
            raise GrammarError(
                "a regular expression stands on one line", min(map(len, definition.splitlines())), hint
            )
        terminal = terminal_of("", parse_regex(definition), 0)
        nullable = frozenset((0, ~0)) if terminal.empty else frozenset[int]()
        productions = Productions((((~0,),),), (terminal,), nullable, None)
    return TextGrammar(productions, items_of(productions))


def _place(text: str, at: int) -> str:
    """Line and column, from 1."""
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - text.rfind(chr(10), 0, at)}"


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _quoted(text: str) -> str:
    import json  # only where something is wrong

    return json.dumps(text, ensure_ascii=False)


def _class(ranges: Ranges) -> str:
    """A set of characters as a regular expression has it; of a long one the part in ASCII."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and ranges[0][0] != 0x22:
        return _quoted(chr(ranges[0][0]))
    shown = charset.source(ranges)
    if len(shown) > _LONGEST:
        shown = charset.source(intersection(ranges, _ASCII))[:_LONGEST] + " or the like outside of ASCII"
    return shown
