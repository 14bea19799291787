"""Why one unit would be compiled again by the next run, and why it was compiled when it last was."""

from pathlib import Path

from msgspec import Struct

from .. import package_files as paths
from ..config import Config
from ..project.profiles import profiles_of
from ..project.staleness import current_unit, snapshot, stale_reasons
from ..project.state.cache import load_cache
from ..project.state.fingerprint import Sources, walk
from ..project.state.index import Index
from ..project.worker import Task
from ..spec.tool_names import shown


class Explanation(Struct, frozen=True, kw_only=True):
    """`now` and `before` are reasons of `stale_reasons`; without any in `now`, the unit is up to date."""

    path: str
    gone: bool  # the spec was deleted: the next run deletes its outputs
    now: tuple[str, ...]
    before: tuple[str, ...]
    fetched: bool  # a shared cache provided it
    uses: tuple[str, ...]
    outputs: tuple[str, ...]
    generator: tuple[str, ...]  # files of toolcast itself that changed


def explain(config: Config, task: Task) -> Explanation:
    """Compare one unit of the last run with the files as they are; nothing is compiled or written.

    `task` need not exist any more, if the last run had it. Raises OSError.
    """
    cache = load_cache(config.state)
    index = Index(config.base, load=bool(cache.units))
    sources = Sources(index, cache.sources)
    now = snapshot(config, profiles_of(config)[0], cache, sources, index)
    unit = cache.units.get(task.path)
    gone = now.digest(task.path) is None
    reasons = () if gone or current_unit(now, task) is not None else stale_reasons(now, task)
    changed: list[str] = []
    if "setting generator" in reasons:
        changed = [
            path.relative_to(paths.PACKAGE).as_posix()
            for path in sorted(map(Path, walk(paths.PACKAGE, index)))
            if path.suffix in (".py", ".toml") and sources.digest(path) != sources.recorded(path)
        ]
    return Explanation(
        path=task.path,
        gone=gone,
        now=reasons,
        before=unit.why if unit is not None else (),
        fetched=unit is not None and unit.fetched,
        uses=unit.uses if unit is not None else (),
        outputs=tuple(sorted(unit.outputs)) if unit is not None else (),
        generator=tuple(changed),
    )


def describe_reason(reason: str, *, specs: str, output: str) -> str:
    """A sentence for one reason. `specs` and `output` are the folders as people see them."""
    kind, _, name = reason.partition(" ")
    match kind:
        case "new":
            return "the run before did not have this spec"
        case "unknown":
            return "there was no record of an earlier run on this machine"
        case "again":
            return "the run before could not compile it, or saw it change meanwhile"
        case "source":
            return f"{shown(specs, name)} changed"
        case "gone":
            return f"{shown(specs, name)}, which it refers to, is gone"
        case "output":
            return f"{shown(output, name)} was changed or deleted"
        case "fetched":
            return "it came from the shared cache, which --no-cache does not trust"
        case _:
            return _describe_setting(name)


def _describe_setting(part: str) -> str:
    kind, _, name = part.partition(" ")
    match kind:
        case "library":
            return f"the version of {name} changed"
        case "profile":
            return f"the profile {name.rpartition(' ')[0]} changed"
        case "template":
            return f"toolcast's template {name} changed"
        case "own":
            return f"the template {name.partition(' ')[2]} of this project changed"
        case "generator":
            return "the source of toolcast changed"
        case "toolcast" | "Python":
            return f"the version of {kind} changed"
        case "providers" | "models" | "targets":
            return f"`{kind}` in the configuration changed"
        case _:
            return "what toolcast remembers has another form"
