"""One difference between two states of a set of tools, for one audience."""

from typing import Any, Final, Literal, get_args

from msgspec import Struct

Audience = Literal["calls", "results", "code", "model", "provider", "trust", "cache"]
"""Who is hit: those who call, who read results, who wrote Python against generated code, the model that
reads the definition, a provider's request, those who grant permissions, and prompt caches."""

AUDIENCES: Final[tuple[Audience, ...]] = get_args(Audience)

Level = Literal["error", "warning", "note", "off"]
"""The effect of a rule on a run; the project sets it in `[tool.toolcast.diff.levels]`."""


class Witness(Struct, frozen=True, kw_only=True):
    """A value that one state accepts and the other refuses, as both decoders and jsonschema-rs judge it."""

    value: Any
    refusal: str  # the refusing decoder's message


class Change(Struct, frozen=True, kw_only=True):
    """One difference, of one rule. A change that hits two audiences is two of these."""

    rule: str  # id, a key of `rules.RULES`
    audience: Audience
    tool: str  # name in the new state; in the old one where the tool is removed; "" for the whole set
    pointer: str = ""  # in the contract document of the new state; of the old one where it lacks the place
    file: str  # of the new state's spec, or the old one's
    line: int = 0
    column: int = 0
    old: bool = False  # file, line, column and pointer are those of the old state
    message: str  # one sentence
    hint: str = ""  # a way out, where there is one
    providers: tuple[str, ...] = ()  # those concerned; none: all
    witness: Witness | None = None
    undecided: bool = False  # may break or not: neither a witness nor a proof was found
