"""A file replaced at once: who reads it sees the former content or the new one, and never a part."""

import contextlib
import os
import stat
import threading
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, also in several threads at once. A link stays one, and a file keeps
    its permissions.

    Args:
        path: where to write; into a pipe or a device it is written as it comes.
        content: the new content.

    Raises:
        OSError: it cannot be written; the file that was there stays as it was.
    """
    target = Path(os.path.realpath(path))  # `resolve` raises RuntimeError for links in a circle
    mode: int | None = None
    with contextlib.suppress(FileNotFoundError):
        mode = target.stat().st_mode
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(content)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    temporary.unlink(missing_ok=True)  # of a process that was killed
    try:
        with temporary.open("xb") as file:  # never through a link
            if mode is not None:  # before there is anything to read
                temporary.chmod(stat.S_IMODE(mode))
            file.write(content)
        temporary.replace(target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
