"""Renaming, with or without replacing. POSIX has no call that replaces nothing: `rename` replaces files and
empty folders."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from .places import status_or_none
from .resolution import Place

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""The file system, or its rules, have no second name for a file."""


def move(origin: Place, moved: os.stat_result, target: Place, *, replace: bool) -> None:
    """Rename what stands at a place.

    Args:
        origin: where it stands; not the root.
        moved: its status.
        target: where it is to stand; not the root.
        replace: replace a file, link or empty folder that is there.

    Raises:
        FileExistsError: the target exists, and `replace` is False.
        OSError: the system refuses.
    """
    assert origin.name is not None
    assert target.name is not None
    present = status_or_none(target)
    if present is None or not replace:
        move_to_new_name(origin.folder, origin.name, target.folder, target.name)
    elif not os.path.samestat(present, moved):
        os.replace(origin.name, target.name, src_dir_fd=origin.folder, dst_dir_fd=target.folder)
    elif origin.names != target.names:  # two names of one file, of which the system would keep both
        os.unlink(origin.name, dir_fd=origin.folder)


def move_to_new_name(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename `source` to `target`, which must not exist.

    A file gets the second name, which fails where that exists, and then loses the first one. A folder takes
    the place of an empty one, which is made before and fails in the same way; so does a file where the file
    system has no second names.

    Args:
        source_folder: the descriptor of the folder of `source`.
        source: the name in it.
        target_folder: the descriptor of the folder of `target`.
        target: the name in it.

    Raises:
        FileExistsError: the target exists.
        OSError: the system refuses.
    """
    status = os.stat(source, dir_fd=source_folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        os.mkdir(target, 0o700, dir_fd=target_folder)
        _replace(source_folder, source, target_folder, target, os.rmdir)
        return
    try:
        os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        os.close(os.open(target, flags, 0o600, dir_fd=target_folder))
        _replace(source_folder, source, target_folder, target, os.unlink)
        return
    # A file that took the source's place meanwhile stays.
    if os.path.samestat(status, os.stat(source, dir_fd=source_folder, follow_symlinks=False)):
        os.unlink(source, dir_fd=source_folder)


def _replace(
    source_folder: int, source: str, target_folder: int, target: str, undo: Callable[..., None]
) -> None:
    """Rename over what was made just now, and remove that where it fails."""
    try:
        os.replace(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
    except BaseException:
        with suppress(OSError):
            undo(target, dir_fd=target_folder)
        raise
