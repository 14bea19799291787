"""Decides which units are up to date."""

from collections.abc import Sequence

from msgspec import Struct

from ..config import Config
from ..spec.type_folders import TypeFolder, file_of
from .output.output_tree import Tree
from .profiles import Profiles
from .state.cache import Cache, Unit
from .state.fingerprint import Sources, combine, setting
from .state.index import Index
from .state.libraries import Library, libraries
from .type_packages import find_types
from .worker import Task


class Snapshot(Struct, frozen=True, kw_only=True):
    """What the last run left, and the files as they are now.

    `common` is the digest of what outputs depend on apart from specs.
    """

    root: str
    cache: Cache
    common: str
    sources: Sources
    tree: Tree
    libraries: tuple[Library, ...]
    folders: tuple[TypeFolder, ...] = ()

    def digest(self, path: str) -> str | None:
        """The digest of the source at `path`, as the specs root has it; None if it is gone."""
        file = file_of(self.root, path, self.folders)
        return None if file is None else self.sources.digest(file)

    def changed(self, path: str) -> bool:
        """True if the source has changed since it was digested."""
        file = file_of(self.root, path, self.folders)
        return file is None or self.sources.changed(file)


def snapshot(
    config: Config,
    profiles: Profiles,
    cache: Cache,
    sources: Sources,
    index: Index,
) -> Snapshot:
    """A snapshot of the project of `config`. `sources` has the digests of what was read of it already."""
    used = libraries(models=bool(config.models))
    parts = setting(config, profiles.chosen, profiles.files, used, sources, index)
    return Snapshot(
        root=str(config.specs),
        cache=cache,
        common=combine(word for name in sorted(parts) for word in (name, parts[name])),
        sources=sources,
        tree=Tree(config.output, index),
        libraries=used,
        folders=find_types(config)[0],
    )


def fingerprint(now: Snapshot, task: Task, uses: Sequence[str]) -> str:
    """The digest of everything that one unit's outputs depend on, the same on every machine."""
    parts = [now.common, task.kind, task.path]
    for path in (task.path, *uses):
        parts += [path, now.digest(path) or "-"]
    return combine(parts)


def current_unit(now: Snapshot, task: Task) -> Unit | None:
    """The unit of `task` as the last run left it; None if it is stale."""
    unit = now.cache.units.get(task.path)
    if unit is None or unit.fingerprint != fingerprint(now, task, unit.uses):
        return None
    return unit if now.tree.intact(unit.outputs) else None
