"""Which units are fresh, and what the stale ones become."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from ..diagnostics import Diagnostic
from .cache import Cache, Unit
from .compile import Compiled
from .fingerprint import Sources, combine, digest
from .frontend import Found
from .tree import Tree
from .workers import Shop, Task, compile_all, shown


class Collected(Struct, kw_only=True):
    """Every unit that compiles. `files` has the bytes of those that were compiled now."""

    units: dict[str, Unit]
    files: dict[str, Mapping[str, bytes]]
    diagnostics: list[Diagnostic]
    shaky: set[str]  # compiled while their sources changed: right now, but not to be remembered
    kept: set[str]  # they no longer compile, but stay as the last run left them


def collect(
    shop: Shop,
    found: Found,
    *,
    setting: str,
    sources: Sources,
    cache: Cache,
    tree: Tree,
    moved: Callable[[Path], bool],
    jobs: int | None,
    progress: Callable[[int, int], None],
    keep: bool = False,
) -> Collected:
    """Take fresh units from the cache and compile the others.

    With `keep`, a unit that no longer compiles stays as the last run left it: the next run looks at it again.
    """
    root = Path(shop.root)
    tasks = [Task(path, "type") for path in found.types] + [Task(path, "tool") for path in found.tools]
    for task in tasks:
        sources.digest(f"{root}/{task.path}")
    result = Collected(units={}, files={}, diagnostics=[], shaky=set(), kept=set())
    stale: list[Task] = []
    for task in tasks:
        unit = cache.units.get(task.path)
        if (
            unit is not None
            and unit.fingerprint == fingerprint(setting, root, task, unit.uses, sources)
            and tree.intact(unit.outputs)
        ):
            result.units[task.path] = unit
            result.diagnostics += unit.warnings
        else:
            stale.append(task)
    outcomes = compile_all(shop, stale, jobs=jobs, progress=progress) if stale else []
    for task, outcome in zip(stale, outcomes, strict=True):
        result.diagnostics += outcome.diagnostics
        if any(problem.severity == "error" for problem in outcome.diagnostics):
            former = cache.units.get(task.path) if keep else None
            if former is not None and tree.intact(former.outputs):
                result.units[task.path] = former
                result.kept.add(task.path)
            continue
        print_ = fingerprint(setting, root, task, outcome.uses, sources)
        result.units[task.path] = _unit(outcome, print_)
        result.files[task.path] = outcome.files
        if any(moved(root / path) for path in (task.path, *outcome.uses)):
            result.shaky.add(task.path)
    return result


def fingerprint(setting: str, root: Path, task: Task, uses: tuple[str, ...], sources: Sources) -> str:
    """The digest of everything that one unit's outputs depend on."""
    parts = [setting, task.kind, task.path]
    for path in (task.path, *uses):
        source = sources.digest(f"{root}/{path}")
        parts += [path, source.raw if source else "-"]
    return combine(parts)


def source_digest(root: Path, path: str, uses: tuple[str, ...], sources: Sources) -> str:
    """What the manifest says of a unit: the same on every machine and with any line endings."""
    parts: list[str] = []
    for name in (path, *uses):
        source = sources.digest(f"{root}/{name}")
        parts += [name, source.text if source else "-"]
    return combine(parts)[:16]


def _unit(outcome: Compiled, print_: str) -> Unit:
    return Unit(
        fingerprint=print_,
        outputs={path: digest(content) for path, content in outcome.files.items()},
        uses=outcome.uses,
        entry=outcome.entry,
        warnings=outcome.diagnostics,
    )


def drop_dependents(shop: Shop, result: Collected) -> None:
    """A tool whose shared type did not compile would import a module that is not there."""
    broken = set(shop.types) - set(result.units)
    for path, unit in sorted(result.units.items()):
        if culprits := sorted(broken.intersection(unit.uses)):
            del result.units[path]
            result.files.pop(path, None)
            message = f"refers to {shown(shop, culprits[0])}, which does not compile"
            result.diagnostics.append(
                Diagnostic(
                    file=shown(shop, path), code="broken-type", message=message, hint="correct it first"
                )
            )
