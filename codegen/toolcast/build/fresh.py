"""Which units stand as the last run left them, and why the others do not."""

from pathlib import Path

from .output.tree import Tree
from .state.cache import Cache, Unit
from .state.fingerprint import Setting, Sources, combine
from .workers import Task

_REMEMBERED = 8


class Judge:
    """Compares the last run with what is there now.

    `sources` must have digested every spec and type, if `cache` knows any. Its reasons are short words for
    the cache to keep; `told` makes sentences of them.
    """

    def __init__(
        self, cache: Cache, root: Path, setting: Setting, sources: Sources, tree: Tree, *, trusting: bool
    ) -> None:
        self._cache, self._root, self._sources, self._tree = cache, root, sources, tree
        self._digest = setting.digest
        self._trusting = trusting  # what came from a cache that machines share may stay
        # What the last run left had the fingerprints of its own sources and setting: where those are as they
        # were, so are they.
        self._same = frozenset[str]()
        if sources.sound and cache.setting == setting.parts:
            self._same = sources.same_below(root)
        names = sorted(cache.setting.keys() | setting.parts.keys())
        self._changed = [
            f"setting {name}" for name in names if cache.setting.get(name) != setting.parts.get(name)
        ]

    def fingerprint(self, task: Task, uses: tuple[str, ...]) -> str:
        """The digest of everything that one unit's outputs depend on, the same on every machine."""
        parts = [self._digest, task.kind, task.path]
        for path in (task.path, *uses):
            parts += [path, self._sources.digest(f"{self._root}/{path}") or "-"]
        return combine(parts)

    def fresh(self, task: Task) -> Unit | None:
        """The unit as the last run left it, if that is still right."""
        unit = self._cache.units.get(task.path)
        if unit is None:
            return None
        same = self._same.issuperset((task.path, *unit.uses))
        if not same and unit.fingerprint != self.fingerprint(task, unit.uses):
            return None
        if unit.fetched and not self._trusting:
            return None
        return unit if self._tree.intact(unit.outputs) else None

    def why(self, task: Task) -> tuple[str, ...]:
        """Reasons why a unit is not fresh, as few as the cache needs to remember."""
        return self.every_reason(task, outputs=False)[:_REMEMBERED]

    def every_reason(self, task: Task, *, outputs: bool = True) -> tuple[str, ...]:
        """All of them. Without `outputs`, those are looked at only if nothing else has changed."""
        unit = self._cache.units.get(task.path)
        if unit is None:
            if self._sources.former(f"{self._root}/{task.path}") is not None:
                return ("again",)
            return ("new",) if self._cache.units else ("unknown",)
        found = list(self._changed)
        for path in (task.path, *unit.uses):
            now = self._sources.digest(f"{self._root}/{path}")
            if now is None:
                found.append(f"gone {path}")
            elif now != self._sources.former(f"{self._root}/{path}"):
                found.append(f"source {path}")
        if outputs or not found:
            intact = self._tree.intact
            found += [f"output {path}" for path, data in unit.outputs.items() if not intact({path: data})]
        if unit.fetched and not self._trusting:
            found.append("fetched")
        return tuple(found) or ("again",)


def told(reason: str, *, specs: str, output: str) -> str:
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
            return f"{_join(specs, name)} changed"
        case "gone":
            return f"{_join(specs, name)}, which it refers to, is gone"
        case "output":
            return f"{_join(output, name)} was changed or deleted"
        case "fetched":
            return "it came from the shared cache, which --no-cache does not trust"
        case _:
            return _told_setting(name)


def _told_setting(part: str) -> str:
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
        case "providers" | "models":
            return f"`{kind}` in the configuration changed"
        case _:
            return "what toolcast remembers has another form"


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder not in ("", ".") else name
