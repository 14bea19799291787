"""The cost of tools in a request: tokens of the JSON that a provider is sent, in full and as brief stubs.

No provider publishes how it renders tools into its prompt, so any count is an approximation. The text is cut
as OpenAI's `o200k_base` cuts it before merging, and long pieces count more. Over the examples in OpenAI's own
guide to counting tokens the estimate is 2 % off on prose, and a quarter on odd words. It is the same on all
machines.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Struct

from ...command_settings import TokenBudgets
from ...config import Config, setting_place, setting_problem
from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...project.core.tool_definitions import tool_info
from ...providers import Profile, tool_object
from ...runtime.declaration_text import declaration
from ...runtime.definitions import cut_definition
from ...spec.deprecation import shown_summary
from ...toml_tables import suggestion
from .finding import RULES, Finding
from .linted_tool import LintedTool, Project, in_groups


def definition(subject: LintedTool, profile: Profile) -> JsonObject:
    """Return a definition as the build writes it to `schemas/<provider>/<tool>.json`."""
    info = tool_info(subject.tool, subject.normal)
    return tool_object(info, profile, subject.emitted[profile.id].normalized)


class Cost(Struct, frozen=True, kw_only=True):
    """One tool for one provider."""

    tool: str
    provider: str
    full: int
    brief: int


class _Total(Struct, frozen=True, kw_only=True):
    """All tools for one provider, as the JSON array that a request holds."""

    provider: str
    full: int
    brief: int


class Tokens(Struct, frozen=True, kw_only=True):
    """The costs and the totals, the dearest first; `note` states how they were counted."""

    note: str
    costs: tuple[Cost, ...]
    totals: tuple[_Total, ...]


def counted(subjects: Sequence[LintedTool], profiles: Sequence[Profile]) -> Tokens:
    """Return the cost of each tool and provider, and of the set."""
    costs: list[Cost] = []
    totals: list[_Total] = []
    for profile in profiles:
        own = tool_costs(subjects, profile)
        costs += own
        full, brief = together([each.full for each in own]), together([each.brief for each in own])
        totals.append(_Total(provider=profile.id, full=full, brief=brief))
    costs.sort(key=lambda each: (-each.full, each.tool, each.provider))
    totals.sort(key=lambda each: (-each.full, each.provider))
    return Tokens(note=ESTIMATED, costs=tuple(costs), totals=tuple(totals))


def tool_costs(subjects: Sequence[LintedTool], profile: Profile) -> list[Cost]:
    """Return the cost of each tool that has a definition for one provider."""
    costs: list[Cost] = []
    for subject in subjects:
        if profile.id not in subject.emitted:
            continue
        tool = subject.tool
        whole = definition(subject, profile)
        brief = cut_definition(whole, tool.name, shown_summary(tool))
        full, short = estimate(sent_text(whole, profile)), estimate(sent_text(brief, profile))
        costs.append(Cost(tool=tool.name, provider=profile.id, full=full, brief=short))
    return costs


def together(costs: Sequence[int]) -> int:
    """Return the cost of tools as one array: its brackets and commas cost a token each. Without tools, a
    request has no array.
    """
    return sum(costs) + len(costs) + 1 if costs else 0


def sent_text(definition: JsonObject, profile: Profile) -> str:
    """Return the text of a definition that a model reads: JSON, or its declaration."""
    return (
        as_json(definition) if profile.declaration is None else declaration(definition, profile.declaration)
    )


def as_json(value: object) -> str:
    """Return JSON text as it is sent."""
    return msgspec.json.encode(value).decode()


ESTIMATED: Final = "estimated for o200k_base, up to a quarter off"
# The cut that the encoding makes first, with the Unicode classes of Python: words with the space or sign
# before them, up to three digits, runs of signs, white space.
_PIECES: Final = re.compile(r"[^\w\r\n]?[^\W\d_]+|\d{1,3}| ?[^\s\w]+[\r\n/]*|_+|\s+")
_LETTERS: Final = 9  # pieces up to so many letters are mostly one token
_DENSE: Final = 0.8  # tokens for a character of a script without spaces
DENSEST: Final = _LETTERS + 1  # characters of a token, with the sign before a word, but for white space


def estimate(text: str) -> int:
    """Estimate the tokens of `text`: one for each piece, more for long words and for runs of signs."""
    pieces = Counter(_PIECES.findall(text))  # a definition repeats most of its pieces
    return round(sum([count * _tokens_of(piece) for piece, count in pieces.items()]))


@lru_cache(maxsize=1 << 14)
def _tokens_of(piece: str) -> float:
    """The tokens of one piece, kept: definitions of one tool for each provider have the same pieces."""
    size = len(piece.strip())
    if not piece.isascii():
        return max(1.0, _DENSE * size)
    return max(1, math.ceil(size / (_LETTERS if piece[-1].isalpha() else 4)))


_BUDGETS: Final = ("lint", "max_tokens")
_SHOWN: Final = 3
"""Contributors that a finding names."""

_Costs = Mapping[str, Sequence[Cost]]
"""The cost of each tool, by provider."""


def unknown_budgets(config: Config, project: Project) -> Iterator[Diagnostic]:
    """Report budgets of providers that the project makes no definitions for, and of groups without a tool."""
    limits = config.lint.max_tokens
    if project.profiles:
        known = project.configured
        for id in limits.providers:
            if id not in known:
                message = f"no definitions are made for the provider {id!r}"
                path = (*_BUDGETS, "providers", id)
                hint = suggestion(id, known, "the providers are")
                yield setting_problem(config, path, "unknown-provider", message, hint)
    there = sorted({each.tool.group for each in project.subjects})
    for group in () if project.refused else limits.groups:  # a group's only tools may be those with errors
        if not any(in_groups(each, (group,)) for each in there):
            path = (*_BUDGETS, "groups", group)
            hint = suggestion(group, [each for each in there if each], "groups here")
            yield setting_problem(config, path, "unknown-group", f"no tool is in the group {group!r}", hint)


def token_budgets(
    config: Config, subjects: Sequence[LintedTool], profiles: Sequence[Profile]
) -> Iterator[Finding]:
    """Yield findings about single tools, groups and the set that cost more than the project allows."""
    limits = config.lint.max_tokens
    if limits == TokenBudgets():
        return
    costs = {each.id: tool_costs(subjects, each) for each in profiles}
    if limits.tool is not None:
        yield from _tools(subjects, profiles, costs, limits.tool)
    for group, limit in sorted(limits.groups.items()):
        own = {each.tool.name for each in subjects if in_groups(each.tool.group, (group,))}
        part = {id: [each for each in tools if each.tool in own] for id, tools in costs.items()}
        yield from _set(config, "group-tokens", (*_BUDGETS, "groups", group), limit, part)
    if limits.set is not None:
        rest = {id: tools for id, tools in costs.items() if id not in limits.providers}
        yield from _set(config, "set-tokens", (*_BUDGETS, "set"), limits.set, rest)
    for id, limit in sorted(limits.providers.items()):
        yield from _set(config, "set-tokens", (*_BUDGETS, "providers", id), limit, {id: costs.get(id, ())})


def _tools(
    subjects: Sequence[LintedTool], profiles: Sequence[Profile], costs: _Costs, limit: int
) -> Iterator[Finding]:
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


def _parts(whole: Mapping[str, object], schema: JsonMapping) -> dict[str, int]:
    text = next((each for each in _texts(whole)), "")
    parts = {"the description": estimate(text)} if text else {}
    for name, below in schema.get("properties", {}).items():
        parts[f"`{name}`"] = estimate(as_json({name: below}))
    for key in ("$defs", "definitions"):
        for name, below in schema.get(key, {}).items():
            parts[f"the definition `{name}`"] = estimate(as_json({name: below}))
    return parts


def _texts(whole: JsonMapping) -> Iterator[str]:
    """Yield the description of a tool, which some providers have one level below."""
    for each in (whole, *whole.values()):
        if isinstance(each, Mapping) and isinstance(each.get("description"), str):
            yield each["description"]


def _set(config: Config, code: str, path: tuple[str, ...], limit: int, costs: _Costs) -> Iterator[Finding]:
    sums = {id: together([each.full for each in tools]) for id, tools in costs.items() if tools}
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
    ordered = sorted(parts.items(), key=lambda part: (-part[1], part[0]))
    rest = len(ordered) - _SHOWN
    shown = ", ".join(f"{name} ({cost})" for name, cost in ordered[:_SHOWN])
    return f"{shown}, and {rest} more" if rest > 0 else shown
