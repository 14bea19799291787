"""Which units are fresh, and what the stale ones become."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from .cache import Cache, Unit
from .compile import Compiled
from .fingerprint import Setting, Sources, combine, digest
from .fresh import Judge
from .frontend import Found
from .sharing import Sharing
from .tree import Tree
from .workers import Shop, Task, compile_all


class Collected(Struct, kw_only=True):
    """Every unit that compiles. `files` has the bytes of those that were compiled now, or fetched."""

    units: dict[str, Unit]
    files: dict[str, Mapping[str, bytes]]
    diagnostics: list[Diagnostic]
    fetched: set[str]  # others compiled them
    shaky: set[str]  # compiled while their sources changed: right now, but not to be remembered
    kept: set[str]  # they no longer compile, but stay as the last run left them


def collect(
    shop: Shop,
    found: Found,
    *,
    setting: Setting,
    sources: Sources,
    cache: Cache,
    tree: Tree,
    sharing: Sharing,
    moved: Callable[[Path], bool],
    jobs: int | None,
    progress: Callable[[int, int], None],
    keep: bool = False,
) -> Collected:
    """Take fresh units from the cache, and others from the cache that machines share; compile the rest.

    With `keep`, a unit that no longer compiles stays as the last run left it: the next run looks at it again.
    """
    root = Path(shop.root)
    tasks = [Task(path, "type") for path in found.types] + [Task(path, "tool") for path in found.tools]
    for task in tasks:
        sources.digest(f"{root}/{task.path}")
    judge = Judge(cache, root, setting, sources, tree, trusting=sharing.trusting)
    sharing.open(shop, judge.fingerprint)
    result = Collected(units={}, files={}, diagnostics=[], fetched=set(), shaky=set(), kept=set())
    stale: list[Task] = []
    for task in tasks:
        if (unit := judge.fresh(task)) is not None:
            result.units[task.path] = unit
            result.diagnostics += unit.warnings
        else:
            stale.append(task)
    why = {task.path: judge.why(task) for task in stale}
    for path, (unit, files) in sharing.fetch(stale).items():
        result.units[path] = structs.replace(unit, why=why[path])
        result.files[path] = files
        result.fetched.add(path)
    missing = [task for task in stale if task.path not in result.fetched]
    while missing:
        outcomes = compile_all(shop, missing, jobs=jobs, progress=progress)
        for task, outcome in zip(missing, outcomes, strict=True):
            result.diagnostics += outcome.diagnostics
            if any(problem.severity == "error" for problem in outcome.diagnostics):
                former = cache.units.get(task.path) if keep else None
                if former is not None and tree.intact(former.outputs):
                    result.units[task.path] = former
                    result.kept.add(task.path)
                continue
            print_ = judge.fingerprint(task, outcome.uses)
            result.units[task.path] = _unit(outcome, print_, why[task.path])
            result.files[task.path] = outcome.files
            if any(moved(root / path) for path in (task.path, *outcome.uses)):
                result.shaky.add(task.path)
        missing = _take_back(stale, result, sharing)
    for path in result.fetched:
        result.diagnostics += result.units[path].warnings
    made = result.files.keys() - result.fetched - result.shaky
    sharing.keep(
        [(task, result.units[task.path], result.files[task.path]) for task in stale if task.path in made]
    )
    return result


def _take_back(stale: list[Task], result: Collected, sharing: Sharing) -> list[Task]:
    """Fetched units that do not fit beside others: what they say of themselves is not to be believed."""
    if not result.fetched:
        return []
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for path, unit in result.units.items():
        names = [] if unit.entry is None else [f"name {unit.entry.name}", f"keyword {unit.entry.keyword}"]
        for claim in (*names, *(output.casefold() for output in unit.outputs)):
            claims[claim].add(path)
    contested = {path for paths in claims.values() if len(paths) > 1 for path in paths} & result.fetched
    for path in contested:
        del result.units[path], result.files[path]
    result.fetched -= contested
    sharing.reject(len(contested))
    return [task for task in stale if task.path in contested]


def source_digest(root: Path, path: str, uses: tuple[str, ...], sources: Sources) -> str:
    """What the manifest says of a unit: the same on every machine and with any line endings."""
    parts: list[str] = []
    for name in (path, *uses):
        parts += [name, sources.digest(f"{root}/{name}") or "-"]
    return combine(parts)[:16]


def _unit(outcome: Compiled, print_: str, why: tuple[str, ...]) -> Unit:
    return Unit(
        fingerprint=print_,
        outputs={path: digest(content) for path, content in outcome.files.items()},
        uses=outcome.uses,
        entry=outcome.entry,
        warnings=outcome.diagnostics,
        why=why,
    )
