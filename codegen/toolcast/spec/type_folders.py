"""Folders of shared types outside the specs folder: `types` in the configuration.

A shared type there has a path as references reach it from the specs folder: relative for a folder of the
repository, and beginning with `package:` for an installed Python package.

    ../../common/_types/money.yaml         ``$ref: ../../../common/_types/money.yaml`` in files/edit.yaml
    package:acme_types/geo/point.yaml      ``$ref: package:acme_types/geo/point.yaml`` everywhere

So the path means the same on every machine, and needs no table to be understood: what follows the first
folder called `_types`, or the package's name, is the type's place below `_types` in the output.
"""

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

TYPES: Final = "_types"
"""The name of every folder of shared types; in the specs folder it is at the top."""
PACKAGE: Final = "package:"
PACKAGE_FOLDER: Final = re.compile(r"package:([A-Za-z_][A-Za-z0-9_]*)((?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)")
"""A package, by the name it is imported by, or a folder in it; matched whole."""
_UP: Final = "../"


class TypeFolder(Struct, frozen=True):
    """A folder of shared types: how references reach it from the specs folder, and where it is."""

    prefix: str  # "../../common/_types", "package:acme_types"
    folder: str  # absolute; "" for a package that was not searched for yet


def is_outside(path: str) -> bool:
    """Return whether the path of a source, as the specs folder has it, leads out of that folder."""
    return path.startswith((_UP, PACKAGE))


def is_packaged(path: str) -> bool:
    """Return whether the path of a source leads into an installed package."""
    return path.startswith(PACKAGE)


def type_place(path: str) -> str | None:
    """Return the path of a shared type in the output. For a file outside the specs folder it begins with
    `_types/`, for one of a package with the package's name, too. None for a path outside that is no shared
    type's.
    """
    if not is_outside(path):
        return path
    if path.startswith(PACKAGE):
        place = f"{TYPES}/{path.removeprefix(PACKAGE)}"
        return place if place.count("/") > 1 and posixpath.normpath(place) == place else None
    if posixpath.normpath(path) != path:
        return None
    _, found, below = path.partition(f"/{TYPES}/")
    return f"{TYPES}/{below}" if found and below else None


def referred(base: str, target: str) -> str | None:
    """Return the path, in normal form, of the reference `target` in the file at `base`; None for one that
    leaves a package.
    """
    path = target if target.startswith(PACKAGE) else posixpath.join(posixpath.dirname(base), target)
    if not path.startswith(PACKAGE):
        return posixpath.normpath(path)
    name, _, below = path.partition("/")
    below = posixpath.normpath(below)
    return None if below.startswith(("..", "/")) else f"{name}/{below}"


def file_of(root: str, path: str, folders: Sequence[TypeFolder]) -> str | None:
    """Return the file of a source; None for a path that leads out of the specs folder and into none of
    `folders`.
    """
    if not is_outside(path):
        return f"{root}/{path}"
    for each in folders:
        if path.startswith(f"{each.prefix}/") and type_place(path) is not None:
            return f"{each.folder}{path[len(each.prefix) :]}"
    return None
