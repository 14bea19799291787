"""Machine-local files are written whole or not at all."""

import contextlib
import os
from collections.abc import Generator, Iterable
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Path]:
    """An empty file beside `path`, to be filled; it takes the place of `path` unless something is raised.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(b"")
        yield temporary
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def replace(path: Path, content: bytes) -> None:
    """Write `content` to `path`. Raises OSError."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def replace_in_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """The same with what is too much to be held at once. Raises OSError."""
    with replacing(path) as temporary:
        write_pieces(temporary, pieces)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Fill an empty file. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)
