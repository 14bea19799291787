"""Carry out writes so that every file is old or new at every instant: a temporary file, then a rename.

The writes of a large plan are shared among processes. Each folder belongs to one of them, and so does its
temporary file.
"""

import contextlib
import errno
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO

from msgspec import Struct

from ..state.fingerprint import digest
from ..state.rows import DOUBTFUL, SIZE, packed
from ..state.unchanged import as_inode, signature
from .content import Content, Stored
from .plan import Write
from .tree import TEMPORARY, remove_temporary


class Done(Struct, frozen=True):
    """What became of a share: how the first so many of its files look now, and what stopped it there.

    `seen` has one packed row for each.
    """

    seen: bytes = b""
    error: OSError | None = None

    @property
    def count(self) -> int:
        return len(self.seen) // SIZE


def divide(writes: Sequence[Write], count: int) -> list[list[Write]]:
    """At most `count` shares, none of them empty, about equally large; a folder is in one of them only."""
    folders: defaultdict[str, list[Write]] = defaultdict(list)
    for write in writes:
        folders[write.path.rpartition("/")[0]].append(write)
    shares: list[list[Write]] = [[] for _ in range(min(count, len(folders)))]
    for folder in sorted(folders, key=lambda folder: (-len(folders[folder]), folder)):
        min(shares, key=len).extend(folders[folder])
    return shares


def carry_out(
    root: str,
    writes: Iterable[Write],
    *,
    again: bool = False,
    step: Callable[[str], None] = lambda _path: None,
) -> Done:
    """Write the files below `root`, up to the first that the disk refuses.

    `step` is told each path just before it is touched. `again`: a process that died may have done some of it.
    """
    seen = bytearray()
    made: set[str] = set()
    with _Reader() as reader:
        for write in writes:
            step(write.path)
            target = f"{root}/{write.path}"
            try:
                row = _standing(target, write.content) if again else None
                if row is None:
                    row = _write(target, reader.read(write.content), made, new=write.kind == "new")
            except OSError as error:
                return Done(bytes(seen), error)
            seen += row
    return Done(bytes(seen))


_OPEN = 16
"""Files that stay open to be read again: many contents stand in one, or each in its own."""


class _Reader:
    """Reads contents; what many are stored in is opened once, or nearly so."""

    def __init__(self) -> None:
        self._files: dict[str, IO[bytes]] = {}

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def read(self, content: Content) -> bytes:
        if not isinstance(content, Stored):
            return content.data
        file = self._files.get(content.file)
        if file is None:
            if len(self._files) == _OPEN:
                self._files.pop(next(iter(self._files))).close()
            file = self._files[content.file] = Path(content.file).open("rb", buffering=0)  # noqa: SIM115
        file.seek(content.start)
        data = file.read(content.size)
        if len(data) != content.size:
            raise OSError(errno.EIO, "what was compiled is there no more", content.file)
        return data


def _standing(target: str, content: Content) -> bytes | None:
    """How the file looks, if it holds `content` already."""
    path, row = Path(target), packed(signature(os.fsencode(target), follow=False))  # the look comes first
    if path.is_file() and not path.is_symlink() and digest(path.read_bytes()) == content.digest:
        return row
    return None


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def _write(target: str, content: bytes, made: set[str], *, new: bool) -> bytes:
    """Write beside `target`, then rename; how it looks, packed.

    Plain strings: a first build does this for thousands of files.
    """
    folder = target.rpartition("/")[0]
    if folder not in made:
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        remove_temporary(place)
        made.add(folder)
    temporary = f"{folder}/{TEMPORARY}"
    handle = os.open(temporary, _FLAGS, 0o666)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest) :]
            before = os.fstat(handle)
        finally:
            os.close(handle)
        if new and os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "a file has come to stand there during the run", target)
        os.replace(temporary, target)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):  # it would take room on a full disk
            os.unlink(temporary)  # noqa: PTH108
        raise
    mtime, ctime, size, inode = signature(os.fsencode(target), follow=False)
    if (mtime, size, inode) != (before.st_mtime_ns, before.st_size, as_inode(before.st_ino)):
        return DOUBTFUL  # somebody was faster
    return packed((mtime, ctime, size, inode))
