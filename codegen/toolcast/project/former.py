"""Find the output that specs with errors keep, so that their tools stay in the registry.

A spec has such output while its file is there and the manifest names it; where the manifest is lost, the
cache does. Its tool has the entry of the cache, or one that follows from the spec's path and the listed
files.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..languages.python.structs.python_names import class_name
from ..output_layout import MODELS, TYPESCRIPT, contract_name, javascript_paths, python_path
from ..spec.discovery import TYPES, kind_of
from ..spec.tool_names import NAME as TOOL_NAME
from ..spec.tool_names import group_of, module_problem
from .core.compiled import ToolEntry, entry_of
from .output.manifest import NAME, UNKNOWN, Manifest, is_ours, parse_manifest
from .output.output_tree import Tree
from .state.cache import Cache, Unit
from .state.fingerprint import digest


class Former(Struct, frozen=True, kw_only=True):
    """The output of a spec that does not compile now.

    `unit` has the digests of what is there, `lost` the listed files that are gone, `made` the manifest's
    digest. `flaw` says why the registry cannot have it. `deleted`: only other former output needs it.
    `recorded` is the cache's record, if its files are intact.
    """

    unit: Unit
    lost: tuple[str, ...] = ()
    flaw: str = ""
    deleted: bool = False
    recorded: Unit | None = None
    made: str = ""


Recover = Callable[[Mapping[str, Unit]], Mapping[str, Former]]
"""By spec path, the former output of specs that are not among the units that compile."""


def find_former(
    units: Mapping[str, Unit], *, tree: Tree, cache: Cache, exists: Callable[[str], bool]
) -> dict[str, Former]:
    """Find the former output of the specs that are not among `units`, the ones that compile, by path."""
    found = tree.find(NAME)
    manifest = parse_manifest(found.content) if found is not None and found.kind == "file" else Manifest({})
    known = {path: unit for path, unit in cache.units.items() if kind_of(path) is not None}
    paths = {*known, *(path for path in manifest.units if kind_of(path) is not None)} - units.keys()
    reader = _Reader(tree, manifest, known)
    former = {path: reader.read(path) for path in sorted(paths) if exists(path)}
    former = {path: each for path, each in former.items() if each.unit.outputs}
    former |= _needed(former, paths - former.keys(), reader, units)
    return _with_imports(former, units, reader)


class _Reader:
    def __init__(self, tree: Tree, manifest: Manifest, known: Mapping[str, Unit]) -> None:
        self._tree, self._manifest, self._known = tree, manifest, known

    def listed(self, path: str) -> tuple[str, ...]:
        if path in self._manifest.units:
            return self._manifest.units[path].outputs
        return tuple(self._known[path].outputs)

    def read(self, path: str) -> Former:
        recorded, listed = self._known.get(path), self.listed(path)
        record = self._manifest.units.get(path)
        if recorded is not None and {*listed} != recorded.outputs.keys():
            recorded = None  # of another state of the output
        if recorded is not None and self._tree.intact(recorded.outputs):
            source = recorded.source if record is None else record.source
            unit = replace(recorded, source=source, entry=_with_targets(recorded.entry, listed))
            return Former(unit=unit, recorded=recorded, made="" if record is None else record.made)
        contents = {output: content for output in listed if (content := self.content(output)) is not None}
        lost = tuple(output for output in listed if output not in contents)
        entry = recorded.entry if recorded is not None else self._entry(path, listed)
        unit = Unit(
            outputs={output: digest(content) for output, content in contents.items()},
            source=UNKNOWN if record is None else record.source,
            entry=_with_targets(entry, listed),
        )
        flaw = self._flaw(path, unit, lost)
        return Former(unit=unit, lost=lost, flaw=flaw, made="" if record is None else record.made)

    def content(self, output: str) -> bytes | None:
        found = self._tree.find(output)
        return found.content if found is not None and found.kind == "file" else None

    def _entry(self, path: str, listed: Collection[str]) -> ToolEntry | None:
        """Derive the entry of a tool from the names of its files; None where they do not fit."""
        names = [name for name in map(contract_name, listed) if name and TOOL_NAME.fullmatch(name)]
        if kind_of(path) != "tool" or len(names) != 1 or module_problem(names[0], group_of(path)) is not None:
            return None
        entry = entry_of(path, names[0])
        if _module_of(entry) not in listed:
            return None
        result = class_name(entry.name, "Result")
        if result not in self._bound(_module_of(entry)):
            result = ""
        return replace(entry, external=self._is_external(entry), result=result)

    def _parsed(self, module: str) -> ast.Module:
        """Parse a module; where it cannot be read, which is a flaw, it has no statements."""
        try:
            return ast.parse(self.content(module) or b"")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    def _is_external(self, entry: ToolEntry) -> bool:
        values = [
            node.value
            for node in self._parsed(_module_of(entry)).body
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == entry.constant
        ]
        stated = [each for call in values if isinstance(call, ast.Call) for each in call.keywords]
        return any(each.arg == "external" and ast.unparse(each.value) == "True" for each in stated)

    def _flaw(self, path: str, unit: Unit, lost: Collection[str]) -> str:
        """Return why output that a person may have edited cannot be used; empty if it can."""
        if lost:
            return f"{min(lost)} is gone"
        if kind_of(path) == "tool" and unit.entry is None:
            return f"{NAME} does not list the files of one tool for it"
        for output in unit.outputs:
            if not _is_whole(output, self.content(output) or b""):
                return f"{output} was edited, and cannot be read any more"
        entry = unit.entry
        if entry is not None and not {entry.constant, entry.handler} <= self._bound(_module_of(entry)):
            return f"{_module_of(entry)} was edited, and does not define {entry.constant} any more"
        return ""

    def _bound(self, module: str) -> set[str]:
        found: set[str] = set()
        for node in ast.walk(self._parsed(module)):
            if isinstance(node, ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.alias):
                found.add(node.asname or node.name)
        return found

    def imported(self, module: str) -> set[str]:
        folders = module.split("/")[:-1]
        found: set[str] = set()
        for node in ast.walk(self._parsed(module)):
            if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(folders) + 1 and node.module:
                above = folders[: len(folders) - node.level + 1]
                found.add("/".join((*above, *node.module.split("."))) + ".py")
        return {output for output in found if output.startswith(f"{TYPES}/")}

    def owner(self, output: str, paths: Iterable[str]) -> str | None:
        return next((path for path in paths if output in self.listed(path)), None)


def _module_of(entry: ToolEntry) -> str:
    return python_path(entry.module.split("."))


def _with_targets(entry: ToolEntry | None, listed: Collection[str]) -> ToolEntry | None:
    if entry is None:
        return None
    module, _ = javascript_paths(tuple(entry.module.split(".")))
    without = () if module in listed else (TYPESCRIPT,)
    return entry if without == entry.without else replace(entry, without=without)


def _is_whole(output: str, content: bytes) -> bool:
    """Return whether a file can be read, and bears our mark where its kind has one."""
    try:
        if output.endswith(".py"):
            ast.parse(content)
        if not output.endswith(".json"):
            return is_ours(content)
        msgspec.json.decode(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # MsgspecError is a ValueError
        return False
    return True


def _modules(former: Former) -> list[str]:
    entry = former.unit.entry
    if entry is not None:
        return [_module_of(entry)]
    return [output for output in former.unit.outputs if output.endswith(".py")]


def _needed(
    former: Mapping[str, Former], gone: Collection[str], reader: _Reader, units: Mapping[str, Unit]
) -> dict[str, Former]:
    """Find the deleted types that modules of `former` import, directly or not."""
    made = {output for unit in units.values() for output in unit.outputs}
    found: dict[str, Former] = {}
    modules = [module for each in former.values() for module in _modules(each)]
    while modules:
        for output in sorted(reader.imported(modules.pop()) - made):
            made.add(output)
            path = reader.owner(output, (path for path in gone if kind_of(path) == "type"))
            if path is not None:
                found[path] = replace(reader.read(path), deleted=True)
                modules += _modules(found[path])
    return found


def _with_imports(
    former: Mapping[str, Former], units: Mapping[str, Unit], reader: _Reader
) -> dict[str, Former]:
    """Add a flaw where a module imports one that is gone."""
    settled = dict(former)
    made = {output for unit in units.values() for output in unit.outputs}
    while True:
        sound = {path: each for path, each in settled.items() if not each.flaw}
        there = made.union(*(each.unit.outputs for each in sound.values()))
        broken = {
            path: min(missing)
            for path, each in sound.items()
            if (missing := {name for module in _modules(each) for name in reader.imported(module)} - there)
        }
        if not broken:
            return settled
        settled |= {
            path: replace(settled[path], flaw=f"it imports {missing}, which is gone")
            for path, missing in broken.items()
        }


class Stale(Struct, frozen=True, kw_only=True):
    """Former output as a report has it: `outputs` below the output root, the module first. `flaw` and
    `deleted` are those of `Former`.
    """

    spec: str
    outputs: tuple[str, ...]
    flaw: str = ""
    deleted: bool = False
    keyword: str = ""  # what `register_all` calls the tool; empty for a type, and where it is not known


def stale_outputs(former: Mapping[str, Former], shown: Callable[[str], str]) -> tuple[Stale, ...]:
    """Return what a report has of `former`, by spec path."""

    def rank(output: str) -> tuple[bool, bool, str]:
        return not output.endswith(".py"), output.startswith(f"{MODELS}/"), output

    return tuple(
        Stale(
            spec=shown(path),
            outputs=tuple(sorted(each.unit.outputs, key=rank)),
            flaw=each.flaw,
            deleted=each.deleted,
            keyword="" if each.unit.entry is None else each.unit.entry.keyword,
        )
        for path, each in sorted(former.items())
    )
