"""Every change of the tools that differ between two states."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from ...config import Config
from ...jsonschema.json_values import JsonObject
from ...project.pool import MANY, process_pool, processors
from ...project.profiles import Profiles, chosen_profiles
from ...spec.tool_spec import ToolSpec
from .audiences.code import code, deprecation
from .audiences.contracts import calls, results
from .audiences.definitions import definitions
from .audiences.spec_keys import spec_keys
from .audiences.trust import trust
from .outcome import Choice, ComparedTools
from .pairs import Context, Pair, make_pair, make_pairs, same_schemas
from .rules import Audience, Change
from .states import State
from .witnesses import call_of_old_name

if TYPE_CHECKING:
    from concurrent.futures import Future

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
    )
    with _in_worker_processes(context, choice) as (elsewhere, wait):
        made = make_pairs(old, new)
        pairs = [pair for pair in made.pairs if _is_chosen(pair, choice.tools)]
        later: tuple[Change, ...] = ()
        if not choice.audiences or not _OF_DEFINITIONS.isdisjoint(choice.audiences):
            asked = {*choice.audiences, *config.diff.levels}
            caches = not asked.isdisjoint(("cache", "prefix-ends"))
            later = _definition_changes(pairs, made.pairs, context, caches=caches)
        found: dict[str, tuple[Change, ...]] = {}
        for left_out in (elsewhere, frozenset[str]()):
            for pair in pairs:
                if pair.name not in found and pair.name not in left_out:
                    found[pair.name] = tuple(_contract_changes(pair, context, choice.audiences))
                    progress(len(found), len(pairs))
            if left_out:
                found |= wait()
    return ComparedTools(
        pairs=tuple(pairs),
        names=frozenset(pair.name for pair in made.pairs),
        paths=frozenset().union(*map(_spelled, made.pairs)),
        changes=(*(change for pair in pairs for change in found[pair.name]), *later),
        old_problems=made.old_problems,
        new_problems=made.new_problems,
    )


_CHUNK: Final = 8
_Found = Mapping[str, tuple[Change, ...]]
"""The changes of contracts, by the name of the tool."""


@contextmanager
def _in_worker_processes(
    context: Context, choice: Choice
) -> Generator[tuple[frozenset[str], Callable[[], _Found]]]:
    """Compare contracts in worker processes, where many differ. Yields the names of their tools, and what
    waits for the results; one that is missing among them is to be compared here.
    """
    old, new = context.old, context.new
    both = [(old.tools[name], new.tools[name]) for name in sorted(old.tools.keys() & new.tools.keys())]
    both = [each for each in both if not same_schemas(*each)]
    others = processors() - 1
    if len(both) < MANY or not others or choice.tools:
        yield frozenset(), dict
        return
    from concurrent.futures.process import BrokenProcessPool

    if others == 1:  # this process makes the definitions, which takes less time
        both = both[: len(both) * 3 // 4]
    bare = replace(context, old=replace(old, tools={}), new=replace(new, tools={}))
    with process_pool(others, _prepare, bare, choice.audiences) as submit:
        futures: list[Future[_Found]] = []
        with suppress(BrokenProcessPool):
            futures += (submit(_work, both[at : at + _CHUNK]) for at in range(0, len(both), _CHUNK))

        def wait() -> _Found:
            found: dict[str, tuple[Change, ...]] = {}
            with suppress(BrokenProcessPool):
                for future in futures:
                    found.update(future.result())
            return found

        yield frozenset(tool.name for _, tool in both), wait


_shared: tuple[Context, tuple[Audience, ...]] | None = None  # set once, when a worker process starts


def _prepare(context: Context, audiences: tuple[Audience, ...]) -> None:
    global _shared  # an initializer has no other way to pass a value to the tasks
    _shared = context, audiences


def _work(tools: Sequence[tuple[ToolSpec, ToolSpec]]) -> _Found:
    assert _shared is not None
    context, audiences = _shared
    pairs = (make_pair((context.old, context.new), *each) for each in tools)
    return {
        pair.name: tuple(_contract_changes(pair, context, audiences)) for pair in pairs if pair is not None
    }


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
