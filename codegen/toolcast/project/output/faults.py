"""Errors of the file system as diagnostics: the reason, and a remedy."""

import errno

from ...diagnostics import Diagnostic
from .plan import Plan

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


def publish_failure(path: str, error: OSError, done: Plan, plan: Plan, shown_output: str) -> Diagnostic:
    """That the disk refused `path` when the part `done` of `plan` was carried out."""
    count, total = (len(each.writes) + len(each.deletes) for each in (done, plan))
    message = (
        f"cannot write or delete: {reason(error)};"
        f" {count} of {total} files were dealt with, every other stands as it did"
    )
    return Diagnostic(file=f"{shown_output}/{path}", code="io-error", message=message, hint=remedy(error))
