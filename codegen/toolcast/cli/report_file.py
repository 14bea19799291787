"""Which files `toolcast report` may replace: earlier reports."""

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
