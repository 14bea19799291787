"""Signatures by path, packed as the index has them: of thousands, few are asked for one by one."""

import struct
from collections.abc import Iterable, Iterator, Mapping

from .unchanged import ABSENT, Signature

_ROW = struct.Struct("=4q")
SIZE = _ROW.size


def packed(row: Signature) -> bytes:
    """A signature, as the index has it."""
    return _ROW.pack(*row)


def unpacked(row: bytes) -> Signature:
    """The signature again."""
    mtime, ctime, size, inode = _ROW.unpack(row)
    return mtime, ctime, size, inode


def cut(rows: bytes) -> Iterator[bytes]:
    """Many of them, one by one."""
    return (rows[at : at + SIZE] for at in range(0, len(rows), SIZE))


GONE = packed(ABSENT)
DOUBTFUL = packed((-2, -2, -2, -2))
"""No file looks like this: the next run looks closer."""


class Rows:
    """`paths`, and for each of them 32 bytes of `packed`, in the same order. Never changed once made."""

    def __init__(self, paths: list[bytes], packed: bytes) -> None:
        self.paths, self.packed = paths, packed
        self._places: dict[bytes, int] | None = None

    def get(self, path: bytes) -> bytes | None:
        """The packed signature of one path; None if it is not among them."""
        at = self.places.get(path)
        return None if at is None else self.packed[at * SIZE : (at + 1) * SIZE]

    @property
    def places(self) -> dict[bytes, int]:
        """At which place each path stands."""
        if self._places is None:
            self._places = {path: at for at, path in enumerate(self.paths)}
        return self._places

    def common(self, other: "Rows") -> "Rows":
        """The rows of files that are there, and the same in `other`: it has the same paths, in this order."""
        if self.packed == other.packed and GONE not in self.packed:
            return self
        one, two = self.packed, other.packed
        cuts = [slice(at * SIZE, (at + 1) * SIZE) for at in range(len(self.paths))]
        return self._only([at for at, cut in enumerate(cuts) if GONE != one[cut] == two[cut]])

    def only(self, paths: Iterable[bytes]) -> "Rows":
        """The rows of `paths`, all of which are among them."""
        return self._only(sorted(self.places[path] for path in paths))

    def without(self, paths: Iterable[bytes]) -> "Rows":
        """All but the rows of `paths`."""
        gone = {self.places[path] for path in paths if path in self.places}
        return self._only([at for at in range(len(self.paths)) if at not in gone]) if gone else self

    @property
    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Each path with its row."""
        return zip(self.paths, cut(self.packed), strict=True)

    def overlaid(self, rows: "Rows") -> "Rows":
        """With `rows` in place of the former ones of their paths; new paths come last."""
        if not self.paths:
            return rows
        all_packed = bytearray(self.packed)
        new: list[bytes] = []
        for path, row in rows.items:
            at = self.places.get(path)
            if at is None:
                new.append(path)
                all_packed += row
            else:
                all_packed[at * SIZE : (at + 1) * SIZE] = row
        return Rows([*self.paths, *new], bytes(all_packed))

    def _only(self, places: list[int]) -> "Rows":
        cuts = b"".join([self.packed[at * SIZE : (at + 1) * SIZE] for at in places])
        return Rows([self.paths[at] for at in places], cuts)


NONE = Rows([], b"")


def rows_of(table: Mapping[bytes, bytes]) -> Rows:
    """The rows of `table`."""
    return Rows(list(table), b"".join(table.values()))
