"""How much of each limit of a request to a provider a set of tools uses."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ..providers import Profile
from .linted_tool import Emitted, Subject

Tool = tuple[str, Emitted]
"""A tool's name, and its schema for one provider."""

_MOST: Final = 3  # tools named as those that weigh most


class LimitUse(Struct, frozen=True, kw_only=True):
    """How much of one limit a set uses.

    Attributes:
        rule: the code of what lint reports where there is more.
        noun: what is counted, in the plural.
        used: how many there are.
        allowed: how many there may be.
        advised: whether more still work, worse.
        most: the tools that hold most, with how much, the heaviest first; empty where none weighs more than
            another.
    """

    rule: str
    noun: str
    used: int
    allowed: int
    advised: bool = False
    most: tuple[tuple[str, int], ...] = ()

    @property
    def exceeded(self) -> bool:
        """Whether there are more than there may be."""
        return self.used > self.allowed


def tools_for(subjects: Sequence[Subject], profile: Profile) -> list[Tool]:
    """The tools that have a definition for a provider."""
    return [
        (subject.tool.name, subject.emitted[profile.id])
        for subject in subjects
        if profile.id in subject.emitted
    ]


def strict_tools(tools: Sequence[Tool], profile: Profile) -> list[Tool]:
    """Those of `tools` whose schemas the provider enforces."""
    return [(name, each) for name, each in tools if each.strict or profile.always_strict]


def deferred_tools(subjects: Sequence[Subject], profile: Profile) -> list[Subject]:
    """The tools that the provider loads on demand."""
    if not profile.request.loads_tools:
        return []
    return [subject for subject in subjects if profile.id in subject.emitted and subject.tool.defer]


def request_use(subjects: Sequence[Subject], profile: Profile) -> tuple[LimitUse, ...]:
    """What a request with all tools uses of each limit that is known.

    Args:
        subjects: the tools.
        profile: the provider.

    Returns:
        The limits, exceeded or not.
    """
    tools, limits = tools_for(subjects, profile), profile.limits
    strict, late = strict_tools(tools, profile), deferred_tools(subjects, profile)
    loaded = len(tools) - len(late)
    rows = (
        ("tools", limits.tools, "tools", loaded + _late_entries(late, profile)),
        ("advised-tools", limits.advised_tools, "tools", loaded),
        ("deferred-tools", limits.deferred_tools, "tools loaded on demand", len(late)),
        ("strict-tools", limits.strict_tools, "strict tools", len(strict)),
    )
    weighed = (
        ("all-properties", limits.all_properties, "properties", _held(tools, "properties")),
        ("optional", limits.optional, "optional parameters of strict tools", _held(strict, "optional")),
        ("unions", limits.unions, "unions among parameters of strict tools", _held(strict, "unions")),
    )
    counted = [
        LimitUse(rule=rule, noun=noun, used=used, allowed=limit, advised=rule.startswith("advised"))
        for rule, limit, noun, used in rows
        if limit is not None
    ]
    for rule, limit, noun, held in weighed:
        if limit is not None:
            used = sum(count for _, count in held)
            most = tuple(each for each in held[:_MOST] if each[1])
            counted.append(LimitUse(rule=rule, noun=noun, used=used, allowed=limit, most=most))
    return tuple(counted)


def _late_entries(late: Sequence[Subject], profile: Profile) -> int:
    """How many entries a list of tools has for those that are loaded on demand: a namespace is one, and so is
    each object of the search."""
    if not late:
        return 0
    grouped = [subject.tool.group for subject in late if subject.tool.group and profile.request.namespace]
    return len(late) - len(grouped) + len({*grouped}) + len(profile.request.search_tools)


def _held(tools: Sequence[Tool], what: str) -> list[tuple[str, int]]:
    """How many of something each tool has, the most first."""
    counts = [(name, len(getattr(each.size, what))) for name, each in tools]
    return sorted(counts, key=lambda each: (-each[1], each[0]))
