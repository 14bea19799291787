"""The bytes of a file as a plan knows them: there, or the place where they can be read.

A first build of 100,000 specs makes a gigabyte of outputs; of most, a plan needs the digest only.
"""

from pathlib import Path

from msgspec import Struct

from ..state.fingerprint import digest


class _Known(Struct, frozen=True, eq=False):
    """Two contents with one SHA-256 are equal, wherever they are."""

    digest: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class Held(_Known, frozen=True, eq=False):
    """Bytes in memory."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self) -> bytes:
        """The bytes."""
        return self.data


class Stored(_Known, frozen=True, eq=False):
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
