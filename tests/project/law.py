"""L7 as a function: what a run must leave, from what was there before and from what a clean build leaves."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace
from toolcast.project.core.compiled import Options, ToolEntry, entry_of
from toolcast.project.former import Stale
from toolcast.project.output.manifest import Manifest, parse_manifest
from toolcast.project.package import python_folders
from toolcast.project.worker import Frontend

Files = Mapping[str, bytes]


def lawful(
    before: Files,
    clean: Files,
    stale: Collection[Stale],
    *,
    specs: Collection[str],
    frontend: Frontend,
    providers: Iterable[str],
    trusted: bool = True,
) -> dict[str, bytes]:
    """The output folder after a run, but for the manifest if `stale` holds something (`hold_lines` has it):
    as a clean build leaves it for every spec that compiles, as it was for every other one.

    `stale` is what the run reported; it is held to the manifest in `before`, if that is `trusted` to be what
    a run has written. `specs` are those that are there.
    """
    made, past = _manifest(clean), _manifest(before)
    failing = {
        path
        for path in {*specs} & past.units.keys() - made.units.keys()
        if before.keys() & {*past.units[path].outputs}
    }
    if not stale:
        assert not trusted or not failing
        return dict(clean)
    reported = {_path(each): each for each in stale}
    kept = {path for path, each in reported.items() if not each.deleted}
    assert not kept & made.units.keys()
    assert kept <= set(specs)
    assert not trusted or kept == failing
    own = {*made.units["*"].outputs, "manifest.txt"}
    expected = {path: content for path, content in clean.items() if path not in own}
    names = {path: name for path, unit in made.units.items() if (name := _name(path, unit.outputs))}
    taken = {path.casefold() for path in expected}
    for path, each in reported.items():
        listed = past.units[path].outputs if path in past.units else each.outputs
        free = [output for output in listed if output.casefold() not in taken]
        assert not trusted or {*each.outputs} == {*free} & before.keys()
        expected |= {output: before[output] for output in each.outputs}
        name = _name(path, listed)
        usable = len(free) == len(listed) and _usable(path, name, listed, before)
        if trusted and (not usable or name.casefold() in {other.casefold() for other in names.values()}):
            assert each.flaw, each
        elif trusted:
            assert not each.flaw or each.flaw.startswith("it imports"), each
        if not each.flaw and name:
            names[path] = name
    entries = [_entry(path, name, expected) for path, name in sorted(names.items())]
    expected |= frontend.compile_package(
        entries, python_folders(expected), Options(providers=tuple(providers))
    )
    return expected


def hold_lines(
    before: Files, clean: Files, after: Files, stale: Collection[Stale], *, trusted: bool = True
) -> None:
    """The manifest has the line of a clean build for every spec that compiles, the former one for others."""
    made, past, found = _manifest(clean), _manifest(before), _manifest(after)
    paths = {_path(each) for each in stale}
    assert found.units.keys() == made.units.keys() | paths
    for path in made.units.keys() - {"*"}:
        assert (found.units[path].outputs, found.units[path].source) == (
            made.units[path].outputs,
            made.units[path].source,
        )
    for each in stale:
        path = _path(each)
        assert {*each.outputs} <= {*found.units[path].outputs}
        if trusted and path in past.units:
            assert {*found.units[path].outputs} <= {*past.units[path].outputs}
            assert found.units[path].source == past.units[path].source


def _entry(path: str, name: str, files: Files) -> ToolEntry:
    entry = entry_of(path, name)
    module = files.get(entry.module.replace(".", "/") + ".py", b"")
    return replace(entry, external=b"external=True" in module)


def _path(stale: Stale) -> str:
    return stale.spec.rpartition("specs/")[2]


def _manifest(files: Files) -> Manifest:
    return parse_manifest(files.get("manifest.txt", b""))


def _name(path: str, outputs: Iterable[str]) -> str:
    """A tool's name; empty for a type, and where the outputs do not tell."""
    contracts = [output.split("/") for output in outputs if output.startswith("contracts/")]
    names = [parts[1].removesuffix(".json") for parts in contracts if len(parts) == 2]
    return names[0] if len(names) == 1 and not path.startswith("_types/") else ""


def _usable(path: str, name: str, outputs: Iterable[str], before: Files) -> bool:
    for output in outputs:
        content = before.get(output, b"")
        try:
            if output.endswith(".py"):
                ast.parse(content)
            else:
                json.loads(content)
        except ValueError:
            return False
        except SyntaxError:
            return False
        if output.endswith(".py") and not content.startswith(b"# Generated by toolcast"):
            return False
    entry = entry_of(path, name) if name else None
    module = b"" if entry is None else before.get(entry.module.replace(".", "/") + ".py", b"")
    return path.startswith("_types/") or (
        entry is not None
        and re.search(rb"^(BODY = )?%b\b" % entry.constant.encode(), module, re.MULTILINE) is not None
    )
