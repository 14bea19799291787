"""Names that a file system finds under another spelling than theirs."""

import os
import unicodedata


def check_spelling(folder: int, name: str, error: type[Exception]) -> None:
    """Raise `error` where `name`, which was just found in `folder`, is there under another spelling."""
    if not _is_folded(folder, name):
        return
    present = os.listdir(folder)
    if name in present:
        return
    spelt = next((other for other in present if _plain(other) == _plain(name)), None)
    raise error(
        f"{name!r} is spelt {spelt!r} there. Use that spelling."
        if spelt is not None
        else f"{name!r} is another spelling of a name there. Use the name as it is listed."
    )


def _is_folded(folder: int, name: str) -> bool:
    """Whether the file may have been found by another spelling: its name in other letters finds it, too; or
    it has letters that have several forms."""
    if not name.isascii():
        return True
    other = name.swapcase()
    if other == name:
        # Nothing to fold but what Windows file systems drop.
        return name.endswith((".", " "))
    try:
        found = os.stat(other, dir_fd=folder, follow_symlinks=False)
        mine = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return name.endswith((".", " "))
    return (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().rstrip(". ")
