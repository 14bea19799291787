"""What a build asks of the stages before it, as one value: tests put a small front end in its place."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..config import show
from ..diagnostics import Diagnostic
from ..spec.discovery import discover
from ..spec.load import load_tool, load_type, name_position
from ..spec.model import Document, ToolSpec
from ..spec.tool_names import check_names, check_types
from .core.compiled import Compiled, Options, ToolEntry
from .core.compiler import compile_ledger, compile_package, compile_tool, compile_type


class Found(Struct, frozen=True):
    """The files below a specs root, as posix paths relative to it, sorted."""

    tools: tuple[str, ...]
    types: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


class Frontend(Struct, frozen=True, kw_only=True):
    """Functions that can be pickled by name: workers receive them.

    `discover(root, shown_root)`; `load_tool(root, path, shown_root, providers)` and
    `load_type(root, path, shown_root)` return a value or the reasons why there is none;
    `check_names(root, shown_root, [(path, name, group)], type_paths)` tells what clashes within the set;
    `known_providers(profiles)` names every provider there is, extra profile files included.
    """

    discover: Callable[[Path, str], Found]
    load_tool: Callable[[Path, str, str, tuple[str, ...]], tuple[ToolSpec | None, tuple[Diagnostic, ...]]]
    load_type: Callable[[Path, str, str], tuple[Document | None, tuple[Diagnostic, ...]]]
    check_names: Callable[[Path, str, Sequence[tuple[str, str, str]], Sequence[str]], tuple[Diagnostic, ...]]
    compile_tool: Callable[[ToolSpec, Mapping[str, Document], Options], Compiled]
    compile_type: Callable[[str, Mapping[str, Document], Options], Compiled]
    compile_package: Callable[[Sequence[ToolEntry], Sequence[str], Options], dict[str, bytes]]
    compile_ledger: Callable[[Sequence[tuple[str, str]]], dict[str, bytes]]
    known_providers: Callable[[tuple[str, ...]], tuple[tuple[str, ...], tuple[Diagnostic, ...]]]


def _discover(root: Path, shown_root: str) -> Found:
    found = discover(root, shown_root=shown_root)
    return Found(found.tools, found.types, found.diagnostics)


def _load_tool(
    root: Path, path: str, shown_root: str, providers: tuple[str, ...]
) -> tuple[ToolSpec | None, tuple[Diagnostic, ...]]:
    return load_tool(root, path, shown_root=shown_root, known_providers=frozenset(providers))


def _load_type(root: Path, path: str, shown_root: str) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    return load_type(root, path, shown_root=shown_root)


def _check_names(
    root: Path, shown_root: str, entries: Sequence[tuple[str, str, str]], types: Sequence[str]
) -> tuple[Diagnostic, ...]:
    def locate(path: str) -> tuple[int, int]:
        return name_position(root, path)

    clashes = check_names(entries, shown_root=shown_root, locate=locate)
    return (*clashes, *check_types(types, shown_root=shown_root))


def known_providers(profiles: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Every provider there is, sorted: the built-in ones, and those of the profile files."""
    from ..providers import ProfileError, available, load_profiles

    try:
        own = load_profiles(profiles)
    except ProfileError as error:
        hint = "correct the file, or `profiles` in [tool.toolcast]"
        return available(), tuple(
            Diagnostic(
                file=show(Path(problem.file)),
                line=problem.line,
                code="bad-profile",
                message=problem.message,
                hint=problem.hint or hint,
            )
            for problem in error.problems
        )
    return tuple(sorted({*available(), *own})), ()


FRONTEND = Frontend(
    discover=_discover,
    load_tool=_load_tool,
    load_type=_load_type,
    check_names=_check_names,
    compile_tool=compile_tool,
    compile_type=compile_type,
    compile_package=compile_package,
    compile_ledger=compile_ledger,
    known_providers=known_providers,
)
"""What `toolcast generate` builds with."""
