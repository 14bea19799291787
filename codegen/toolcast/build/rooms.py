"""The build's front end as the rooms before it provide it. Imported only when something must be built."""

from collections.abc import Sequence
from pathlib import Path

from ..config import show
from ..diagnostics import Diagnostic
from ..spec import check_names, check_types, discover, load_tool, load_type, name_place
from ..spec.model import Document, ToolSpec
from .core.compile import compile_ledger, compile_package, compile_tool, compile_type
from .frontend import Found, Frontend


def _prepare() -> None:
    from ..spec.yaml_reader import parse_yaml
    from .core import emit

    emit.warm()
    parse_yaml("a: 1\n")


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
        return name_place(root, path)

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
    prepare=_prepare,
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
