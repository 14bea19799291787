"""Specs at two states of a project: the files that differ, and what they compile to.

What parses is imported by the first file that differs.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct, structs

from ...config import show
from ...diagnostics import Diagnostic
from ...spec.discovery import discover, kind_of
from ...spec.parsed_document import Document, Path
from ...spec.read_file import SourceDocument, parse_document
from ...spec.spec_checker import MAX_BYTES
from ...spec.tool_names import NAME, Entry, check_names, check_types, group_of, shown
from ...spec.type_folders import TypeFolder, file_of, is_outside

if TYPE_CHECKING:
    from ...importers.declared_tools import Declarations
    from ...spec.tool_spec import ToolSpec

MAX_FILES: Final = 200_000
MAX_TOTAL: Final = 512 * 1024 * 1024
"""Files and bytes of one state: both states are in memory."""


class SpecFiles(Struct, frozen=True, kw_only=True):
    """One state's files.

    `label` and `shown_root` are for messages. `contents` are the bytes of each spec and shared type by path
    below the specs folder; `refused` are files that cannot be read, for the reasons in `diagnostics`.
    """

    label: str
    shown_root: str
    contents: Mapping[str, bytes]
    refused: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()


class UnreadableStateError(Exception):
    """A state cannot be read at all; `problem` says why, and has a way out."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


def unreadable(file: str, code: str, message: str, hint: str) -> UnreadableStateError:
    """Return the error with its diagnostic; `file` is a file, a folder or an option."""
    return UnreadableStateError(Diagnostic(file=file, code=code, message=message, hint=hint))


def read_folder(
    root: FilePath, *, shown_root: str, label: str, folders: Sequence[TypeFolder] = ()
) -> SpecFiles:
    """Read every spec and shared type below a specs folder, and the types of folders outside, with links
    treated as `generate` does. Raises UnreadableStateError: there is no such folder, or it holds too much.
    """
    found = discover(root, shown_root=shown_root, folders=folders)
    missing = next((each for each in found.diagnostics if each.code == "no-specs"), None)
    if missing is not None:
        raise unreadable(missing.file, missing.code, missing.message, missing.hint)
    paths = (*found.tools, *found.types)
    if len(paths) > MAX_FILES:
        message = f"there are more than {MAX_FILES:,} specs"
        raise unreadable(shown_root, "too-many-specs", message, "compare folders of it one by one")
    contents: dict[str, bytes] = {}
    problems = [each for each in found.diagnostics if each.code != "no-tools"]
    if not paths and not problems:
        message = "this folder holds no specs: every tool counts as added or removed"
        problems.append(Diagnostic(file=shown_root, code="no-specs", severity="note", message=message))
    refused: set[str] = set()
    total = 0
    for path in paths:
        file = file_of(str(root), path, folders)
        assert file is not None
        data = _read(file, shown(shown_root, path))
        if isinstance(data, Diagnostic):
            problems.append(data)
            refused.add(path)
            continue
        total += len(data)
        if total > MAX_TOTAL:
            message = f"the specs have more than {MAX_TOTAL:,} bytes together"
            raise unreadable(shown_root, "too-large", message, "compare folders of it one by one")
        contents[path] = data
    return SpecFiles(
        label=label,
        shown_root=shown_root,
        contents=contents,
        refused=frozenset(refused),
        diagnostics=tuple(problems),
    )


def _read(file: str, shown_file: str) -> bytes | Diagnostic:
    """Return the bytes of a file, at most one more than the spec's reader takes."""
    try:
        # Without `Path`, which takes longer than the calls: where nothing differs, this is most of the work.
        if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116 - opening a named pipe would block
            return Diagnostic(
                file=shown_file, code="cannot-read", message="the file cannot be read: it is no regular file"
            )
        with open(file, "rb") as stream:  # noqa: PTH123
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        message = f"the file cannot be read: {reason}"
        return Diagnostic(
            file=shown_file, code="cannot-read", message=message, hint="check its path and rights"
        )


class State(Struct, frozen=True, kw_only=True):
    """One side of a comparison.

    `tools` are those whose spec, or a type that it refers to, differs in the other state; `unchanged` are all
    others, which were not read. `refused` has paths and names of tools with errors. A `listed` state is a
    list of tools as a server publishes it, without secrets and settings of providers; each permission is the
    claim of its hints, else `write`.
    """

    label: str
    tools: Mapping[str, ToolSpec]
    types: Mapping[str, Document]
    unchanged: tuple[str, ...] = ()
    refused: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    listed: bool = False


_NAME_LINE: Final = re.compile(rb"""^name:[ ]*["']?([A-Za-z0-9_-]{1,64})["']?[ ]*\r?$""", re.MULTILINE)


def read_states(
    old: SpecFiles, new: SpecFiles, known_providers: frozenset[str], *, everything: bool = False
) -> tuple[State, State]:
    """Read the differing specs of two states; with `everything`, also those that are the same."""
    if everything:
        changed = frozenset({*old.contents, *new.contents})
    else:
        changed = _changed(old.contents, new.contents)
    return (
        _state(old, changed, known_providers),
        _state(new, changed, known_providers),
    )


def _changed(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> frozenset[str]:
    """Return paths of files that differ, or that refer to a shared type that does."""
    paths = {*old, *new}
    changed = {path for path in paths if old.get(path) != new.get(path)}
    if not changed:
        return frozenset()
    types = {path for path in paths if kind_of(path) == "type"}
    waiting = [path for path in changed if path in types]
    while waiting:
        name = PurePosixPath(waiting.pop()).name
        found = {path for path in paths - changed if _mentions(new[path], name)}
        changed |= found
        waiting += found & types
    return frozenset(changed)


def _mentions(data: bytes, name: str) -> bool:
    """Return whether a file has this name, or an escape that may stand for it."""
    return name.encode() in data or b"\\" in data or (b"%" in data and b"$ref" in data)


def _state(files: SpecFiles, changed: Set[str], known_providers: frozenset[str]) -> State:
    tools: dict[str, ToolSpec] = {}
    problems = list(files.diagnostics)
    entries: list[Entry] = []
    named: dict[str, Document] = {}  # asked for a position only where two names clash
    unchanged: list[str] = []
    refused: set[str] = {path for path in files.refused if kind_of(path) == "tool"}
    for path, data in sorted(files.contents.items()):
        if kind_of(path) == "type":
            continue
        if path not in changed and (name := _name(data, path)) is not None:
            unchanged.append(name)
            entries.append((path, name, group_of(path)))
            continue
        document = _parse(files, path)
        if not isinstance(document, SourceDocument):
            problems += document
            refused.add(path)
            continue
        spec, wrong, found = _tool(document, path, known_providers)
        if found is not None:
            entries.append((path, found, group_of(path)))
            named[path] = document
        if path not in changed:
            unchanged += [found] if found is not None else []
            continue
        problems += wrong
        if spec is not None:
            tools[path] = spec
        else:
            refused |= {path} if found is None else {path, found}
    types, more = _types(files, list(tools))
    problems += more

    def locate(path: str) -> tuple[int, int]:
        return named[path].locate(("name",)) if path in named else (1, 1)

    clashes = check_names(entries, shown_root=files.shown_root, locate=locate)
    clashing = {each.file for each in clashes}
    for path, tool in tools.items():
        refused |= {path, tool.name} if shown(files.shown_root, path) in clashing else set()
    return State(
        label=files.label,
        tools={tool.name: tool for path, tool in tools.items() if path not in refused},
        types=types,
        unchanged=tuple(sorted(unchanged)),
        refused=frozenset(refused),
        diagnostics=tuple(sorted({*problems, *clashes})),
    )


def _name(data: bytes, path: str) -> str | None:
    """Return the name of the tool in a file that is not parsed; None where parsing has to tell."""
    if (line := _NAME_LINE.search(data)) is not None:
        return line[1].decode()
    stem = PurePosixPath(path).stem
    return stem if b"name" not in data and b"\\" not in data and NAME.fullmatch(stem) else None


def _parse(files: SpecFiles, path: str) -> SourceDocument | tuple[Diagnostic, ...]:
    kind: Literal["json", "yaml"] = "json" if path.endswith(".json") else "yaml"
    return parse_document(files.contents[path], shown(files.shown_root, path), kind)


def _tool(
    document: Document, path: str, known_providers: frozenset[str]
) -> tuple[ToolSpec | None, tuple[Diagnostic, ...], str | None]:
    from ...spec.spec_reader import read_tool

    return read_tool(document, path, known_providers)


def _types(files: SpecFiles, tools: Sequence[str]) -> tuple[dict[str, Document], list[Diagnostic]]:
    """Return the shared types that some specs may refer to, directly or through others."""
    if not tools:
        return {}, []
    from ...spec.load import type_problems

    left = {path for path in files.contents if kind_of(path) == "type"}
    waiting = list(tools)
    types: dict[str, Document] = {}
    problems: list[Diagnostic] = []
    while waiting and left:
        data = files.contents[waiting.pop()]
        found = {path for path in left if _mentions(data, PurePosixPath(path).name)}
        left -= found
        waiting += found
        for path in sorted(found):
            document = _parse(files, path)
            wrong = type_problems(document, path) if isinstance(document, SourceDocument) else document
            problems += () if is_outside(path) else wrong  # as `load_library`: it may be none of ours
            if isinstance(document, SourceDocument) and not wrong:
                types[path] = document
    clashes = check_types([path for path in types if not is_outside(path)], shown_root=files.shown_root)
    refused = {each.file for each in clashes}
    kept = {path: each for path, each in types.items() if shown(files.shown_root, path) not in refused}
    return kept, [*problems, *clashes]


def told_of(label: str, problems: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return warnings and notes of the old state, with its name and no position, since nobody can correct a
    commit. Errors are changes of the rule `not-compared`.
    """
    return tuple(
        structs.replace(each, line=0, column=0, message=f"in {label}, {each.message}")
        for each in problems
        if each.severity != "error"
    )


class _ListedTool(Struct, frozen=True, kw_only=True):
    """One tool of a list as the `Document` of a spec; its line is known in JSON lines."""

    file: str
    data: Any
    line: int = 0

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        del path, key
        return self.line, 0


def read_listed(file: FilePath, known_providers: frozenset[str]) -> State:
    """Read a list of tools, JSON or JSON lines, as `import tools` does. Raises UnreadableStateError without
    tools.
    """
    from ...importers.import_tools import read_tools

    shown_file = show(file.absolute())
    declared = read_tools([file])
    state = listed_state(declared, shown_file, known_providers)
    if not state.tools and not state.refused and declared.diagnostics:
        problem = declared.diagnostics[0]
        raise unreadable(shown_file, problem.code, problem.message, problem.hint)
    return state


def named(tool: str, problems: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return problems of a listed tool, whose file and line do not tell which it is, with its name."""
    return tuple(structs.replace(each, message=f"tool {tool!r}: {each.message}") for each in problems)


def listed_state(declared: Declarations, label: str, known_providers: frozenset[str]) -> State:
    """Return the tools of a list as a state; `label` stands for the file in messages."""
    from ...importers.import_tools import specs_of
    from ...importers.spec_text import permission_of

    imported = specs_of(structs.replace(declared, label=declared.label or label))
    by_name = {tool.name: tool for tool in declared.tools}
    problems = [
        Diagnostic(
            file=label,
            line=each.line,
            severity=each.severity,
            code=each.code,
            message=each.message,
            hint="" if each.severity == "warning" else each.hint,
        )
        for each in imported.diagnostics
    ]
    tools: dict[str, ToolSpec] = {}
    refused = {tool.name for tool in declared.tools} - {draft.original for draft in imported.drafts}
    for draft in imported.drafts:
        origin = by_name[draft.original]
        permission = permission_of(origin) or "write"
        data = {**draft.data, "permission": permission, "secrets": []}
        document = _ListedTool(file=label, data=data, line=origin.line)
        spec, wrong, _ = _tool(document, draft.path, known_providers)
        problems += named(draft.original, wrong)
        if spec is not None:
            tools[spec.name] = spec
        else:
            refused.add(draft.data["name"])
    return State(
        label=label,
        tools=tools,
        types={},
        refused=frozenset(refused),
        diagnostics=tuple(sorted({*problems})),
        listed=True,
    )
