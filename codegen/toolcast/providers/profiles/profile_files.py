"""Reads profile files, and finds those of installed packages without running any code of theirs.

A package offers a profile with an entry point whose name is the profile's id and whose value is the package
(or the folder in it, in dotted form) that holds `<id>.toml`:

    [project.entry-points."toolcast.profiles"]
    acme = "acme_tools.profiles"
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .profile_check import line_of
from .profile_error import ProfileError, ProfileProblem

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
            if id_of(file) != id:
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


def read_file(path: Path) -> tuple[dict[str, Any], str]:
    """The data of a file, and its text. Raises `ProfileError`."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise ProfileError.of([ProfileProblem(file=str(path), message=_absent(path))])
        text = path.read_bytes().decode("utf-8")
        return tomllib.loads(text), text
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"is not TOML: {error}"
    except tomllib.TOMLDecodeError as error:
        what, line = _message_and_line(str(error))
        raise ProfileError.of([ProfileProblem(file=str(path), line=line, message=what)]) from None
    raise ProfileError.of([ProfileProblem(file=str(path), message=message)])


def _absent(path: Path) -> str:
    return "is no regular file" if path.exists() else "cannot be read: No such file or directory"


def _message_and_line(error: str) -> tuple[str, int]:
    """The message of `tomllib`, and its line; 0 for the end of the file."""
    found = re.search(r" \(at line (\d+), column (\d+)\)$", error)
    if not found:
        return f"is not TOML: {error}", 0
    return f"is not TOML, in column {found[2]}: {error[: found.start()]}", int(found[1])


def id_of(file: str | Path) -> str:
    """The id that a profile's file states, and nothing more of it. Raises `ProfileError`."""
    raw, text = read_file(Path(file))
    if not isinstance(raw.get("id"), str):
        message, hint = "'id' is missing" if "id" not in raw else "'id' must be a string", 'write id = "acme"'
        raise error_at(file, text, ("id",), message, hint)
    return str(raw["id"])


def error_at(path: str | Path, text: str, keys: tuple[str, ...], message: str, hint: str) -> ProfileError:
    """A problem, at the line of the innermost of `keys` that the text has."""
    return ProfileError.of([problem_at(path, text, message, hint, *keys)])


def problem_at(path: str | Path, text: str, message: str, hint: str, *keys: str) -> ProfileProblem:
    """See `error_at`."""
    return ProfileProblem(file=str(path), line=line_of(text, keys), message=message, hint=hint)
