"""A file replaced at once: who reads it sees the former content or the new one, and never a part.

Three places have a way of their own: `project.output.publish` writes thousands of files and refuses one that
came in between, SQLite fills that of `project.state.files`, and the workspace of the toolset starts from
descriptors, since a program beside it may exchange folders for links.
"""

import contextlib
import os
import stat
import threading
from pathlib import Path


def replace_file(path: Path, content: bytes, *, follow: bool = True) -> None:
    """Write a file, whole or not at all, also in several threads at once. A file keeps its permissions. A
    pipe or a device is written as it comes. With `follow`, a link stays one, and the file that it leads to
    is written; else the link is replaced. Raises OSError; the file that was there then stays as it was.
    """
    target = Path(os.path.realpath(path)) if follow else path  # `resolve` raises RuntimeError for circles
    mode: int | None = None
    with contextlib.suppress(FileNotFoundError):
        mode = target.stat(follow_symlinks=follow).st_mode
    if mode is not None and stat.S_ISLNK(mode):
        mode = None
    elif mode is not None and not stat.S_ISREG(mode):
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
