"""Load and compile many specs, in this process or in several; the outcome is the same, in the same order."""

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.model import Document
from .core.compile import Compiled, Options
from .frontend import Frontend
from .orphans import end_with_parent

MISSING_LIBRARY = "missing-library"
MANY = 24
"""From this number of specs on, starting processes pays."""
MANY_WITH_MODELS = 8
"""The same when other model families are asked for: each takes longer than all the rest."""


_CHUNKS = 64
"""Chunks after which a worker looks for garbage among all that it holds, not only in what is new."""


class Task(Struct, frozen=True):
    """One spec or shared type file to compile; `path` is posix, below the specs root."""

    path: str
    kind: Literal["tool", "type"]


class Shop(Struct, frozen=True, kw_only=True):
    """What every task of a run shares."""

    frontend: Frontend
    root: str
    shown_root: str
    types: tuple[str, ...]
    known_providers: tuple[str, ...]
    options: Options


def compile_all(
    shop: Shop, tasks: Sequence[Task], *, jobs: int | None, progress: Callable[[int, int], None]
) -> list[Compiled]:
    """Compile `tasks`; one outcome each, in their order. `progress` is told (done, total).

    `jobs` None means one per processor. A task that raises, or kills its process, becomes a diagnostic.
    """
    count = min(jobs or processors(), max(1, len(tasks) // 4))
    if count < 2 or len(tasks) < (MANY_WITH_MODELS if shop.options.models else MANY):
        types = load_types(shop)
        done: list[Compiled] = []
        for task in tasks:
            done.append(run(shop, types, task))
            progress(len(done), len(tasks))
        return done
    return _in_processes(shop, tasks, count, progress)


def processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_types(shop: Shop) -> dict[str, Document]:
    """Every shared type that can be read. Why one cannot is told by the task that compiles it."""
    documents: dict[str, Document] = {}
    for path in shop.types:
        try:
            document, _ = shop.frontend.load_type(Path(shop.root), path, shop.shown_root)
        except Exception:  # told by the type's own task
            continue
        if document is not None:
            documents[path] = document
    return documents


def run(shop: Shop, types: Mapping[str, Document], task: Task) -> Compiled:
    """Load and compile one file. Never raises for a fault of the compiler: it is reported with its place."""
    try:
        return _run(shop, types, task)
    except Exception as error:  # one broken spec must not stop the others
        return failed(task.path, _crash(shop, task.path, error))


def failed(path: str, *diagnostics: Diagnostic) -> Compiled:
    """The outcome of a file that yields nothing."""
    return Compiled(path=path, files={}, diagnostics=tuple(diagnostics), uses=())


def _run(shop: Shop, types: Mapping[str, Document], task: Task) -> Compiled:
    root, frontend = Path(shop.root), shop.frontend
    if task.kind == "type":
        document, problems = frontend.load_type(root, task.path, shop.shown_root)
        if document is None:
            return failed(task.path, *problems)
        outcome = frontend.compile_type(task.path, types, shop.options)
    else:
        tool, problems = frontend.load_tool(root, task.path, shop.shown_root, shop.known_providers)
        if tool is None:
            return failed(task.path, *problems)
        outcome = frontend.compile_tool(tool, types, shop.options)
    both = tuple(sorted({*problems, *outcome.diagnostics}))
    if any(problem.severity == "error" for problem in both):
        return Compiled(path=task.path, files={}, diagnostics=both, uses=outcome.uses)
    return Compiled(
        path=task.path, files=outcome.files, diagnostics=both, uses=outcome.uses, entry=outcome.entry
    )


def _crash(shop: Shop, path: str, error: Exception) -> Diagnostic:
    if isinstance(error, ImportError):
        hint = "run: pip install 'toolwright[build]'"
        return Diagnostic(file=shown(shop, path), code=MISSING_LIBRARY, message=f"{error}", hint=hint)
    import traceback  # for a fault of ours only

    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Diagnostic(
        file=shown(shop, path),
        code="internal-error",
        message=f"the compiler failed on this file: {type(error).__name__}: {error}{place}",
        hint="this is a fault of toolwright, not of the spec; please report it with the spec",
    )


def shown(shop: Shop, path: str) -> str:
    """A path below the specs root as diagnostics show it."""
    return f"{shop.shown_root}/{path}" if shop.shown_root not in ("", ".") else path


_shop: tuple[Shop, dict[str, Document]] | None = None  # one per worker process, set when it starts


def _open_shop(shop: Shop) -> None:
    global _shop  # a process pool's initializer has no other way to hand a value on
    end_with_parent()
    _shop = (shop, load_types(shop))
    gc.disable()  # `_run_chunk` looks for garbage when there is some
    gc.freeze()  # what is there stays there: a search for garbage would only copy the parent's memory


def _run_chunk(tasks: Sequence[Task]) -> list[Compiled]:
    assert _shop is not None
    shop, types = _shop
    made = [run(shop, types, task) for task in tasks]
    # The classes of proven modules, mostly; at once, while they are in the processor's cache.
    gc.collect(0 if gc.get_count()[1] < _CHUNKS else 2)
    return made


def _in_processes(
    shop: Shop, tasks: Sequence[Task], count: int, progress: Callable[[int, int], None]
) -> list[Compiled]:
    from concurrent.futures import Future, ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    with contextlib.suppress(Exception):  # the tasks tell what is missing
        shop.frontend.prepare()
    size = max(1, min(16, len(tasks) // (count * 4)))
    chunks = [tasks[start : start + size] for start in range(0, len(tasks), size)]
    outcomes: dict[int, list[Compiled]] = {}
    done = 0
    with ProcessPoolExecutor(count, initializer=_open_shop, initargs=(shop,)) as pool:
        numbers: dict[Future[list[Compiled]], int] = {}
        with contextlib.suppress(BrokenProcessPool):  # one may die while others are being handed out
            for number, chunk in enumerate(chunks):
                numbers[pool.submit(_run_chunk, chunk)] = number
        for future in as_completed(numbers):
            number = numbers[future]
            try:
                outcomes[number] = future.result()
            except BrokenProcessPool:
                continue
            done += len(chunks[number])
            progress(done, len(tasks))
    for number, chunk in enumerate(chunks):
        if number not in outcomes:  # a process died: each of these alone, to learn which spec does it
            outcomes[number] = _one_by_one(shop, chunk)
    return [outcome for number in range(len(chunks)) for outcome in outcomes[number]]


def _one_by_one(shop: Shop, tasks: Sequence[Task]) -> list[Compiled]:
    """Compile tasks of which one kills its process: halves are tried until it stands alone."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    try:
        with ProcessPoolExecutor(1, initializer=_open_shop, initargs=(shop,)) as pool:
            return pool.submit(_run_chunk, tasks).result()
    except BrokenProcessPool:
        if len(tasks) > 1:
            middle = len(tasks) // 2
            return [*_one_by_one(shop, tasks[:middle]), *_one_by_one(shop, tasks[middle:])]
    problem = Diagnostic(
        file=shown(shop, tasks[0].path),
        code="worker-crash",
        message="the process that compiled this file died",
        hint="it may need more memory than there is; otherwise please report it with the spec",
    )
    return [failed(tasks[0].path, problem)]
