"""Every check over a project, suppressions applied, findings merged and sorted."""

from collections.abc import Iterator, Sequence
from datetime import date
from difflib import get_close_matches

from msgspec import Struct

from ...config import Config
from ...diagnostics import Diagnostic
from ...spec.suppressions import in_force
from .descriptions import collisions, descriptions, duplicates, hidden_text, imperative_texts, repeated_text
from .finding import Finding, leveled, merged, unknown_levels
from .flags import deprecations, flags
from .linted_tool import LintedTool, Progress, Project, in_groups, is_selected, load_project, unknown_tools
from .permissions import policy, reserved_meta_keys, unstated_annotations
from .provider_checks import losses, not_strict, request_limits, tool_limits
from .tokens import Tokens, counted, token_budgets, unknown_budgets


class Settings(Struct, frozen=True, kw_only=True):
    """The parts to look at; empty tuples mean all. `tools` are names or paths, `today` is the day for
    suppressions and removals.
    """

    today: date
    tools: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    losses: bool = False
    tokens: bool = False


class LintOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of a run. `refused` are specs that do not compile; nothing is known of them."""

    tools: int
    suppressed: int
    findings: tuple[Finding, ...]
    refused: tuple[Diagnostic, ...]
    tokens: Tokens | None = None


def lint(config: Config, settings: Settings, progress: Progress) -> LintOutcome:
    """Check a project, with the levels and budgets of its configuration.

    Single tools are those of `settings.tools`; the set is all tools, or those of `settings.groups`.
    `progress` receives (done, total).
    """
    return lint_project(config, load_project(config, settings.providers, progress), settings)


def lint_project(config: Config, project: Project, settings: Settings) -> LintOutcome:
    """Check a project that is loaded for `settings.providers`; otherwise as `lint`."""
    refused = [*project.refused, *unknown_levels(config), *unknown_budgets(config, project)]
    everything = {each.tool.name: each.tool for each in project.subjects}
    refused += unknown_tools(settings.tools, everything, project)
    subjects = [each for each in project.subjects if in_groups(each.tool.group, settings.groups)]
    refused += _unknown_groups(settings.groups, subjects, project)
    found = [*checked(project, subjects, settings), *token_budgets(config, subjects, project.profiles)]
    found = leveled(found, config.lint.levels)
    kept, used = suppressed(found, subjects, settings.today)
    off = {code for code, level in config.lint.levels.items() if level == "off"}
    off |= set() if settings.losses else {"lossy"}
    off |= {"tokens"} if config.lint.max_tokens.tool is None else set()
    of_suppressions = [*_unused(subjects, used, settings, off), *ended(subjects, settings.today)]
    shown = [
        each for each in (*kept, *leveled(of_suppressions, config.lint.levels))
        if (not settings.select or each.code in settings.select) and each.code not in settings.ignore
    ]  # fmt: skip
    chosen = subjects
    if settings.tools:
        chosen = [each for each in subjects if is_selected(settings.tools, each.tool, project.shown_root)]
        names = {each.tool.name for each in chosen}
        shown = [each for each in shown if each.tool in names]
    return LintOutcome(
        tools=len(chosen),
        suppressed=len(merged([each for each in found if (each.tool, each.code) in used])),
        findings=tuple(merged(shown)),
        refused=tuple(sorted({*refused})),
        tokens=counted(chosen, project.profiles) if settings.tokens else None,
    )


def _unknown_groups(
    groups: Sequence[str], subjects: Sequence[LintedTool], project: Project
) -> Iterator[Diagnostic]:
    for group in groups:
        if any(in_groups(each.tool.group, (group,)) for each in subjects):
            continue
        there = sorted({each.tool.group for each in project.subjects if each.tool.group})
        near = get_close_matches(group, there, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"groups here: {', '.join(there) or 'none'}"
        message = f"no tool is in the group {group!r}"
        yield Diagnostic(file=project.shown_root, code="unknown-group", message=message, hint=hint)


def checked(project: Project, subjects: Sequence[LintedTool], settings: Settings) -> Iterator[Finding]:
    """Return every finding, suppressed or not."""
    tools = {each.tool.name: each.tool for each in project.subjects}
    for index, subject in enumerate(subjects):
        yield from descriptions(subject)
        yield from policy(subject)
        yield from flags(subject)
        yield from hidden_text(subject)
        yield from imperative_texts(subject)
        yield from repeated_text(subject)
        yield from reserved_meta_keys(subject)
        yield from deprecations(subject, tools, project.broken, settings.today)
        for profile in project.profiles:
            if profile.id in subject.emitted:
                yield from tool_limits(subject, profile, index)
                yield from not_strict(subject, profile)
                yield from unstated_annotations(subject, profile)
                if settings.losses:
                    yield from losses(subject, profile)
    yield from collisions(subjects)
    yield from duplicates(subjects)
    for profile in project.profiles:
        yield from request_limits(subjects, profile, project.shown_root)


def set_findings(config: Config, project: Project, subjects: Sequence[LintedTool]) -> tuple[Finding, ...]:
    """Return the findings about some tools together, as if there were no others: limits and budgets."""
    found = list(token_budgets(config, subjects, project.profiles))
    for profile in project.profiles:
        found += request_limits(subjects, profile, project.shown_root)
    return tuple(merged(leveled([each for each in found if not each.tool], config.lint.levels)))


def suppressed(
    found: Sequence[Finding], subjects: Sequence[LintedTool], today: date
) -> tuple[list[Finding], set[tuple[str, str]]]:
    """Return the findings that no spec ignores, and the (tool, code) pairs of those that one does."""
    ignored = {(each.tool.name, code) for each in subjects for code in in_force(each.tool.lint_ignore, today)}
    kept = [each for each in found if (each.tool, each.code) not in ignored]
    return kept, {(each.tool, each.code) for each in found} & ignored


def ended(subjects: Sequence[LintedTool], today: date) -> list[Finding]:
    """Report suppressions that have ended."""
    found: list[Finding] = []
    for subject in subjects:
        for code, each in subject.tool.lint_ignore.items():
            if each.until is not None and each.until < today:
                message = f"the suppression of {code!r} ended on {each.until}: it suppresses nothing"
                fix = "correct what is found, or decide anew and change `until`"
                at = ("lint", "ignore", code, "until")
                found.append(subject.finding("ended-ignore", message, fix, at=at))
    return found


def _unused(
    subjects: Sequence[LintedTool], used: set[tuple[str, str]], settings: Settings, off: set[str]
) -> list[Finding]:
    """Report suppressions of what was not found, but for codes that are `off` in this run."""
    if settings.providers or settings.groups:
        return []  # another provider, or the whole set, may well have it
    found: list[Finding] = []
    for subject in subjects:
        for code in in_force(subject.tool.lint_ignore, settings.today):
            if (subject.tool.name, code) in used or code in off:
                continue
            message = f"`lint.ignore` names {code!r}, which was not found here"
            at = ("lint", "ignore", code)
            found.append(subject.finding("unused-ignore", message, "take it out", at=at))
    return found
