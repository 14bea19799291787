"""What definitions may cost in tokens, as `[tool.toolcast.lint.max_tokens]` has it.

Budgets are always judged by the estimate, never by tiktoken: a limit that holds on one machine holds on all,
whatever is installed there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..command_settings import TokenBudgets
from ..config import Config, setting_place, setting_problem
from ..diagnostics import Diagnostic
from ..providers import Profile
from ..toml_tables import suggestion
from .finding import RULES, Finding
from .linted_tool import Subject, in_groups
from .project_tools import Project
from .tokens import Cost, as_json, definition, estimate, together, tool_costs

BUDGETS: Final = ("lint", "max_tokens")
_SHOWN: Final = 3
"""Contributors that a finding names."""

_Costs = Mapping[str, Sequence[Cost]]
"""The cost of each tool, by provider."""


def unknown_budgets(config: Config, project: Project) -> Iterator[Diagnostic]:
    """Budgets of providers that the project makes no definitions for, and of groups without a tool."""
    limits = config.lint.max_tokens
    if project.profiles:
        known = project.configured
        for id in limits.providers:
            if id not in known:
                message = f"no definitions are made for the provider {id!r}"
                path = (*BUDGETS, "providers", id)
                hint = suggestion(id, known, "the providers are")
                yield setting_problem(config, path, "unknown-provider", message, hint)
    there = sorted({each.tool.group for each in project.subjects})
    for group in () if project.refused else limits.groups:  # a group's only tools may be those with errors
        if not any(in_groups(each, (group,)) for each in there):
            path = (*BUDGETS, "groups", group)
            hint = suggestion(group, [each for each in there if each], "groups here")
            yield setting_problem(config, path, "unknown-group", f"no tool is in the group {group!r}", hint)


def token_budgets(
    config: Config, subjects: Sequence[Subject], profiles: Sequence[Profile]
) -> Iterator[Finding]:
    """Findings about single tools, groups and the set that cost more than the project allows."""
    limits = config.lint.max_tokens
    if limits == TokenBudgets():
        return
    costs = {each.id: tool_costs(subjects, each, estimate) for each in profiles}
    if limits.tool is not None:
        yield from _tools(subjects, profiles, costs, limits.tool)
    for group, limit in sorted(limits.groups.items()):
        own = {each.tool.name for each in subjects if in_groups(each.tool.group, (group,))}
        part = {id: [each for each in tools if each.tool in own] for id, tools in costs.items()}
        yield from _set(config, "group-tokens", (*BUDGETS, "groups", group), limit, part)
    if limits.set is not None:
        rest = {id: tools for id, tools in costs.items() if id not in limits.providers}
        yield from _set(config, "set-tokens", (*BUDGETS, "set"), limits.set, rest)
    for id, limit in sorted(limits.providers.items()):
        yield from _set(config, "set-tokens", (*BUDGETS, "providers", id), limit, {id: costs.get(id, ())})


def _tools(
    subjects: Sequence[Subject], profiles: Sequence[Profile], costs: _Costs, limit: int
) -> Iterator[Finding]:
    """One finding for each tool, with its cost for the provider where it is highest."""
    by_profile = {each.id: each for each in profiles}
    full = {(each.tool, id): each.full for id, tools in costs.items() for each in tools}
    for subject in subjects:
        own = {id: full[subject.tool.name, id] for id in by_profile if (subject.tool.name, id) in full}
        over = tuple(id for id, cost in own.items() if cost > limit)
        if not over:
            continue
        highest = max(over, key=lambda id: own[id])
        parts = _parts(definition(subject, by_profile[highest]), subject.emitted[highest].normalized.schema)
        yield subject.finding(
            "tokens",
            f"the definition costs {_over(own[highest], limit)}; most of it: {_largest(parts)}",
            "shorten the largest texts, move rarely used parameters into a tool of their own, or raise `tool`"
            " in [tool.toolcast.lint.max_tokens]",
            at=("description",),
            providers=over,
        )


def _parts(whole: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, int]:
    """What the description and each parameter of a definition cost."""
    text = next((each for each in _texts(whole)), "")
    parts = {"the description": estimate(text)} if text else {}
    for name, below in schema.get("properties", {}).items():
        parts[f"`{name}`"] = estimate(as_json({name: below}))
    for key in ("$defs", "definitions"):
        for name, below in schema.get(key, {}).items():
            parts[f"the definition `{name}`"] = estimate(as_json({name: below}))
    return parts


def _texts(whole: Mapping[str, Any]) -> Iterator[str]:
    """The description of a tool, which some providers have one level below."""
    for each in (whole, *whole.values()):
        if isinstance(each, Mapping) and isinstance(each.get("description"), str):
            yield each["description"]


def _set(config: Config, code: str, path: tuple[str, ...], limit: int, costs: _Costs) -> Iterator[Finding]:
    """A finding for a set of tools, with its cost for the provider where it is highest."""
    sums = {id: together(tools) for id, tools in costs.items() if tools}
    over = tuple(id for id, cost in sums.items() if cost > limit)
    if not over:
        return
    highest = max(over, key=lambda id: sums[id])
    of_tools = {each.tool: each.full for each in costs[highest]}
    what = f"the group {path[-1]!r} costs" if code == "group-tokens" else "all tools together cost"
    file, line, column = setting_place(config, path)
    yield Finding(
        file=file,
        line=line,
        column=column,
        code=code,
        severity=RULES[code].severity,
        providers=over,
        message=f"{what} {_over(sums[highest], limit)}; most of it: {_largest(of_tools)}",
        fix="send brief stubs or fewer groups in one request, shorten the largest tools, or raise the limit",
    )


def _over(cost: int, limit: int) -> str:
    return f"about {cost} tokens, {cost - limit} more than the limit of {limit}"


def _largest(parts: Mapping[str, int]) -> str:
    """The parts that cost most, with their costs; of equal ones the first by name."""
    ordered = sorted(parts.items(), key=lambda part: (-part[1], part[0]))
    rest = len(ordered) - _SHOWN
    shown = ", ".join(f"{name} ({cost})" for name, cost in ordered[:_SHOWN])
    return f"{shown}, and {rest} more" if rest > 0 else shown
