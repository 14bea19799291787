"""Every change of the tools that differ between two states."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ...config import Config
from ...jsonschema.json_values import JsonObject
from ...project.profiles import Profiles, chosen_profiles
from .audiences.code import code, deprecation
from .audiences.contracts import calls, results
from .audiences.definitions import definitions
from .audiences.spec_keys import spec_keys
from .audiences.trust import trust
from .outcome import RANKS, Choice, ComparedTools
from .pairs import Context, Pair, make_pairs
from .rules import RULES, Audience, Change, level_of
from .states import State
from .witnesses import call_of_old_name

Progress = Callable[[int, int], None]


def compare_tools(
    config: Config, profiles: Profiles, states: tuple[State, State], choice: Choice, progress: Progress
) -> ComparedTools:
    """Compare the tools of two states; see `compare_states`."""
    old, new = states
    context = Context(
        config=config,
        profiles=chosen_profiles(profiles),
        old=old,
        new=new,
        today=choice.today,
        version=stated_version(config.file),
        reported=_reported(config, choice),
    )
    made = make_pairs(old, new)
    pairs = [pair for pair in made.pairs if _is_chosen(pair, choice.tools)]
    changes: list[Change] = []
    for done, pair in enumerate(pairs, start=1):
        changes += _contract_changes(pair, context, choice.audiences)
        progress(done, len(pairs))
    if not choice.audiences or not _OF_DEFINITIONS.isdisjoint(choice.audiences):
        asked = {*choice.audiences, *config.diff.levels}
        caches = not asked.isdisjoint(("cache", "prefix-ends"))
        changes += _definition_changes(pairs, made.pairs, context, caches=caches)
    return ComparedTools(
        pairs=tuple(pairs),
        names=frozenset(pair.name for pair in made.pairs),
        paths=frozenset().union(*map(_spelled, made.pairs)),
        changes=tuple(changes),
        old_problems=made.old_problems,
        new_problems=made.new_problems,
    )


def _reported(config: Config, choice: Choice) -> frozenset[str]:
    """Return the rules whose changes are asked for; all, where recorded calls are judged by them."""
    if choice.calls is not None:
        return frozenset(RULES)
    return frozenset(rule for rule in RULES if RANKS[level_of(rule, config)] <= RANKS[choice.level])


def _is_chosen(pair: Pair, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    return not _spelled(pair).isdisjoint(each.removeprefix("./") for each in wanted)


def _spelled(pair: Pair) -> set[str]:
    """Return the names and paths by which a tool is chosen."""
    names: set[str] = set()
    for side in (pair.old, pair.new):
        if side is not None:
            file, path = side.tool.document.file, side.tool.path
            names |= {side.tool.name, file, path, file.rpartition(".")[0], path.rpartition(".")[0]}
    return names


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


def _definition_changes(
    pairs: Sequence[Pair], every: Sequence[Pair], context: Context, *, caches: bool
) -> tuple[Change, ...]:
    found = definitions(every, context, caches=caches)
    if len(pairs) == len(every):
        return found
    names = {pair.name for pair in pairs}
    return tuple(each for each in found if each.tool in names)


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
