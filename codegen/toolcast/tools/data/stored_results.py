"""Results of data_analysis that are kept, so that later calls can start from them."""

import secrets
import tempfile
import threading
from collections import OrderedDict
from typing import IO

from msgspec import Struct

from .columns import Column


class StoredResult(Struct, frozen=True):
    """A result that is kept.

    Attributes:
        file: its rows as Parquet, in a file without a name: it goes with its descriptor.
        columns: its columns.
        size: bytes of the file.
    """

    file: IO[bytes]
    columns: tuple[Column, ...]
    size: int


class StoredResults:
    """The last results, within limits. The one that was not used for longest goes first."""

    def __init__(self, most: int, most_bytes: int) -> None:
        """Make an empty store.

        Args:
            most: results that are kept.
            most_bytes: bytes that all of them may take.
        """
        self._most = most
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, StoredResult] = OrderedDict()

    def keep(self, result: StoredResult) -> str:
        """Keep a result.

        Args:
            result: the result.

        Returns:
            Its id, which nobody can guess: results of other conversations stay theirs.
        """
        name = f"res_{secrets.token_hex(16)}"
        with self._lock:
            self._kept[name] = result
            while len(self._kept) > self._most or self.size > self._most_bytes:
                _, gone = self._kept.popitem(last=False)
                gone.file.close()
        return name

    def open(self, name: str) -> tuple[IO[bytes], tuple[Column, ...]] | None:
        """Open a result: another descriptor of its file, for the caller to close.

        Args:
            name: its id.

        Returns:
            The file and the columns; None where it is not kept any more.
        """
        import os

        with self._lock:
            result = self._kept.get(name)
            if result is None:
                return None
            self._kept.move_to_end(name)
            return os.fdopen(os.dup(result.file.fileno()), "rb"), result.columns

    @property
    def size(self) -> int:
        """Bytes of all results."""
        return sum(result.size for result in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].file.close()


def new_file() -> IO[bytes]:
    """A file without a name, for one result."""
    return tempfile.TemporaryFile(prefix="toolcast-")
