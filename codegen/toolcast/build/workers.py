"""Load and compile one spec after the other: what each worker of a `crew` does."""

import contextlib
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.model import Document
from .core.compile import Compiled, Options, ToolEntry
from .frontend import Frontend
from .output.content import Files, held_files
from .spill import Spill

MISSING_LIBRARY = "missing-library"
_SAFE_PATH = "PYTHONSAFEPATH"


class Task(Struct, frozen=True, gc=False):
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


class Outcome(Struct, frozen=True, kw_only=True, array_like=True):
    """What one file became, as a run keeps it: `files` says what they hold, or where that is."""

    path: str
    files: Files
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[str, ...]
    entry: ToolEntry | None = None


def run_all(
    shop: Shop, types: Mapping[str, Document], tasks: Sequence[Task], spill: Spill | None
) -> list[Outcome]:
    """Compile `tasks`; one outcome each, in their order. Raises OSError where `spill` cannot hold more."""
    return [_kept(run(shop, types, task), spill) for task in tasks]


def _kept(made: Compiled, spill: Spill | None) -> Outcome:
    files = held_files(made.files) if spill is None else spill.keep(made.files)
    return Outcome(
        path=made.path, files=files, diagnostics=made.diagnostics, uses=made.uses, entry=made.entry
    )


def processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def safe_path() -> Generator[None]:
    """Python processes that are started meanwhile find no module in the working directory: where they are not
    forked, a new one is a `python -c`, for which that would come first."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before


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
        hint = "run: pip install 'toolcast[build]'"
        return Diagnostic(file=shown(shop, path), code=MISSING_LIBRARY, message=f"{error}", hint=hint)
    import traceback  # for a fault of ours only

    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Diagnostic(
        file=shown(shop, path),
        code="internal-error",
        message=f"the compiler failed on this file: {type(error).__name__}: {error}{place}",
        hint="this is a fault of toolcast, not of the spec; please report it with the spec",
    )


def shown(shop: Shop, path: str) -> str:
    """A path below the specs root as diagnostics show it."""
    return f"{shop.shown_root}/{path}" if shop.shown_root not in ("", ".") else path
