"""Why one unit would be made again by the next run, and why it was made when it last was."""

from pathlib import Path

from msgspec import Struct

from .. import paths
from ..config import Config
from .core.compile import Options
from .fresh import Judge
from .frontend import Frontend
from .output.tree import Tree
from .profiles import profiles_of
from .state.cache import load_cache
from .state.fingerprint import Sources, setting, walk
from .state.index import Index
from .state.libraries import libraries
from .workers import Task


class Explanation(Struct, frozen=True, kw_only=True):
    """`now` and `before` are reasons as `fresh.told` reads them; without any in `now`, the unit stands."""

    path: str
    gone: bool  # the spec was deleted: the next run deletes what it became
    now: tuple[str, ...]
    before: tuple[str, ...]
    fetched: bool  # a cache that machines share gave it
    uses: tuple[str, ...]
    outputs: tuple[str, ...]
    generator: tuple[str, ...]  # files of toolcast itself that changed


def explain(config: Config, frontend: Frontend, task: Task) -> Explanation:
    """Compare the last run with what is there now; nothing is compiled or written. Raises OSError.

    `task` need not exist any more, if the last run had it.
    """
    index, cache = Index(config.base), load_cache(config.state)
    if cache.units:
        index.load()
    sources = Sources(index, cache.sources)
    profiles, _ = profiles_of(config, frontend.known_providers)
    options = Options(
        providers=profiles.known if config.providers is None else config.providers,
        models=config.models,
        templates=None if config.templates is None else str(config.templates),
        profiles=profiles.files,
    )
    common = setting(config, options, libraries(models=bool(config.models)), sources, index)
    judge = Judge(cache, config.specs, common, sources, Tree(config.output, index), trusting=True)
    unit = cache.units.get(task.path)
    gone = sources.digest(config.specs / task.path) is None
    now = () if gone or judge.fresh(task) is not None else judge.every_reason(task)
    changed: list[str] = []
    if "setting generator" in now:
        changed = [
            path.relative_to(paths.PACKAGE).as_posix()
            for path in sorted(map(Path, walk(paths.PACKAGE, index)))
            if path.suffix in (".py", ".toml") and sources.digest(path) != sources.former(path)
        ]
    return Explanation(
        path=task.path,
        gone=gone,
        now=now,
        before=unit.why if unit is not None else (),
        fetched=unit is not None and unit.fetched,
        uses=unit.uses if unit is not None else (),
        outputs=tuple(sorted(unit.outputs)) if unit is not None else (),
        generator=tuple(changed),
    )
