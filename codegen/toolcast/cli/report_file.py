"""The file of `toolcast report`: written whole or not at all, and over nothing but an earlier report."""

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

MARKS: Final = (
    b'<meta name="generator" content="toolcast report">',
    b"<!-- toolcast report -->",
    b'"kind": "toolcast-report"',
)
"""What stands near the beginning of a report: of a page, of a catalogue, of the data."""
_HEAD: Final = 512
"""Bytes in which a mark must stand."""


def is_replaceable(path: Path) -> bool:
    """Whether a report may be written here without asking.

    Args:
        path: where the report is to be written.

    Returns:
        True where nothing stands there, an empty file, an earlier report, or a pipe or device.

    Raises:
        OSError: what stands there cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
    except FileNotFoundError:
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not head or any(mark in head for mark in MARKS)


def write_report(path: Path, content: bytes) -> None:
    """Write a report, whole or not at all. A link stays one, and a file keeps its permissions.

    Args:
        path: where to write; into a pipe or a device it is written as it comes.
        content: the report.

    Raises:
        OSError: it cannot be written; the file that was there stays as it was.
    """
    target = path.resolve()
    mode: int | None = None
    with contextlib.suppress(FileNotFoundError):
        mode = target.stat().st_mode
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(content)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
