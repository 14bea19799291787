"""One spec in, its output files out: the pure core of the build."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Raw, Struct

from ...diagnostics import Diagnostic
from ...providers import LedgerEntry, Profile
from ...spec.model import Document, ToolSpec


class Options(Struct, frozen=True, kw_only=True):
    """What the configuration says about outputs. `templates` overrides built-in ones by file name.

    Templates are a folder, or names and texts; profiles are files, or `given` by id. With texts and `given`
    nothing is left to read (`pure`).
    """

    providers: tuple[str, ...]
    models: tuple[str, ...] = ()
    templates: str | tuple[tuple[str, str], ...] | None = None
    profiles: tuple[str, ...] = ()
    given: Mapping[str, Profile] | None = None


Losses = Mapping[str, tuple[LedgerEntry, ...]]
"""What each provider's JSON lacks of one tool, by provider; only those with entries."""


def losses_text(losses: Losses) -> str:
    """As JSON."""
    return msgspec.json.encode(losses).decode()


NO_LOSSES = losses_text({})
_BATCH = 512
"""Tools whose losses are formatted together: with 100,000 of them, there is no room for all of it twice."""


class ToolEntry(Struct, frozen=True, kw_only=True, gc=False):
    """What the package-level outputs need to know of one compiled tool. JSON-encodable: it is cached.

    `ledger` is text, for it is most of what the cache holds, and the next run only passes it on.
    """

    path: str  # spec path below the specs root
    name: str
    group: str
    module: str  # dotted, below the output package: "files.edit"
    constant: str  # "EDIT"
    keyword: str  # "edit": the tool's parameter name in register_all
    params: str  # "EditParams"
    handler: str  # "EditHandler"
    ledger: str = NO_LOSSES  # `losses_text`

    @property
    def losses(self) -> Losses:
        """What the ledger says. Raises msgspec.MsgspecError for what `losses_text` did not write."""
        losses: Losses = msgspec.json.decode(self.ledger, type=Losses)
        return losses


class Compiled(Struct, frozen=True, kw_only=True):
    """The outcome for one spec (or shared type) file. With an error among `diagnostics`, `files` is empty."""

    path: str  # posix, below the specs root
    files: Mapping[str, bytes]  # posix path below the output root → bytes
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[str, ...]  # shared type files it refers to, transitively; sorted
    entry: ToolEntry | None = None  # None for shared types and failures


def compile_tool(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one tool. Reads nothing but its arguments, and what templates and profiles `options` names."""
    from ...contract.build import build_tool
    from .emit import emit_tool

    built = build_tool(tool, types)
    if built.contract is None:
        return Compiled(path=tool.path, files={}, diagnostics=built.diagnostics, uses=built.normal.uses)
    return emit_tool(tool, built, options)


def compile_type(path: str, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one shared type file to its module."""
    from ...contract.build import build_type
    from .emit import emit_type

    built = build_type(path, types)
    uses = tuple(file for file in built.normal.uses if file != path)
    if built.contract is None:
        return Compiled(path=path, files={}, diagnostics=built.diagnostics, uses=uses)
    return emit_type(path, types[path], built, options)


def compile_package(
    entries: Sequence[ToolEntry], folders: Sequence[str], options: Options
) -> dict[str, bytes]:
    """The registry, and a package marker for each of `folders` (posix, below the output root; "" is the
    root itself). No entry's `ledger` counts."""
    from .emit import emit_package

    return emit_package(sorted(entries, key=lambda entry: entry.name), folders, options)


def compile_ledger(losses: Sequence[tuple[str, str]]) -> dict[str, bytes]:
    """What each provider's JSON lacks, of all tools: names with what their entries have as `ledger`."""
    losing = sorted((name, text) for name, text in losses if text != NO_LOSSES)
    if not losing:
        return {"ledger.json": pretty({})}
    parts = [b"{\n"]
    for start in range(0, len(losing), _BATCH):
        batch = {name: Raw(text.encode()) for name, text in losing[start : start + _BATCH]}
        parts += [pretty(batch)[len(b"{\n") : -len(b"\n}\n")], b",\n"]
    parts[-1] = b"\n}\n"
    return {"ledger.json": b"".join(parts)}


def pretty(value: object) -> bytes:
    """JSON as generated files have it: two spaces, keys in the order given, UTF-8, LF at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
