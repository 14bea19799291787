"""Finds the profiles of installed packages without running any code of theirs.

A package offers a profile with an entry point whose name is the profile's id and whose value is the package
(or the folder in it, in dotted form) that holds `<id>.toml`:

    [project.entry-points."toolcast.profiles"]
    acme = "acme_tools.profiles"
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .profile_error import ProfileError
from .profile_file import read_profile_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "toolcast.profiles"


def installed_ids() -> dict[str, str]:
    """The profiles that installed packages offer.

    Returns:
        The name of the package by profile id, sorted by id.
    """
    from importlib.metadata import entry_points  # slow to import

    return {
        point.name: _owner(point) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
    }


def installed_file(id: str) -> Path | None:
    """Find an installed profile.

    Args:
        id: id of the profile.

    Returns:
        Its file; None if no package offers it.

    Raises:
        ProfileError: two packages offer it, or the one that does has no such file.
    """
    from importlib.metadata import entry_points  # slow to import

    points = list(entry_points(group=GROUP, name=id))
    if not points:
        return None
    if len(points) > 1:
        owners = " and ".join(sorted(_owner(point) for point in points))
        raise ProfileError(
            f"the profile {id!r} is offered by {owners}: uninstall one, or name one's file in `profiles`"
        )
    point = points[0]
    for folder in _folders(point):
        file = folder / f"{id}.toml"
        if file.is_file():
            if read_profile_file(file).id != id:
                raise ProfileError(f"{file}: the id is not {id!r}, under which {_owner(point)} offers it")
            return file
    raise ProfileError(f"{_owner(point)} offers the profile {id!r}, but {point.value} holds no {id}.toml")


def _owner(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else point.dist.name


def _folders(point: EntryPoint) -> list[Path]:
    """The folders of a dotted name. Only the outermost package is located, which imports nothing."""
    parts = point.value.strip().split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    from importlib.util import find_spec

    outer, *inner = parts
    try:
        spec = find_spec(outer)
    except (ImportError, ValueError):
        return []
    locations = None if spec is None else spec.submodule_search_locations
    return [Path(location, *inner) for location in locations or ()]
