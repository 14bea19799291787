"""Whose files are these? What belongs to another user may be there to harm whoever works beside it.

The rule is git's (`safe.directory`): a file counts as the user's own where its owner is the effective user,
or for root under `sudo` the user who called it. Beside that root's files count, since root can change every
file anyway. On Windows a file's owner is not known to Python, and every file counts as the user's own.
"""

import os
from collections.abc import Iterable
from pathlib import Path

TRUST_TEMPLATES = "TOOLCAST_TRUST_TEMPLATES"
"""The environment variable that lets templates of another user's be used: 1 and nothing else."""


def foreign(paths: Iterable[Path]) -> tuple[Path, int] | None:
    """The first of `paths` that belongs to another user, and its owner's number; links are not followed.

    What is not there belongs to nobody.
    """
    own = _own_numbers()
    if own is None:
        return None
    for path in paths:
        try:
            owner = path.lstat().st_uid
        except OSError:
            continue
        if owner not in own:
            return path, owner
    return None


def trusts_templates() -> bool:
    """Whether the environment says to use templates whoever owns them."""
    return os.environ.get(TRUST_TEMPLATES) == "1"


def _own_numbers() -> frozenset[int] | None:
    if not hasattr(os, "geteuid"):
        return None
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return frozenset({0, user, *([int(caller)] if caller.isdecimal() else [])})
