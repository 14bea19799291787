"""What the build asks of the rooms before it, as one value: so that tests can stand in for them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.model import Document, ToolSpec
from .core.compile import Compiled, Options, ToolEntry


class Found(Struct, frozen=True):
    """The files below a specs root, as posix paths relative to it, sorted."""

    tools: tuple[str, ...]
    types: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


class Frontend(Struct, frozen=True, kw_only=True):
    """Functions that can be pickled by name: workers receive them.

    `prepare()` imports what compiling needs, so that forked workers need not; it may raise.
    `discover(root, shown_root)`; `load_tool(root, path, shown_root, providers)` and
    `load_type(root, path, shown_root)` return a value or the reasons why there is none;
    `check_names(root, shown_root, [(path, name, group)], type_paths)` tells what clashes within the set;
    `known_providers(profiles)` names every provider there is, extra profile files included.
    """

    prepare: Callable[[], None]
    discover: Callable[[Path, str], Found]
    load_tool: Callable[[Path, str, str, tuple[str, ...]], tuple[ToolSpec | None, tuple[Diagnostic, ...]]]
    load_type: Callable[[Path, str, str], tuple[Document | None, tuple[Diagnostic, ...]]]
    check_names: Callable[[Path, str, Sequence[tuple[str, str, str]], Sequence[str]], tuple[Diagnostic, ...]]
    compile_tool: Callable[[ToolSpec, Mapping[str, Document], Options], Compiled]
    compile_type: Callable[[str, Mapping[str, Document], Options], Compiled]
    compile_package: Callable[[Sequence[ToolEntry], Sequence[str], Options], dict[str, bytes]]
    compile_ledger: Callable[[Sequence[tuple[str, str]]], dict[str, bytes]]
    known_providers: Callable[[tuple[str, ...]], tuple[tuple[str, ...], tuple[Diagnostic, ...]]]
