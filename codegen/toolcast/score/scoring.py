"""The score of a set of tools: what was measured, and the points that each measure takes off.

Every point has a reason in words, and every reason one of lint's codes or a requirement of a directory.
Nothing adds points: a longer description, more examples or more parameters only ever cost.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from msgspec.structs import replace

from ..command_settings import LintSettings, TokenBudgets
from ..lint.confusable import ConfusedPair, by_tool
from ..lint.distinction import Distinction, distinction
from ..lint.findability import FEW, QUERY_KINDS, Retrieval, explained, failure
from ..lint.finding import Finding
from ..lint.hidden_text import hidden_text
from ..lint.imperatives import imperative_findings
from ..lint.linted_tool import Subject
from ..lint.mcp_metadata import HINTS
from ..lint.repeated_text import repeated_text
from ..lint.tokens import estimate, tool_costs
from ..providers import Profile
from ..spec.suppressions import in_force
from .readiness import requirements
from .score_model import FULL, Deduction, Part, Requirement, Score, SetScore, TokenUse, ToolScore

NOT_FOUND: Final = 10
"""Points for each kind of query by which a search does not find the tool among the first three."""
NOT_FIRST: Final = 5
"""Points for each kind of query by which a search finds another tool first."""
CONFUSABLE: Final = 10
"""Points for each tool that this one may be taken for."""
OVER_BUDGET: Final = 20
"""Points for a definition, or a set for one provider, that costs more than its limit."""
NOT_READY: Final = 4
"""Points for each demand of a directory that is not met."""
REPEATED: Final = 5
"""Points for descriptions of parameters that repeat the schema."""
HIDDEN: Final = 30
"""Points for text that deceives a reader."""
HIDDEN_CHARACTER: Final = 10
"""Points for a character that nobody sees."""
GRAVE: Final = 30
"""Points for a text that sets other instructions aside or hides something from the user."""
IMPERATIVE: Final = 5
"""Points for any other text that orders the model about."""
MOST: Final = 30
"""Points that one part takes off at most."""
_NAMED: Final = 4
"""Words of a pair that a reason names; the pair has all."""


def score(
    subjects: Sequence[Subject],
    profiles: Sequence[Profile],
    settings: LintSettings,
    today: date,
    measured: Distinction | None = None,
) -> Score:
    """Score a set of tools without a model.

    Args:
        subjects: the tools of one request.
        profiles: the providers whose definitions are counted.
        settings: budgets, and levels by which codes are switched off.
        today: the day that ends suppressions.
        measured: what `distinction` says of these tools, where it is known; else it is measured.

    Returns:
        The score; equal for equal arguments.
    """
    apart = distinction(subjects) if measured is None else measured
    tokens = _tokens(subjects, profiles, settings.max_tokens)
    off = {code for code, level in settings.levels.items() if level == "off"}
    pairs = by_tool(apart.pairs)
    tools: list[ToolScore] = []
    for subject in subjects:
        name = subject.tool.name
        demands = requirements(subject, profiles)
        found = apart.retrievals[name]
        deductions = (
            *_findability(found),
            *_confusability(name, pairs.get(name, ())),
            *_over_budget("tokens", tokens[name]),
            *_readiness(demands),
            *_texts(subject),
        )
        ignored = off | {*in_force(subject.tool.lint_ignore, today)}
        counted = _limited([each for each in deductions if each.code not in ignored])
        tools.append(
            ToolScore(
                tool=name,
                points=max(0, FULL - sum(each.points for each in counted)),
                deductions=counted,
                retrievals=found,
                tokens=tokens[name],
                requirements=demands,
            )
        )
    whole = _set_tokens(tokens, profiles, settings.max_tokens)
    of_set = tuple(each for each in _over_budget("set-tokens", whole) if each.code not in off)
    mean = sum(each.points for each in tools) // len(tools) if tools else FULL
    queries = [each for found in apart.retrievals.values() for each in found]
    return Score(
        tools=tuple(sorted(tools, key=lambda each: (each.points, each.tool))),
        pairs=apart.pairs,
        set=SetScore(
            points=max(0, mean - sum(each.points for each in of_set)),
            deductions=of_set,
            tokens=whole,
            queries=len(queries),
            found_first=sum(each.rank == 1 for each in queries),
        ),
    )


def for_tools(scored: Score, names: Collection[str]) -> Score:
    """The parts of a score that are about some of its tools; the points of the set stay those of all.

    Args:
        scored: the score.
        names: names of tools.

    Returns:
        The score with these tools, and the pairs that one of them is in.
    """
    return replace(
        scored,
        tools=tuple(each for each in scored.tools if each.tool in names),
        pairs=tuple(each for each in scored.pairs if {each.first, each.second} & {*names}),
    )


def _limited(deductions: Sequence[Deduction]) -> tuple[Deduction, ...]:
    """The deductions, until those of a part have taken off as much as it may; the rest of them take off
    nothing.
    """
    left: dict[Part, int] = {}
    kept: list[Deduction] = []
    for each in deductions:
        rest = left.get(each.part, MOST)
        points = min(each.points, rest)
        left[each.part] = rest - points
        if points:
            kept.append(replace(each, points=points))
    return tuple(kept)


def _findability(found: Sequence[Retrieval]) -> Iterator[Deduction]:
    for kind in QUERY_KINDS:
        worst = failure(found, kind)
        if worst is None:
            continue
        among_first = worst.rank is not None and worst.rank <= FEW
        if not (among_first and worst.stated):  # a model that reads both tools is told which to use
            points = NOT_FIRST if among_first else NOT_FOUND
            yield Deduction(part="findability", points=points, reason=explained(worst), code="hard-to-find")


def _confusability(name: str, pairs: Sequence[ConfusedPair]) -> Iterator[Deduction]:
    for pair in pairs:
        other = pair.second if pair.first == name else pair.first
        words = ", ".join(pair.words[:_NAMED])
        reason = (
            f"may be taken for {other!r}, {pair.similarity:.0%} alike by the words {words}: {pair.suggestion}"
        )
        yield Deduction(part="confusability", points=CONFUSABLE, reason=reason, code="confusable-tools")


def _readiness(demands: Sequence[Requirement]) -> Iterator[Deduction]:
    unmet = [each for each in demands if not each.met and not each.advised]
    hints = [each for each in unmet if each.name in HINTS]
    for each in unmet:
        if each not in hints:
            reason = f"{each.name} is asked for by {each.source}: {each.fix}"
            yield Deduction(part="readiness", points=NOT_READY, reason=reason)
    if hints:
        named = "; ".join(f"{each.name} ({each.source})" for each in hints)
        fix = ", ".join(f"{each.name}: …" for each in hints)
        reason = f"annotations are asked for: {named}: write `annotations: {{{fix}}}`"
        points = NOT_READY * len(hints)
        yield Deduction(part="readiness", points=points, reason=reason, code="unstated-annotation")


def _texts(subject: Subject) -> Iterator[Deduction]:
    """What the texts of a spec take off."""
    for each in repeated_text(subject):
        yield _deduction("repetition", REPEATED, each)
    for each in hidden_text(subject):
        yield _deduction("hidden text", HIDDEN if each.code == "hidden-text" else HIDDEN_CHARACTER, each)
    for each, kind in imperative_findings(subject):
        yield _deduction("imperatives", GRAVE if kind.grave else IMPERATIVE, each)


def _deduction(part: Part, points: int, found: Finding) -> Deduction:
    return Deduction(part=part, points=points, reason=found.message, code=found.code, line=found.line)


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
