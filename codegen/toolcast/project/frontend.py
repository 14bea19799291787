"""The stages that a build calls, as one value: tests put a small front end in its place."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.discovery import Discovery, discover
from ..spec.load import load_spec, load_type
from ..spec.parsed_document import Document
from ..spec.tool_names import Entry, Locate, check_names, check_types
from ..spec.tool_spec import ToolSpec
from .core.compiled import Compiled, Options, ToolEntry

Problems = tuple[Diagnostic, ...]


class Frontend(Struct, frozen=True, kw_only=True):
    """Functions that can be pickled by name, because workers receive them; their arguments are those of
    `FRONTEND`."""

    discover: Callable[..., Discovery]
    load_tool: Callable[..., tuple[ToolSpec | Document | None, Problems]]
    load_type: Callable[..., tuple[Document | None, Problems]]
    check_names: Callable[[Iterable[Entry], Iterable[str], str, Locate], Problems]
    compile_tool: Callable[[ToolSpec, Mapping[str, Document], Options], Compiled]
    check_schemas: Callable[[Document, str, Mapping[str, Document]], Compiled]
    compile_type: Callable[[str, Mapping[str, Document], Options], Compiled]
    compile_package: Callable[[Sequence[ToolEntry], Sequence[str], Options], dict[str, bytes]]


def _check_names(entries: Iterable[Entry], types: Iterable[str], shown_root: str, locate: Locate) -> Problems:
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
"""What `toolcast generate` builds with."""
