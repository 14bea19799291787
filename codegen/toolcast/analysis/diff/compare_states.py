"""Every change between two states, with levels and suppressions applied.

What compares two tools is imported where a tool differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...config import Config, setting_problem, show
from ...diagnostics import Diagnostic, did_you_mean
from ...project.profiles import Profiles, profiles_of, unknown_providers
from ...spec.discovery import SUFFIXES, TYPES
from ...spec.parsed_document import diagnose
from ...spec.suppressions import in_force
from .outcome import RANKS, Choice, ComparedTools, DiffFinding, DiffOutcome
from .rules import AUDIENCES, NOT_COMPARED, RULES, Change, level_of
from .states import State, told_of

if TYPE_CHECKING:
    from .pairs import Pair

Progress = Callable[[int, int], None]


def compare_states(
    config: Config,
    profiles: Profiles,
    states: tuple[State, State],
    choice: Choice,
    progress: Progress = lambda _done, _total: None,
) -> DiffOutcome:
    """Compare the old state and the new one, for the `profiles` that are chosen, as far as `choice` reports.
    `progress` receives (done, total).
    """
    old, new = states
    made = ComparedTools()
    if old.tools or new.tools:
        from .compare_tools import compare_tools

        made = compare_tools(config, profiles, states, choice, progress)
    found: Iterable[Change] = made.changes
    if choice.calls is not None:
        from .recorded import with_recorded

        found = with_recorded(made.pairs, made.changes, choice.calls, profiles)
    changes = [
        *found,
        *_not_compared(
            (old, (*old.diagnostics, *made.old_problems)),
            (new, (*new.diagnostics, *made.new_problems)),
            choice=choice,
        ),
    ]
    reported, suppressed, problems = _sorted_out(made.pairs, changes, config, choice)
    problems += _unknown_tools(choice.tools, made, states, config)
    problems += () if choice.calls is None else choice.calls.problems
    diagnostics = [*told_of(old.label, old.diagnostics), *new.diagnostics, *made.new_problems, *problems]
    return DiffOutcome(
        old=old.label,
        new=new.label,
        pairs=made.pairs,
        unchanged=len(new.unchanged),
        findings=reported,
        suppressed=suppressed,
        diagnostics=tuple(dict.fromkeys(diagnostics)),
    )


def _not_compared(*sides: tuple[State, Sequence[Diagnostic]], choice: Choice) -> Iterator[Change]:
    """Yield a change for each spec that one of the states cannot compile: nothing is known of its tool."""
    found: dict[tuple[str, ...], list[tuple[State, Diagnostic]]] = {}
    for state, problems in sides:
        for each in problems:
            if each.severity == "error":
                key = (each.file, each.message) if state.listed else (each.file,)
                found.setdefault(key, []).append((state, each))
    for group in found.values():
        state, problem = group[0]
        path = PurePosixPath(problem.file)
        name = "" if state.listed or TYPES in path.parts else path.stem
        if choice.tools and not _is_named(problem.file, name, choice.tools):
            continue
        where = dict.fromkeys(of.label for of, _ in group)
        more = f"; and {len(group) - 1} more" if len(group) > 1 else ""
        yield Change(
            rule=NOT_COMPARED,
            tool=name,
            file=problem.file,
            line=problem.line,
            column=problem.column,
            old=state is sides[0][0],
            message=f"is not compared, because it does not compile in {' and in '.join(where)}: "
            f"{problem.message} ({problem.code}){more}",
            hint=problem.hint,
        )


def _is_named(file: str, name: str, wanted: Sequence[str]) -> bool:
    names = {name, file, file.rpartition(".")[0]}
    return any(
        (path := each.removeprefix("./")) in names or file.endswith((f"/{path}", f"/{path}.yaml"))
        for each in wanted
    )


def _unknown_tools(
    wanted: Sequence[str], made: ComparedTools, states: tuple[State, State], config: Config
) -> Iterator[Diagnostic]:
    names = made.names.union(*(state.unchanged for state in states), *(state.refused for state in states))
    for each in wanted:
        folders = (Path(), config.specs)
        is_file = any((folder / f"{each}{end}").is_file() for folder in folders for end in ("", *SUFFIXES))
        if each in names or is_file or each.removeprefix("./") in made.names | made.paths:
            continue
        hint = did_you_mean(each, sorted(names), "see `toolcast list`")
        message = f"there is no tool called {each!r}, in either state"
        yield Diagnostic(file=show(config.specs), code="unknown-tool", message=message, hint=hint)


def _sorted_out(
    pairs: Sequence[Pair], changes: Iterable[Change], config: Config, choice: Choice
) -> tuple[tuple[DiffFinding, ...], tuple[DiffFinding, ...], list[Diagnostic]]:
    ignored = {pair.name: pair.side.tool.diff_ignore for pair in pairs}
    reported: list[DiffFinding] = []
    suppressed: list[DiffFinding] = []
    used: set[tuple[str, str]] = set()
    accepted = {**config.diff.accepted, **choice.accepted}
    for change in changes:
        level = level_of(change.rule, config)
        entries = in_force(ignored.get(change.tool, {}), choice.today)
        suppression = entries.get(change.rule)
        if suppression is not None:
            used.add((change.tool, change.rule))
        elif (reason := accepted.get(change.fingerprint)) is not None:
            from ...spec.tool_spec import Suppression

            suppression = Suppression(reason)
        if level == "off" or RANKS[level] > RANKS[choice.level]:
            continue
        if choice.audiences and change.audience not in choice.audiences and change.rule != NOT_COMPARED:
            continue
        (reported if suppression is None else suppressed).append(DiffFinding(change, level, suppression))
    return (
        tuple(sorted(reported, key=_order)),
        tuple(sorted(suppressed, key=_order)),
        list(_problems(pairs, used, choice)),
    )


def _order(each: DiffFinding) -> tuple[bool, str, int, int, int, str, str]:
    change = each.change
    return (
        not change.tool,  # what is about the whole set comes last
        change.tool,
        RANKS[each.level],
        AUDIENCES.index(change.audience),
        change.line,
        change.rule,
        change.pointer,
    )


def _problems(pairs: Sequence[Pair], used: set[tuple[str, str]], choice: Choice) -> Iterator[Diagnostic]:
    """Report suppressions of rules that do not exist, that have ended, or that were not found."""
    for pair in pairs:
        tool = pair.side.tool
        for rule, entry in tool.diff_ignore.items():
            path = ("diff", "ignore", rule)
            if rule not in RULES:
                hint = did_you_mean(rule, RULES, "see `toolcast diff --list`")
                message = f"`diff.ignore` names {rule!r}, which is no rule"
                yield diagnose(tool.document, path, "unknown-rule", message, hint, key=True)
            elif entry.until is not None and entry.until < choice.today:
                message = f"the suppression of {rule!r} ended on {entry.until}: the change counts"
                hint = "remove it, or decide anew and change `until`"
                at = (*path, "until")
                yield diagnose(tool.document, at, "ended-ignore", message, hint, severity="warning")
            elif (pair.name, rule) not in used and pair.new is not None and not choice.audiences:
                message = f"`diff.ignore` names {rule!r}, which was not found in this comparison"
                hint = "remove it, once no branch needs it"
                yield diagnose(tool.document, path, "unused-ignore", message, hint, key=True, severity="note")


def diff_profiles(config: Config, providers: Sequence[str]) -> tuple[Profiles, tuple[Diagnostic, ...]]:
    """Return the profiles of a project, with those to compare as chosen (`providers`, else those configured),
    and problems.
    """
    found, problems = profiles_of(config)
    wanted = tuple(providers) or found.chosen
    problems = (*problems, *unknown_providers(config, wanted, found.known, option=bool(providers)))
    return replace(found, chosen=wanted), problems


def setting_problems(config: Config) -> Iterator[Diagnostic]:
    """Report names in `[tool.toolcast.diff.levels]` that are neither a rule nor an audience."""
    for name in config.diff.levels:
        if name not in RULES and name not in AUDIENCES:
            hint = did_you_mean(name, (*AUDIENCES, *RULES), "see `toolcast diff --list`")
            message = f"{name!r} is neither a rule nor an audience of diff"
            path = ("diff", "levels", name)
            yield setting_problem(config, path, "unknown-rule", message, hint)
