"""The tools for files: file_read, file_write, edit, multi_edit, glob and grep."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from toolcast.runtime import RefusalError, ToolContext

from ..byte_order_marks import byte_order_mark
from ..generated.files.edit import EditParams, EditResult
from ..generated.files.file_read import FileReadParams, FileReadResult
from ..generated.files.file_write import FileWriteParams, FileWriteResult
from ..generated.files.glob import GlobParams, GlobResult
from ..generated.files.grep import GrepParams, GrepResult
from ..generated.files.multi_edit import MultiEditParams, MultiEditResult
from ..workspace import Entry, Workspace
from ..workspace.atomic_write import is_temporary
from ..workspace.path_errors import path_errors, shown
from .content_search import SearchOptions, search_content
from .line_search import load_re2
from .text_edits import MOST_LINES, Replacement, replace, touch, unified_diff, untouched
from .text_files import TextFile, count_lines, decode_text, read_lines, shown_path, snippet

_ORDERS: Final[dict[str, Callable[[Entry], Any]]] = {
    "modified": lambda entry: (-entry.modified, entry.path),
    "name": lambda entry: entry.path,
    "size": lambda entry: (-entry.size, entry.path),
}


def _find_files(workspace: Workspace, params: GlobParams) -> GlobResult:
    """List the files that match a pattern.

    Returns the paths from the workspace's root; the last changed, or the largest, first. Raises RefusalError:
    the pattern or the path cannot be used, or there are too many files.
    """
    exclude = frozenset(params.exclude)
    found = workspace.glob(
        params.pattern,
        "." if params.path is None else params.path,
        skip=lambda name: name in exclude or is_temporary(name),
        include_hidden=params.include_hidden,
    )
    entries = sorted((entry for entry in found if entry.kind == "file"), key=_ORDERS[params.sort])
    return GlobResult(paths=[shown_path(entry.path) for entry in entries[: params.limit]], total=len(entries))


_DIFF: Final = 20_000
"""Characters of a diff."""
_MIB: Final = 1 << 20


class Files:
    """Handlers of the tools for files, over one folder that they do not leave.

    Changes of a file by one object are made one after the other, so that calls at the same time lose none.
    """

    def __init__(
        self,
        workspace: Workspace | str | os.PathLike[str],
        *,
        largest: int = 32 * _MIB,
        search_seconds: float = 20.0,
        exclude: Sequence[str] = (".git", "node_modules", ".venv"),
    ) -> None:
        """Make the handlers.

        Args:
            workspace: the folder, which is closed with the handlers where a path is given.
            largest: size in bytes up to which files are read, searched and edited.
            search_seconds: how long one search may take.
            exclude: names of files and folders that grep does not search.

        Raises:
            ImportError: google-re2 is not installed.
            NotImplementedError: the system has no race-free paths (Windows).
            ValueError: the path is no folder, or a limit is not positive.
        """
        if largest < 1 or search_seconds <= 0:
            raise ValueError("largest and search_seconds must be positive.")
        load_re2()
        self._owns = not isinstance(workspace, Workspace)
        self._workspace = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self._search = SearchOptions(frozenset(exclude), largest, search_seconds)
        self._largest = largest
        self._changes = Lock()
        self._state = Lock()
        self._running = 0
        self._closed = False

    @property
    def workspace(self) -> Workspace:
        """The folder, for others that work in it. It is closed with the handlers where a path was given."""
        return self._workspace

    def close(self) -> None:
        """Refuse further calls, and close the folder if it was opened here, once running calls have ended."""
        with self._state:
            self._closed = True
            self._release()

    def file_read(self, params: FileReadParams, context: ToolContext) -> FileReadResult:
        """Read lines of a text file.

        Args:
            params: the file, and which of its lines.
            context: circumstances of the call.

        Returns:
            At most 2000 lines with their numbers, each of at most 2000 characters.

        Raises:
            RefusalError: the path is outside of the workspace, does not exist or is no text file; the file is
                larger than `largest`, or in another encoding; or the range of lines is empty or beyond its
                end.
        """
        del context
        with self._call():
            content = self._content(params.file_path)
        text = decode_text(content, params.file_path, params.encoding).text
        return read_lines(text, params.file_path, params.line_range)

    def file_write(self, params: FileWriteParams, context: ToolContext) -> FileWriteResult:
        """Write a file, or add to its end.

        Args:
            params: the file, its content, and whether one that exists is replaced.
            context: circumstances of the call.

        Returns:
            Bytes written, and whether the file is new.

        Raises:
            RefusalError: the path is outside of the workspace, or a file that may not be written; the file
                exists and `mode` is "create"; or the content is larger than `largest`, or not in the file's
                encoding.
        """
        del context
        path = params.file_path
        with self._call(), self._changes:
            exists = self._workspace.exists(path)
            encoding = self._encoding(path) if exists and params.mode == "append" else "utf-8"
            data = self._encoded(TextFile("", encoding, b"", "\n"), params.content, path)
            mode = int(params.permissions, 8) if params.permissions is not None and not exists else None
            if params.mode == "append":
                created = self._workspace.append(path, data, parents=True, mode=mode)
            else:
                created = self._workspace.write(
                    path, data, create_only=params.mode == "create", parents=True, mode=mode
                )
        return FileWriteResult(bytes_written=len(data), created=created)

    def edit(self, params: EditParams, context: ToolContext) -> EditResult:
        """Replace one exact text in a file.

        Args:
            params: the file, the text, and what replaces it.
            context: circumstances of the call.

        Returns:
            How many occurrences were replaced, and the changed lines with three around them.

        Raises:
            RefusalError: the file cannot be read or written; the text is missing, which is answered with the
                nearest lines; it occurs more than once, and is to be unique; or nothing would change.
        """
        del context
        path = params.file_path
        with self._call(), self._changes:
            file = self._editable(path)
            wanted = _replacement(file, params.old_string, params.new_string, params.replace_all)
            edited = replace(file.text, wanted, self._largest)
            self._workspace.write(path, self._encoded(file, edited.text, path))
        return EditResult(
            replacements=len(edited.offsets),
            snippet=snippet(edited.text, edited.offsets, len(wanted.old), wanted.new),
        )

    def multi_edit(self, params: MultiEditParams, context: ToolContext) -> MultiEditResult:
        """Replace several exact texts in a file, all or none.

        Args:
            params: the file and the replacements, each made in the text that the one before left.
            context: circumstances of the call.

        Returns:
            How many replacements were made (0 of a dry run), and the unified diff of at most 20,000
            characters.

        Raises:
            RefusalError: as for `edit`; the text says which replacement fails. Nothing is written then.
        """
        del context
        path = params.file_path
        with self._call(), self._changes:
            file = self._editable(path)
            text, lines = file.text, untouched(file.text)
            for number, each in enumerate(params.edits, 1):
                wanted = _replacement(file, each.old_string, each.new_string, each.replace_all)
                try:
                    edited = replace(text, wanted, self._largest)
                except RefusalError as problem:
                    raise RefusalError(
                        f"Edit {number} of {len(params.edits)} fails, so nothing was written. {problem}"
                    ) from problem
                lines = touch(lines, text, edited.offsets, wanted.old, wanted.new)
                text = edited.text
            data = self._encoded(file, text, path)
            if not params.dry_run and text != file.text:
                self._workspace.write(path, data)
        diff = unified_diff(file.text, text, lines, path=shown_path(path), longest=_DIFF)
        return MultiEditResult(applied=0 if params.dry_run else len(params.edits), diff=diff)

    def glob(self, params: GlobParams, context: ToolContext) -> GlobResult:
        """Find files by their paths.

        Args:
            params: the pattern, the folder to look in, and the order.
            context: circumstances of the call.

        Returns:
            Paths from the workspace's root, and how many files match.

        Raises:
            RefusalError: the pattern cannot be read, the folder is outside of the workspace or none, or there
                are too many files in it.
        """
        del context
        with self._call():
            return _find_files(self._workspace, params)

    def grep(self, params: GrepParams, context: ToolContext) -> GrepResult:
        """Search the content of files.

        Args:
            params: the pattern, the files to search, and what is returned of them.
            context: circumstances of the call.

        Returns:
            Matches by path, and how many files were skipped.

        Raises:
            RefusalError: the pattern, the folder, the glob or a file type cannot be used, or the search took
                longer than `search_seconds`.
        """
        del context
        with self._call():
            return search_content(self._workspace, params, self._search)

    @contextmanager
    def _call(self) -> Generator[None]:
        """A call, during which the folder stays open."""
        with self._state:
            if self._closed:
                raise RefusalError("The tools for files are closed. Go on without them.")
            self._running += 1
        try:
            yield
        finally:
            with self._state:
                self._running -= 1
                self._release()

    def _release(self) -> None:
        """Close the folder where nothing needs it any more; `_state` is held."""
        if self._closed and not self._running and self._owns:
            self._workspace.close()

    def _content(self, path: str) -> bytes:
        with path_errors(path), self._workspace.open(path, "rb") as file:
            content: bytes = file.read(self._largest + 1)
        if len(content) > self._largest:
            raise RefusalError(
                f"{shown(path)} is larger than {self._largest:,} bytes. Search it with grep, or read or "
                "change it in parts with a command."
            )
        return content

    def _encoding(self, path: str) -> str:
        """Return the encoding of text that is appended to a file."""
        with path_errors(path), self._workspace.open(path, "rb") as file:
            return byte_order_mark(file.read(4))[1] or "utf-8"

    def _editable(self, path: str) -> TextFile:
        file = decode_text(self._content(path), path)
        if count_lines(file.text) > MOST_LINES:
            raise RefusalError(
                f"{shown(path)} has more than {MOST_LINES:,} lines. Change it with a command, such as sed."
            )
        return file

    def _encoded(self, file: TextFile, text: str, path: str) -> bytes:
        try:
            data = file.encode(text)
        except UnicodeEncodeError as problem:
            raise RefusalError(
                f"{shown(path)} is in {file.encoding}, which lacks the character "
                f"{problem.object[problem.start]!a}. Use others, or write all of it with file_write."
            ) from problem
        if len(data) > self._largest:
            raise RefusalError(
                f"{shown(path)} would have {len(data):,} bytes; at most {self._largest:,} are written. "
                "Write less."
            )
        return data


def _replacement(file: TextFile, old: str, new: str, everywhere: bool) -> Replacement:
    """Return a replacement in the text of a file: where all its lines end in carriage returns, its text has
    none.
    """
    if file.line_end == "\n":
        return Replacement(old, new, everywhere)
    return Replacement(old.replace("\r\n", "\n"), new.replace("\r\n", "\n"), everywhere)
