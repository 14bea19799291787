"""What stands where a path ends, and what may be done with its name."""

import os

from .path_errors import WorkspaceError, shown
from .resolution import Place
from .spelling import check_spelling


def file_name(place: Place, path: str) -> str:
    """The name of a file. Raises WorkspaceError for the root, which is none."""
    if place.name is None:
        raise WorkspaceError(f"{shown(path)} is a folder. Name a file in it.")
    return place.name


def movable_name(place: Place, path: str) -> str:
    """The name of what may be renamed or removed. Raises WorkspaceError for the root, which may not."""
    if place.name is None:
        raise WorkspaceError(f"{shown(path)} is the workspace itself, which stays. Name a path in it.")
    return place.name


def present_status(place: Place) -> os.stat_result:
    """The status of what is there, of a link itself, or of the root.

    Raises WorkspaceError where it has another spelling, and OSError where there is nothing.
    """
    if place.name is None:
        return os.fstat(place.folder)
    status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    check_spelling(place.folder, place.name, WorkspaceError)
    return status


def status_or_none(place: Place) -> os.stat_result | None:
    """The same; None where there is nothing."""
    try:
        return present_status(place)
    except FileNotFoundError:
        return None
