"""Load and compile one spec or shared type file, with the functions of one front end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, show
from ..diagnostics import MISSING_LIBRARY, Diagnostic, has_errors
from ..spec.discovery import Discovery, discover
from ..spec.load import load_spec, load_type
from ..spec.parsed_document import Document, SharedTypes
from ..spec.tool_names import Entry, Locate, check_names, check_types, shown
from ..spec.tool_spec import ToolSpec
from ..spec.type_folders import TypeFolder, is_outside
from .core.compiled import Compiled, Options, ToolEntry
from .profiles import Profiles, find_types
from .state.fingerprint import source_digest

if TYPE_CHECKING:
    from ..targets.target import Target

_Problems = tuple[Diagnostic, ...]


class Frontend(Struct, frozen=True, kw_only=True):
    """The functions of a build, with arguments as in `FRONTEND`; workers get them pickled by name."""

    discover: Callable[..., Discovery]
    load_tool: Callable[..., tuple[ToolSpec | Document | None, _Problems]]
    load_type: Callable[..., tuple[Document | None, _Problems]]
    check_names: Callable[[Iterable[Entry], Iterable[str], str, Locate], _Problems]
    compile_tool: Callable[[ToolSpec, Mapping[str, Document], Options], Compiled]
    check_schemas: Callable[[Document, str, Mapping[str, Document]], Compiled]
    compile_type: Callable[[str, Mapping[str, Document], Options], Compiled]
    compile_package: Callable[[Sequence[ToolEntry], Sequence[str], Options], dict[str, bytes]]


def _check_names(
    entries: Iterable[Entry], types: Iterable[str], shown_root: str, locate: Locate
) -> _Problems:
    clashes = check_names(entries, shown_root=shown_root, locate=locate)
    return (*clashes, *check_types(types, shown_root=shown_root))


# The compiler is imported by the first compile: a run in which everything is up to date does without.


def _compile_tool(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Compiled:
    from .core.compiler import compile_tool

    return compile_tool(tool, types, options)


def _check_schemas(document: Document, path: str, types: Mapping[str, Document]) -> Compiled:
    from ..contract.build import check_schemas

    built = check_schemas(document, path, types)
    normal = built.normal
    return Compiled(
        path=path, files={}, diagnostics=built.diagnostics, uses=normal.uses, missing=normal.missing
    )


def _compile_type(path: str, types: Mapping[str, Document], options: Options) -> Compiled:
    from .core.compiler import compile_type

    return compile_type(path, types, options)


def _compile_package(
    entries: Sequence[ToolEntry], folders: Sequence[str], options: Options
) -> dict[str, bytes]:
    from .core.compiler import compile_package

    return compile_package(entries, folders, options)


FRONTEND = Frontend(
    discover=discover,
    load_tool=load_spec,
    load_type=load_type,
    check_names=_check_names,
    compile_tool=_compile_tool,
    check_schemas=_check_schemas,
    compile_type=_compile_type,
    compile_package=_compile_package,
)
"""The compiler that `toolcast generate` uses."""


Loaded = tuple[ToolSpec | Document | None, _Problems]
"""A tool, the document of a shared type or of a tool with errors; None for what cannot be read, and for a
type with errors."""


class Task(Struct, frozen=True, gc=False):
    """One file to compile; `path` is posix, as the specs root has it."""

    path: str
    kind: Literal["tool", "type"]


class Context(Struct, frozen=True, kw_only=True):
    """The parts that all tasks of a run share; `types` are paths as `root` has them, `folders` are outside of
    it.
    """

    frontend: Frontend
    root: str
    shown_root: str
    types: tuple[str, ...]
    known_providers: frozenset[str]
    options: Options
    folders: tuple[TypeFolder, ...] = ()

    def shown(self, path: str) -> str:
        """Return a path below the specs root as diagnostics show it."""
        return shown(self.shown_root, path)


def project_context(
    config: Config, profiles: Profiles, frontend: Frontend, targets: "tuple[Target, ...]" = ()
) -> tuple[Context, Discovery]:
    """Return the context of a project with these `profiles` and `targets`, and its specs and shared types."""
    shown_root = show(config.specs)
    folders, problems = find_types(config)
    outside = {"folders": folders} if folders else {}
    found = frontend.discover(config.specs, shown_root=shown_root, **outside)
    found = replace(found, diagnostics=(*problems, *found.diagnostics))
    context = Context(
        frontend=frontend,
        root=str(config.specs),
        shown_root=shown_root,
        types=found.types,
        known_providers=frozenset(profiles.known),
        options=Options(
            providers=profiles.chosen,
            models=config.models,
            targets=targets,
            grammars=config.grammars,
            templates=None if config.templates is None else str(config.templates),
            profiles=profiles.own,
            defaults=config.defaults,
        ),
        folders=folders,
    )
    return context, found


def load_task(context: Context, task: Task) -> Loaded:
    """Read the file of `task` below the specs root."""
    root, frontend = Path(context.root), context.frontend
    if task.kind == "type":
        more = {"folders": context.folders} if is_outside(task.path) else {}
        return frontend.load_type(root, task.path, shown_root=context.shown_root, **more)
    known = context.known_providers
    return frontend.load_tool(root, task.path, shown_root=context.shown_root, known_providers=known)


def load_types(context: Context) -> SharedTypes:
    """Load the shared types that can be read; the task of each reports why it cannot."""
    documents = SharedTypes()
    for path in context.types:
        try:
            document, _ = load_task(context, Task(path, "type"))
        except Exception:  # the type's own task reports it
            continue
        if document is not None and not isinstance(document, ToolSpec):
            documents[path] = document
    documents.broken = frozenset(context.types) - documents.keys()
    return documents


def compile_task(
    context: Context,
    types: Mapping[str, Document],
    task: Task,
    load: Callable[[Context, Task], Loaded] = load_task,
) -> Compiled:
    """Load and compile one file; a fault of the compiler becomes a diagnostic."""
    try:
        value, problems = load(context, task)
        if value is None:
            return failed(task.path, *problems)
        if isinstance(value, ToolSpec):
            compiled = context.frontend.compile_tool(value, types, context.options)
        elif task.kind == "tool":
            compiled = context.frontend.check_schemas(value, task.path, types)
        else:
            compiled = context.frontend.compile_type(task.path, types, context.options)
    except Exception as error:  # one broken spec must not stop the others
        return failed(task.path, _crash(context, task.path, error))
    both = tuple(sorted({*problems, *compiled.diagnostics}))
    if has_errors(both):
        return replace(compiled, files={}, diagnostics=both, entry=None)
    document = value.document if isinstance(value, ToolSpec) else value
    data = {task.path: document.data, **{path: types[path].data for path in compiled.uses}}
    return replace(compiled, diagnostics=both, source=source_digest(data))


def failed(path: str, *diagnostics: Diagnostic) -> Compiled:
    """Return the result for a file that has no outputs."""
    return Compiled(path=path, files={}, diagnostics=tuple(diagnostics), uses=())


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
