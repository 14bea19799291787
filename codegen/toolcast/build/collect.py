"""Which units are fresh, and what the stale ones become."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from .conflicts import find_conflicts, find_name_clashes
from .crew import Crew
from .fresh import Judge
from .frontend import Found
from .output.content import Files, held_files
from .output.tree import Tree
from .sharing import Sharing
from .state.cache import Cache, Unit
from .state.fingerprint import Setting, Sources, combine
from .workers import Outcome, Shop, Task


class Collected(Struct, kw_only=True):
    """Every unit that compiles. `files` has the contents of those that were compiled now, or fetched."""

    units: dict[str, Unit]
    files: dict[str, Files]
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
    moved: Callable[[str], bool],
    crew: Crew,
    progress: Callable[[int, int], None],
    keep: bool = False,
) -> Collected:
    """Take fresh units from the cache, and others from the cache that machines share; compile the rest.

    With `keep`, a unit that no longer compiles stays as the last run left it: the next run looks at it again.
    """
    root = Path(shop.root)
    tasks = [Task(path, "type") for path in found.types] + [Task(path, "tool") for path in found.tools]

    def look(task: Task) -> None:
        sources.digest(f"{root}/{task.path}")

    # Each is looked at before it is read, and workers read all types when they start. Where nothing is known
    # of tools, they are looked at while others are compiled.
    for task in tasks if cache.units or sharing.named else tasks[: len(found.types)]:
        look(task)
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
        result.files[path] = held_files(files)
        result.fetched.add(path)
    doubted: dict[str, Unit] = {}
    missing = [task for task in stale if task.path not in result.fetched]
    while missing or (missing := _doubt(stale, result, doubted, shop)):
        outcomes = crew.compile(missing, progress, look)
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
            if any(moved(f"{root}/{path}") for path in (task.path, *outcome.uses)):
                result.shaky.add(task.path)
        missing = []
    sharing.reject(
        len(doubted), sum(_differs(unit, result.units.get(path)) for path, unit in doubted.items())
    )
    for path in result.fetched:
        result.diagnostics += result.units[path].warnings
    made = result.files.keys() - result.fetched - result.shaky
    sharing.keep(
        [(task, result.units[task.path], result.files[task.path]) for task in stale if task.path in made]
    )
    return result


def _doubt(stale: list[Task], result: Collected, doubted: dict[str, Unit], shop: Shop) -> list[Task]:
    """Take out the fetched units that cannot stand beside others, for compiling will tell who is right."""
    if not result.fetched:
        return []
    clashing = set(find_conflicts(result.units, (), shop))
    if find_name_clashes(result.units, shop):  # tells of one of two: any may be the wrong one
        clashing |= result.fetched
    for path in clashing & result.fetched:
        doubted[path] = result.units.pop(path)
        del result.files[path]
    taken = [task for task in stale if task.path in clashing & result.fetched]
    result.fetched -= clashing
    return taken


def _differs(fetched: Unit, compiled: Unit | None) -> bool:
    return compiled is None or (fetched.outputs, fetched.entry) != (compiled.outputs, compiled.entry)


def source_digest(root: Path, path: str, uses: tuple[str, ...], sources: Sources) -> str:
    """What the manifest says of a unit: the same on every machine and with any line endings."""
    parts: list[str] = []
    for name in (path, *uses):
        parts += [name, sources.digest(f"{root}/{name}") or "-"]
    return combine(parts)[:16]


def _unit(outcome: Outcome, print_: str, why: tuple[str, ...]) -> Unit:
    return Unit(
        fingerprint=print_,
        outputs=outcome.files.digests,
        uses=outcome.uses,
        entry=outcome.entry,
        warnings=outcome.diagnostics,
        why=why,
    )
