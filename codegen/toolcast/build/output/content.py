"""The bytes of a file as a plan knows them: there, or the place where they can be read.

A first build of 100,000 specs makes a gigabyte of outputs; of most, a plan needs the digest only.
"""

import sys
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import force_setattr

from ..state.fingerprint import digest


class _Known(Struct, frozen=True, eq=False, gc=False):
    """Two contents with one SHA-256 are equal, wherever they are."""

    digest: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class Held(_Known, frozen=True, eq=False, gc=False):
    """Bytes in memory."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self) -> bytes:
        """The bytes."""
        return self.data


class Stored(_Known, frozen=True, eq=False, gc=False, array_like=True):
    """`size` bytes of `file` from `start` on, as they were when they were seen."""

    file: str
    start: int
    size: int

    def read(self) -> bytes:
        """The bytes, as they are now. Raises OSError."""
        with Path(self.file).open("rb", buffering=0) as file:
            file.seek(self.start)
            return file.read(self.size)


Content = Held | Stored


def held(data: bytes) -> Held:
    """`data`, as the content of a file."""
    return Held(digest(data), data)


class Files(Struct, frozen=True, gc=False, array_like=True):
    """The outputs of one unit: `digests` by path, and in the same order their bytes, or where those are.

    Of thousands of units, none has an object for each of its files. `data` are the bytes; where there are
    none of those, they stand in `file`, one after the other from `start` on, and `sizes` are 8 bytes each.
    """

    digests: dict[str, str]
    data: tuple[bytes, ...] = ()
    file: str = ""
    start: int = 0
    sizes: bytes = b""

    def __post_init__(self) -> None:
        if self.file:  # a process has one for all
            force_setattr(self, "file", sys.intern(self.file))

    @property
    def held(self) -> dict[str, bytes]:
        """The bytes of those in memory, by path."""
        return dict(zip(self.digests, self.data, strict=False))

    def contents(self) -> dict[str, Content]:
        """The content of each, by path."""
        if not self.file:
            pairs = zip(self.digests.items(), self.data, strict=True)
            return {path: Held(known, data) for (path, known), data in pairs}
        made: dict[str, Content] = {}
        start = self.start
        for (path, known), size in zip(self.digests.items(), array("Q", self.sizes), strict=True):
            made[path] = Stored(known, self.file, start, size)
            start += size
        return made


def held_files(files: Mapping[str, bytes]) -> Files:
    """`files`, in memory."""
    return Files({path: digest(data) for path, data in files.items()}, tuple(files.values()))


def stored_files(files: Mapping[str, bytes], file: str, start: int) -> Files:
    """`files`, as they stand in `file` one after the other from `start` on."""
    digests = {path: digest(data) for path, data in files.items()}
    return Files(digests, (), file, start, array("Q", map(len, files.values())).tobytes())


Make = Callable[[], dict[str, bytes]]
Begin = Callable[[Make], Callable[[], Files]]
"""Begin to make files, perhaps in another process; what is returned waits for them."""


def at_once(make: Make) -> Callable[[], Files]:
    """Make them here, when they are asked for."""
    return lambda: held_files(make())
