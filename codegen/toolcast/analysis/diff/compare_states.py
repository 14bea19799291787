"""Every change between two states, with levels and suppressions applied."""

import datetime
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...command_settings import Level
from ...config import Config, setting_problem, show
from ...diagnostics import Diagnostic, did_you_mean
from ...jsonschema.json_values import JsonObject
from ...project.profiles import profiles_of, unknown_providers
from ...providers import Profile, load_profile
from ...spec.discovery import SUFFIXES, TYPES
from ...spec.parsed_document import diagnose
from ...spec.suppressions import in_force
from ...spec.tool_spec import Suppression
from .audiences.code import code, deprecation
from .audiences.contracts import calls, results
from .audiences.definitions import definitions
from .audiences.spec_keys import spec_keys
from .audiences.trust import trust
from .pairs import Context, Pair, make_pairs
from .rules import AUDIENCES, RULES, Audience, Change, level_of
from .states import State, told_of
from .witnesses import call_of_old_name

Progress = Callable[[int, int], None]
NOT_COMPARED: Final = "not-compared"
RANKS: Final[Mapping[Level, int]] = {"error": 0, "warning": 1, "note": 2, "off": 3}


class DiffFinding(Struct, frozen=True):
    """A change and its level in this project; `suppression` is the spec's own."""

    change: Change
    level: Level
    suppression: Suppression | None = None


class DiffOutcome(Struct, frozen=True, kw_only=True):
    """A comparison: `pairs` were compared, `unchanged` counts equal tools, `findings` are the worst first
    within each tool, and `diagnostics` are specs that do not compile and faults of suppressions.
    """

    old: str
    new: str
    pairs: tuple[Pair, ...]
    unchanged: int
    findings: tuple[DiffFinding, ...]
    suppressed: tuple[DiffFinding, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Return whether a change is an error here, or a spec does not compile."""
        return any(each.level == "error" for each in self.findings) or any(
            each.severity == "error" for each in self.diagnostics
        )


class Choice(Struct, frozen=True, kw_only=True):
    """The changes to report. Empty tuples mean all; `tools` are names or paths of specs; `today` ends
    suppressions.
    """

    today: datetime.date
    tools: tuple[str, ...] = ()
    audiences: tuple[Audience, ...] = ()
    level: Level = "note"  # the least one


def compare_states(
    config: Config,
    profiles: Sequence[Profile],
    states: tuple[State, State],
    choice: Choice,
    progress: Progress = lambda _done, _total: None,
) -> DiffOutcome:
    """Compare the old state and the new one, for `profiles`, as far as `choice` reports. `progress` receives
    (done, total).
    """
    old, new = states
    made = make_pairs(old, new)
    context = Context(
        config=config,
        profiles=tuple(profiles),
        old=old,
        new=new,
        today=choice.today,
        version=stated_version(config.file),
    )
    pairs = [pair for pair in made.pairs if _is_chosen(pair, choice.tools)]
    changes: list[Change] = []
    for index, pair in enumerate(pairs):
        changes += _contract_changes(pair, context, choice.audiences)
        progress(index + 1, 2 * len(pairs))
    if not choice.audiences or not _OF_DEFINITIONS.isdisjoint(choice.audiences):
        changes += _definition_changes(pairs, made.pairs, context)
    progress(2 * len(pairs), 2 * len(pairs))
    changes += _not_compared(
        (old, (*old.diagnostics, *made.old_problems)),
        (new, (*new.diagnostics, *made.new_problems)),
        choice=choice,
    )
    reported, suppressed, problems = _sorted_out(pairs, changes, context, choice)
    problems += _unknown_tools(choice.tools, made.pairs, context)
    diagnostics = [*told_of(old.label, old.diagnostics), *new.diagnostics, *made.new_problems, *problems]
    return DiffOutcome(
        old=old.label,
        new=new.label,
        pairs=tuple(pairs),
        unchanged=len(new.unchanged),
        findings=reported,
        suppressed=suppressed,
        diagnostics=tuple(dict.fromkeys(diagnostics)),
    )


def _contract_changes(pair: Pair, context: Context, wanted: Sequence[Audience]) -> Iterator[Change]:
    found = [
        change
        for changes_of, audiences in _OF_CONTRACT.items()
        if not wanted or not audiences.isdisjoint(wanted)
        for change in changes_of(pair, context)
    ]
    if pair.old is not None and pair.new is None:
        witness = call_of_old_name(pair.old, context.old.types)
        found = [replace(each, witness=witness) if each.audience == "calls" else each for each in found]
    yield from found


_OF_CONTRACT: Final[Mapping[Callable[[Pair, Context], tuple[Change, ...]], frozenset[Audience]]] = {
    calls: frozenset({"calls"}),
    deprecation: frozenset({"calls", "model"}),
    results: frozenset({"results"}),
    spec_keys: frozenset({"calls", "results"}),
    code: frozenset({"code"}),
    trust: frozenset({"trust"}),
}
"""The functions that look at one tool at a time, each with its audiences."""
_OF_DEFINITIONS: Final[frozenset[Audience]] = frozenset({"model", "provider", "cache"})


def _definition_changes(pairs: Sequence[Pair], every: Sequence[Pair], context: Context) -> tuple[Change, ...]:
    found = definitions(every, context)
    if len(pairs) == len(every):
        return found
    names = {pair.name for pair in pairs}
    return tuple(each for each in found if each.tool in names)


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
            audience=RULES[NOT_COMPARED].audience,
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


def _is_chosen(pair: Pair, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    names: set[str] = set()
    for side in (pair.old, pair.new):
        if side is not None:
            file, path = side.tool.document.file, side.tool.path
            names |= {side.tool.name, file, path, file.rpartition(".")[0], path.rpartition(".")[0]}
    return not names.isdisjoint(each.removeprefix("./") for each in wanted)


def _unknown_tools(wanted: Sequence[str], pairs: Sequence[Pair], context: Context) -> Iterator[Diagnostic]:
    names = {*context.old.unchanged, *context.new.unchanged, *context.old.refused, *context.new.refused}
    for each in wanted:
        folders = (Path(), context.config.specs)
        is_file = any((folder / f"{each}{end}").is_file() for folder in folders for end in ("", *SUFFIXES))
        if each in names or is_file or any(_is_chosen(pair, (each,)) for pair in pairs):
            continue
        hint = did_you_mean(each, sorted({*names, *(pair.name for pair in pairs)}), "see `toolcast list`")
        message = f"there is no tool called {each!r}, in either state"
        file = show(context.config.specs)
        yield Diagnostic(file=file, code="unknown-tool", message=message, hint=hint)


def _sorted_out(
    pairs: Sequence[Pair], changes: Iterable[Change], context: Context, choice: Choice
) -> tuple[tuple[DiffFinding, ...], tuple[DiffFinding, ...], list[Diagnostic]]:
    ignored = {pair.name: pair.side.tool.diff_ignore for pair in pairs}
    reported: list[DiffFinding] = []
    suppressed: list[DiffFinding] = []
    used: set[tuple[str, str]] = set()
    for change in changes:
        level = level_of(change.rule, context.config)
        entries = in_force(ignored.get(change.tool, {}), context.today)
        suppression = entries.get(change.rule)
        if suppression is not None:
            used.add((change.tool, change.rule))
        if level == "off" or RANKS[level] > RANKS[choice.level]:
            continue
        if choice.audiences and change.audience not in choice.audiences and change.rule != NOT_COMPARED:
            continue
        (reported if suppression is None else suppressed).append(DiffFinding(change, level, suppression))
    return (
        tuple(sorted(reported, key=_order)),
        tuple(sorted(suppressed, key=_order)),
        list(_problems(pairs, used, context, choice)),
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


def _problems(
    pairs: Sequence[Pair], used: set[tuple[str, str]], context: Context, choice: Choice
) -> Iterator[Diagnostic]:
    """Report suppressions of rules that do not exist, that have ended, or that were not found."""
    for pair in pairs:
        tool = pair.side.tool
        for rule, entry in tool.diff_ignore.items():
            path = ("diff", "ignore", rule)
            if rule not in RULES:
                hint = did_you_mean(rule, RULES, "see `toolcast diff --list`")
                message = f"`diff.ignore` names {rule!r}, which is no rule"
                yield diagnose(tool.document, path, "unknown-rule", message, hint, key=True)
            elif entry.until is not None and entry.until < context.today:
                message = f"the suppression of {rule!r} ended on {entry.until}: the change counts"
                hint = "remove it, or decide anew and change `until`"
                at = (*path, "until")
                yield diagnose(tool.document, at, "ended-ignore", message, hint, severity="warning")
            elif (pair.name, rule) not in used and pair.new is not None and not choice.audiences:
                message = f"`diff.ignore` names {rule!r}, which was not found in this comparison"
                hint = "remove it, once no branch needs it"
                yield diagnose(tool.document, path, "unused-ignore", message, hint, key=True, severity="note")


def diff_profiles(
    config: Config, providers: Sequence[str]
) -> tuple[tuple[Profile, ...], frozenset[str], tuple[Diagnostic, ...]]:
    """Return the providers to compare (`providers`, else those configured), all known ids, and problems."""
    found, problems = profiles_of(config)
    wanted = tuple(providers) or found.chosen
    wrong = (*problems, *unknown_providers(config, wanted, found.known, option=bool(providers)))
    if wrong:
        return (), frozenset(found.known), wrong
    profiles = tuple(found.own.get(id) or load_profile(id) for id in dict.fromkeys(wanted))
    return profiles, frozenset(found.known), ()


def setting_problems(config: Config) -> Iterator[Diagnostic]:
    """Report names in `[tool.toolcast.diff.levels]` that are neither a rule nor an audience."""
    for name in config.diff.levels:
        if name not in RULES and name not in AUDIENCES:
            hint = did_you_mean(name, (*AUDIENCES, *RULES), "see `toolcast diff --list`")
            message = f"{name!r} is neither a rule nor an audience of diff"
            path = ("diff", "levels", name)
            yield setting_problem(config, path, "unknown-rule", message, hint)


def stated_version(pyproject: Path | None) -> str | None:
    """Read `version` of `[project]`; None where it is not stated there, as where a build backend finds it."""
    version = project_table(pyproject).get("version")
    return version if isinstance(version, str) else None


def project_table(pyproject: Path | None) -> JsonObject:
    """Read `[project]`; an empty table where there is none."""
    try:
        text = "" if pyproject is None else pyproject.read_text(encoding="utf-8")
        project = tomllib.loads(text).get("project")
    except (OSError, ValueError):  # who reads the configuration reports it
        return {}
    return project if isinstance(project, dict) else {}
