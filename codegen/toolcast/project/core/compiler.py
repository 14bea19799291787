"""One spec in, its output files out: the pure core of the build.

The stages are imported by the first compile: a run in which everything is up to date needs none of them.
"""

from collections.abc import Mapping, Sequence

from msgspec import Raw

from ...spec.model import Document, ToolSpec
from .compiled import NO_LOSSES, Compiled, Options, ToolEntry, pretty

_BATCH = 512
"""Tools whose losses are formatted together: the text of 100,000 tools is never in memory twice."""


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
