"""What the operating system refuses of a path that a model wrote, as a refusal that it can act on."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager

from ..errors import RefusalError

_LONGEST = 200
"""Characters of a path that an error repeats."""

_LIST = "Check how it is spelt, or list the folder that it should be in."
_OTHER = "Use another path, or tell the user."
_FULL = "Tell the user; nothing can be written until there is room."
_REASONS: dict[int, str] = {
    errno.ENOENT: f"does not exist, or a folder on the way does not. {_LIST}",
    errno.EISDIR: "is a folder. Name a file in it.",
    errno.ENOTDIR: f"is not a folder, or leads through something that is not a folder. {_LIST}",
    errno.EACCES: f"cannot be used: permission is denied. {_OTHER}",
    errno.EPERM: f"cannot be used: permission is denied. {_OTHER}",
    errno.EEXIST: "exists already. Use another name, or change what is there.",
    errno.ENAMETOOLONG: "is too long, or a name in it is. Use a shorter one.",
    errno.ELOOP: "leads through too many links. Use a path without links.",
    errno.ENOTEMPTY: "is a folder that is not empty. Remove what is in it first.",
    errno.EROFS: f"cannot be changed: the file system is read-only. {_OTHER}",
    errno.ENOSPC: f"cannot be written: there is no space left. {_FULL}",
    errno.EDQUOT: f"cannot be written: the quota is used up. {_FULL}",
    errno.EFBIG: "cannot be written: it would be too large. Write less to one file.",
    errno.EINVAL: f"is refused as invalid. {_OTHER}",
    errno.EILSEQ: f"is refused as invalid. {_OTHER}",
    errno.EXDEV: "cannot be moved there: that is another file system. Copy it, and remove it then.",
    errno.EBUSY: "is in use. Try again later, or use another path.",
    errno.ETXTBSY: "is in use. Try again later, or use another path.",
    errno.ENXIO: "is no regular file. Name one that is.",
    errno.EMLINK: f"cannot have another link. {_OTHER}",
}


class PathError(RefusalError):
    """A path that cannot be used as requested; the text states why."""


@contextmanager
def path_errors(path: str | os.PathLike[str]) -> Generator[None]:
    """Turn errors of the operating system inside a `with` block into a refusal of `path`, for handlers.

    Args:
        path: the path that the model wrote; the text repeats it, and no other path that the error may name.

    Yields:
        None.

    Raises:
        PathError: the path does not exist, is of the wrong kind, may not be used, or is no path; the disk is
            full; a file that is read as text is none. Any other exception passes: it is a bug.
    """
    try:
        yield
    except OSError as problem:
        reason = _REASONS.get(problem.errno or 0)
        if reason is None:
            raise
        raise PathError(f"{shown(path)} {reason}") from problem
    except UnicodeDecodeError as problem:
        raise PathError(
            f"{shown(path)} is no text in {problem.encoding}. Name a text file, or tell the user."
        ) from problem
    except ValueError as problem:
        if _is_name(os.fspath(path)):
            raise
        raise PathError(
            f"{shown(path)} is no file name. Leave out characters that names cannot have."
        ) from problem


def shown(path: str | os.PathLike[str]) -> str:
    """A path as an error repeats it: quoted, control characters escaped, and cut where it is long."""
    text = os.fspath(path)
    return repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}…"


def _is_name(path: str) -> bool:
    """Whether `path` can be passed to the operating system."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
