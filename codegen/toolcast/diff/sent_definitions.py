"""What each provider is sent of a tool, in both states: made once, for the audiences that look at it."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..lint.linted_tool import Subject, emitted_subject, numbered
from ..lint.tokens import definition
from ..providers import Profile
from ..spec.deprecation import shown_summary
from .pairs import Pair, Side


class Sent(Struct, frozen=True, kw_only=True):
    """A tool in one state, as providers are sent it.

    Attributes:
        subject: the tool with each provider's schema.
        definitions: by provider, the tool object as compact JSON.
        summary: what brief definitions say.
        problems: why the other providers have no definition.
    """

    subject: Subject
    definitions: Mapping[str, bytes]
    summary: str
    problems: tuple[Diagnostic, ...] = ()


class SentPair(Struct, frozen=True, kw_only=True):
    """A pair with what providers are sent; None for a state without the tool."""

    pair: Pair
    old: Sent | None
    new: Sent | None

    def differing(self, *, brief: bool = False) -> tuple[str, ...]:
        """Providers whose definition is another one now, or the brief one with `brief`; all that have one,
        where the tool is in one state only."""
        sides = [({} if each is None else each.definitions) for each in (self.old, self.new)]
        ids = dict.fromkeys((*sides[1], *sides[0]))
        texts = [None if each is None else each.summary for each in (self.old, self.new)]
        if brief and texts[0] != texts[1]:
            return tuple(ids)
        return tuple(id for id in ids if sides[0].get(id) != sides[1].get(id))


def sent_pairs(pairs: Sequence[Pair], profiles: Sequence[Profile]) -> tuple[SentPair, ...]:
    """Make the definitions of pairs, for these providers."""
    dialects = numbered(profiles)
    found: list[SentPair] = []
    for pair in pairs:
        old = None if pair.old is None else _sent(pair.old, dialects)
        new = (
            None if pair.new is None else _sent(pair.new, dialects, like=old if _same_schemas(pair) else None)
        )
        found.append(SentPair(pair=pair, old=old, new=new))
    return tuple(found)


def _same_schemas(pair: Pair) -> bool:
    """Whether every provider gets the same schema in both states."""
    old, new = pair.old, pair.new
    if old is None or new is None:
        return False
    one, other = old.tool, new.tool
    return (
        old.built is new.built
        and one.providers == other.providers
        and one.inject.keys() == other.inject.keys()
    )


def _sent(side: Side, profiles: Sequence[tuple[Profile, int]], *, like: Sent | None = None) -> Sent:
    """What is sent of a tool; its schemas are those of `like` where that is stated."""
    if like is None:
        subject, problems = emitted_subject(side.tool, side.built, profiles)
    else:
        subject, problems = replace(like.subject, tool=side.tool), like.problems
    made: dict[str, Any] = {
        profile.id: definition(subject, profile) for profile, _ in profiles if profile.id in subject.emitted
    }
    return Sent(
        subject=subject,
        definitions={id: msgspec.json.encode(each) for id, each in made.items()},
        summary=shown_summary(side.tool),
        problems=problems,
    )
