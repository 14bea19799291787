"""What the disk says, in a user's words: the reason, and the way out."""

import errno

_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_RIGHTS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def reason(error: OSError) -> str:
    """The operating system's own words."""
    return error.strerror or str(error) or type(error).__name__


def remedy(error: OSError) -> str:
    """What to do about it; then a run does the rest."""
    if error.errno in _SPACE:
        return "make room on the disk, then run again"
    if error.errno in _RIGHTS:
        return "make the file and its folder writable, then run again"
    if error.errno == errno.ENAMETOOLONG:
        return "give the spec, its group or the output folder a shorter name"
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        return "move what stands there elsewhere, then run again"
    return "correct that, then run again"
