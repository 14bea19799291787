"""One schema for many profiles: walked once for all dialects that would do the same with it.

    audience = Audience(profiles)               # once
    shared = audience.share(schema)             # for each schema
    shared.normalize(profile)                   # what `normalize(schema, profile)` says

Dialects differ in axes that most schemas never touch. What a walk asks of its dialect is written down
(`asked`): where another one answers the same, its outcome is that of the walk, by construction and not by a
rule that must be kept up to date. Which dialects do is remembered by what was asked, as schemas of one kind
ask the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .asked import Trace, agree, asked, trace
from .children import rules_of
from .dialect import Dialect, nameless
from .normalize import Normalized, Reasons, Walked, decided, finish, parameters_of, through, walk
from .profile import Profile
from .quarantine import without_corners
from .refs import Segments
from .renames import declared, names_of
from .rules import Rules
from .source import Source, source_of
from .state import State

LEAST = 4
"""Fewer dialects are walked each by itself: to write down what is asked takes a fifth of a walk."""
MOST_KNOWN = 4096
"""How many sets of questions are remembered, with those who answer alike."""


class Audience:
    """Profiles that are told of the same schemas. May be used for any number of them."""

    __slots__ = ("_dialects", "_groups", "patterns")

    def __init__(self, profiles: Iterable[Profile]) -> None:
        both = (dialect for profile in profiles for dialect in (profile.strict, profile.dialect))
        self._dialects = tuple(dict.fromkeys(dialect for dialect in both if dialect is not None))
        named = (dialect.property_names for dialect in self._dialects)
        self.patterns = tuple(dict.fromkeys(pattern for pattern in named if pattern))
        self._groups: dict[tuple[str, ...], Group] = {}

    def share(self, schema: Any) -> Shared:
        """`schema`, to be normalised for these profiles. Raises `SchemaError` for what is none."""
        return Shared(self, schema)

    def group(self, refusing: tuple[str, ...]) -> Group:
        """The dialects for a schema with property names that the patterns in `refusing` refuse."""
        found = self._groups.get(refusing)
        if found is None:
            effective = {
                dialect: dialect if dialect.property_names in refusing else nameless(dialect)
                for dialect in self._dialects
            }
            found = self._groups[refusing] = Group(effective)
        return found


class Group:
    """Distinct dialects by number, and which of them answer alike."""

    __slots__ = ("_known", "numbers", "rules")

    def __init__(self, effective: Mapping[Dialect, Dialect]) -> None:
        """`effective`: for each dialect, the one that is walked."""
        distinct = list(dict.fromkeys(effective.values()))
        self.rules: list[Rules] = [rules_of(dialect) for dialect in distinct]
        self.numbers = {dialect: distinct.index(walked) for dialect, walked in effective.items()}
        self._known: dict[tuple[int, Trace], tuple[int, ...]] = {}

    def alike(self, number: int, questions: Trace) -> tuple[int, ...]:
        """Those who answer as the one with `number` does; it is among them."""
        key = number, questions
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            one = self.rules[number]
            found = tuple(
                i for i, other in enumerate(self.rules) if i == number or agree(one, other, questions)
            )
            self._known[key] = found
        return found


class Shared:
    """One schema, normalised for one profile after the other."""

    __slots__ = ("_group", "_made", "_names", "_source", "_walked")

    def __init__(self, audience: Audience, schema: Any) -> None:
        self._source = without_corners(source_of(parameters_of(schema)))
        names = declared(self._source.document) if audience.patterns else []
        self._names = {each: names_of(self._source.document, each, names) for each in audience.patterns}
        self._group = audience.group(tuple(pattern for pattern, names in self._names.items() if names))
        self._walked: list[Walked | None] = [None] * len(self._group.rules)
        self._made: dict[tuple[int, bool | None, Reasons], tuple[State, Normalized]] = {}

    def normalize(self, profile: Profile, *, strict: bool | None = None) -> Normalized:
        """As the function of that name; profiles for which it says the same get the same object.

        So nothing of it may be changed. Raises `SchemaError`, each time for every profile that it concerns.
        """
        out, state, flag, reasons = decided(self._source, profile, strict, self._walk)
        key = id(state), flag, reasons
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = state, finish(out, state, flag, reasons)  # kept: its id is its own
        return known[1]

    def _walk(
        self,
        source: Source,
        dialect: Dialect,
        most: int | None = None,
        tall: Mapping[Segments, int] = {},
    ) -> Walked:
        number = self._group.numbers.get(dialect) if most is None else None
        if number is None:  # another audience's, or what few schemas need: not shared
            return walk(source, dialect, most, tall)
        found = self._walked[number]
        if found is None:
            if len(self._walked) < LEAST or self._walked.count(None) == 1:  # nobody to share it with
                found = self._walked[number] = walk(source, dialect)
                return found
            rules = asked(self._group.rules[number])
            names = self._names.get(rules.dialect.property_names, {})
            found = through(source, rules, names)
            for each in self._group.alike(number, trace(rules)):
                if self._walked[each] is None:
                    self._walked[each] = found
        return found
