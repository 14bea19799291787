"""One spec in, its output files out: the pure core of the build."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..providers import LedgerEntry
from ..spec.model import Document, ToolSpec


class Options(Struct, frozen=True, kw_only=True):
    """What the configuration says about outputs. `templates` overrides built-in ones by file name."""

    providers: tuple[str, ...]
    models: tuple[str, ...] = ()
    templates: str | None = None
    profiles: tuple[str, ...] = ()


class ToolEntry(Struct, frozen=True, kw_only=True):
    """What the package-level outputs need to know of one compiled tool. JSON-encodable, so it can be cached."""

    path: str  # spec path below the specs root
    name: str
    group: str
    module: str  # dotted, below the output package: "files.edit"
    constant: str  # "EDIT"
    keyword: str  # "edit": the tool's parameter name in register_all
    params: str  # "EditParams"
    handler: str  # "EditHandler"
    ledger: Mapping[str, tuple[LedgerEntry, ...]]  # by provider; only those with entries


class Compiled(Struct, frozen=True, kw_only=True):
    """The outcome for one spec (or shared type) file. With an error among `diagnostics`, `files` is empty."""

    path: str  # posix, below the specs root
    files: Mapping[str, bytes]  # posix path below the output root → bytes
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[str, ...]  # shared type files it refers to, transitively; sorted
    entry: ToolEntry | None = None  # None for shared types and failures


def compile_tool(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one tool. Reads nothing but its arguments (and the templates that `options` names)."""
    raise NotImplementedError


def compile_type(path: str, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one shared type file to its module."""
    raise NotImplementedError


def compile_package(entries: Sequence[ToolEntry], options: Options) -> dict[str, bytes]:
    """The files that speak of the whole set: registry, package markers, ledger."""
    raise NotImplementedError
