"""Profiles in installed packages, found without running any code of theirs.

A package offers one with an entry point whose name is the profile's id and whose value is the package (or the
folder in it, in dotted form) that holds `<id>.toml`:

    [project.entry-points."toolcast.profiles"]
    acme = "acme_tools.profiles"
"""

from __future__ import annotations

import importlib.util
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from .errors import ProfileError
from .profile_file import id_of

GROUP = "toolcast.profiles"


def installed_ids() -> dict[str, str]:
    """The id of each profile that installed packages offer, and the package's name. Sorted by id."""
    return {
        point.name: _owner(point) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
    }


def installed_file(id: str) -> Path | None:
    """The file of the installed profile `id`; `None` if there is none.

    Raises `ProfileError` where two packages offer it, or where the one that does has no such file.
    """
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
            if id_of(file) != id:
                raise ProfileError(f"{file}: the id is not {id!r}, under which {_owner(point)} offers it")
            return file
    raise ProfileError(f"{_owner(point)} offers the profile {id!r}, but {point.value} holds no {id}.toml")


def _owner(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else point.dist.name


def _folders(point: EntryPoint) -> list[Path]:
    """Where the files of a dotted name lie. Only the outermost package is looked up: that imports nothing."""
    parts = point.value.strip().split(".")
    if not all(part.isidentifier() for part in parts):
        return []
    outer, *inner = parts
    try:
        spec = importlib.util.find_spec(outer)
    except (ImportError, ValueError):
        return []
    places = None if spec is None else spec.submodule_search_locations
    return [Path(place, *inner) for place in places or ()]
