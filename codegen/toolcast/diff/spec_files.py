"""The files of one state, and those of a folder."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.discovery import discover
from ..spec.reader_problems import MAX_BYTES
from ..spec.tool_names import shown
from ..spec.type_folders import TypeFolder, file_of

MAX_FILES: Final = 200_000
MAX_TOTAL: Final = 512 * 1024 * 1024
"""Files and bytes of one state: both states are in memory."""


class SpecFiles(Struct, frozen=True, kw_only=True):
    """One state's files.

    Attributes:
        label: the state's name in messages.
        shown_root: the path of the specs folder in messages.
        contents: the bytes of every spec and shared type, by posix path as the specs folder has it.
        refused: paths of files that are there and cannot be read.
        diagnostics: why not; notes.
    """

    label: str
    shown_root: str
    contents: Mapping[str, bytes]
    refused: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()


class UnreadableStateError(Exception):
    """A state cannot be read at all; `problem` says why, and what to do."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


def unreadable(file: str, code: str, message: str, hint: str) -> UnreadableStateError:
    """The error, with its diagnostic.

    Args:
        file: the file, folder or option that is meant.
        code: code of the problem.
        message: what is wrong.
        hint: a way out.

    Returns:
        The error, to be raised.
    """
    return UnreadableStateError(Diagnostic(file=file, code=code, message=message, hint=hint))


def read_folder(root: Path, *, shown_root: str, label: str, folders: Sequence[TypeFolder] = ()) -> SpecFiles:
    """Read every spec and shared type below a specs folder, and the types of folders outside.

    Args:
        root: the specs folder.
        shown_root: its path in messages.
        label: the state's name in messages.
        folders: folders of shared types outside.

    Returns:
        The files. Links are treated as `generate` treats them.

    Raises:
        UnreadableStateError: there is no such folder, or it holds too much.
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
    problems = list(found.diagnostics)
    if not paths and not problems:
        message = "this folder holds no specs: every tool counts as added or removed"
        problems.append(Diagnostic(file=shown_root, code="no-specs", severity="note", message=message))
    refused: set[str] = set()
    total = 0
    for path in paths:
        file = file_of(str(root), path, folders)
        assert file is not None
        data = _read(Path(file), shown(shown_root, path))
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


def _read(file: Path, shown_file: str) -> bytes | Diagnostic:
    """The bytes of a file, of one that is too large the first that are; the spec's reader refuses it."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # opening a named pipe would block
            return Diagnostic(
                file=shown_file, code="cannot-read", message="the file cannot be read: it is no regular file"
            )
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        message = f"the file cannot be read: {reason}"
        return Diagnostic(
            file=shown_file, code="cannot-read", message=message, hint="check its path and rights"
        )
