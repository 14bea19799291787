"""The score of a set of tools: measures, and the points that each takes off."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from ..command_settings import LintSettings, TokenBudgets
from ..lint.linted_tool import Subject
from ..lint.tokens import estimate, tool_costs
from ..providers import Profile
from ..spec.suppressions import in_force
from .score_model import FULL, Deduction, Score, SetScore, TokenUse, ToolScore

OVER_BUDGET: Final = 20
"""Points for a definition, or a set for one provider, that costs more than its limit."""


def score(
    subjects: Sequence[Subject], profiles: Sequence[Profile], settings: LintSettings, today: date
) -> Score:
    """Score a set of tools without a model.

    Args:
        subjects: the tools of one request.
        profiles: the providers whose definitions are counted.
        settings: budgets, and levels by which codes are switched off.
        today: the day that ends suppressions.

    Returns:
        The score; equal for equal arguments.
    """
    tokens = _tokens(subjects, profiles, settings.max_tokens)
    off = {code for code, level in settings.levels.items() if level == "off"}
    tools: list[ToolScore] = []
    for subject in subjects:
        own = tokens[subject.tool.name]
        ignored = off | {*in_force(subject.tool.lint_ignore, today)}
        deductions = [each for each in _over_budget("tokens", own) if each.code not in ignored]
        tools.append(
            ToolScore(
                tool=subject.tool.name,
                points=max(0, FULL - sum(each.points for each in deductions)),
                deductions=tuple(deductions),
                retrievals=(),
                tokens=own,
                requirements=(),
            )
        )
    whole = _set_tokens(tokens, profiles, settings.max_tokens)
    of_set = [each for each in _over_budget("set-tokens", whole) if each.code not in off]
    mean = sum(each.points for each in tools) // len(tools) if tools else FULL
    return Score(
        tools=tuple(sorted(tools, key=lambda each: (each.points, each.tool))),
        pairs=(),
        set=SetScore(
            points=max(0, mean - sum(each.points for each in of_set)),
            deductions=tuple(of_set),
            tokens=whole,
            queries=0,
            found_first=0,
        ),
    )


def _tokens(
    subjects: Sequence[Subject], profiles: Sequence[Profile], limits: TokenBudgets
) -> dict[str, tuple[TokenUse, ...]]:
    """What each tool costs for each provider that has a definition of it."""
    found: dict[str, list[TokenUse]] = {each.tool.name: [] for each in subjects}
    for profile in profiles:
        for cost in tool_costs(subjects, profile, estimate):
            use = TokenUse(provider=profile.id, full=cost.full, brief=cost.brief, limit=limits.tool)
            found[cost.tool].append(use)
    return {tool: tuple(uses) for tool, uses in found.items()}


def _set_tokens(
    tokens: Mapping[str, Sequence[TokenUse]], profiles: Sequence[Profile], limits: TokenBudgets
) -> tuple[TokenUse, ...]:
    """What all tools cost together as the JSON array that a request holds, for each provider."""
    found: list[TokenUse] = []
    for profile in profiles:
        own = [use for uses in tokens.values() for use in uses if use.provider == profile.id]
        marks = len(own) + 1  # brackets and commas
        limit = limits.providers.get(profile.id, limits.set)
        full, brief = (sum(each) + marks for each in ([u.full for u in own], [u.brief for u in own]))
        found.append(TokenUse(provider=profile.id, full=full, brief=brief, limit=limit))
    return tuple(found)


def _over_budget(code: str, uses: Sequence[TokenUse]) -> Iterator[Deduction]:
    """One deduction for the provider where most of the limit is used, if it is more than all."""
    over = [(use.full - use.limit, use) for use in uses if use.limit is not None and use.full > use.limit]
    if over:
        worst = max(over, key=lambda each: (each[0], each[1].provider))[1]
        reason = f"costs about {worst.full} tokens for {worst.provider}, the limit is {worst.limit}"
        yield Deduction(part="budget", points=OVER_BUDGET, reason=reason, code=code)
