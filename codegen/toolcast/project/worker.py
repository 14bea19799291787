"""Load and compile one spec or shared type file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.model import Document
from .core.compiled import Compiled, Options
from .frontend import Frontend

MISSING_LIBRARY = "missing-library"


class Task(Struct, frozen=True, gc=False):
    """One spec or shared type file to compile; `path` is posix, below the specs root."""

    path: str
    kind: Literal["tool", "type"]


class Context(Struct, frozen=True, kw_only=True):
    """What every task of a run shares. `types`: the shared type files, as paths below `root`."""

    frontend: Frontend
    root: str
    shown_root: str
    types: tuple[str, ...]
    known_providers: tuple[str, ...]
    options: Options

    def shown(self, path: str) -> str:
        """A path below the specs root as diagnostics show it."""
        return f"{self.shown_root}/{path}" if self.shown_root not in ("", ".") else path


def load_types(context: Context) -> dict[str, Document]:
    """Load every shared type that can be read. The task of a type reports why it cannot be read."""
    documents: dict[str, Document] = {}
    for path in context.types:
        try:
            document, _ = context.frontend.load_type(Path(context.root), path, context.shown_root)
        except Exception:  # the type's own task reports it
            continue
        if document is not None:
            documents[path] = document
    return documents


def compile_task(context: Context, types: Mapping[str, Document], task: Task) -> Compiled:
    """Load and compile one file. A fault of the compiler becomes a diagnostic and raises nothing."""
    try:
        return _compile(context, types, task)
    except Exception as error:  # one broken spec must not stop the others
        return failed(task.path, _crash(context, task.path, error))


def failed(path: str, *diagnostics: Diagnostic) -> Compiled:
    """The result for a file that yields no outputs."""
    return Compiled(path=path, files={}, diagnostics=tuple(diagnostics), uses=())


def _compile(context: Context, types: Mapping[str, Document], task: Task) -> Compiled:
    root, frontend = Path(context.root), context.frontend
    if task.kind == "type":
        document, problems = frontend.load_type(root, task.path, context.shown_root)
        if document is None:
            return failed(task.path, *problems)
        compiled = frontend.compile_type(task.path, types, context.options)
    else:
        tool, problems = frontend.load_tool(root, task.path, context.shown_root, context.known_providers)
        if tool is None:
            return failed(task.path, *problems)
        compiled = frontend.compile_tool(tool, types, context.options)
    both = tuple(sorted({*problems, *compiled.diagnostics}))
    if any(problem.severity == "error" for problem in both):
        return Compiled(path=task.path, files={}, diagnostics=both, uses=compiled.uses)
    return Compiled(
        path=task.path, files=compiled.files, diagnostics=both, uses=compiled.uses, entry=compiled.entry
    )


def _crash(context: Context, path: str, error: Exception) -> Diagnostic:
    if isinstance(error, ImportError):
        hint = "run: pip install 'toolcast[build]'"
        return Diagnostic(file=context.shown(path), code=MISSING_LIBRARY, message=f"{error}", hint=hint)
    import traceback  # for a fault of ours only

    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Diagnostic(
        file=context.shown(path),
        code="internal-error",
        message=f"the compiler failed on this file: {type(error).__name__}: {error}{place}",
        hint="this is a fault of toolcast, not of the spec; please report it with the spec",
    )
