"""The build's front end as the rooms before it provide it. Imported only when something must be built."""

from collections.abc import Sequence
from pathlib import Path

from ..config import show
from ..diagnostics import Diagnostic
from ..spec import check_names, check_types, discover, load_tool, load_type, name_place
from ..spec.model import Document, ToolSpec
from ..spec.names import NAME
from .compile import compile_ledger, compile_package, compile_tool, compile_type
from .frontend import Found, Frontend


def _prepare() -> None:
    from ..spec import yaml12
    from . import emit

    emit.warm()
    yaml12.parse_yaml("a: 1\n")


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
    """Every provider there is, sorted: the built-in ones, and one for each profile file."""
    from ..providers import ProfileError, available, load_profile_file

    known = list(available())
    problems: list[Diagnostic] = []
    for file in profiles:
        shown = show(Path(file))
        try:
            found = load_profile_file(file).id
        except ProfileError as error:
            message = str(error).removeprefix(f"{file}: ")
            hint = "correct the file, or `profiles` in [tool.toolwright]"
            problems.append(Diagnostic(file=shown, code="bad-profile", message=message, hint=hint))
            continue
        if not NAME.fullmatch(found):
            hint = "use letters, digits, `_` and `-`, with a letter or `_` first"
            message = f"the id {found!r} cannot be a folder name"
            problems.append(Diagnostic(file=shown, code="bad-profile", message=message, hint=hint))
        elif found in known:
            message = f"there is already a provider with the id {found!r}"
            problems.append(
                Diagnostic(file=shown, code="bad-profile", message=message, hint="give it another id")
            )
        else:
            known.append(found)
    return tuple(sorted(known)), tuple(problems)


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
"""What `toolwright generate` builds with."""
