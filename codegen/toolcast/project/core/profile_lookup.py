"""Profiles by id. A profile file is read anew when it changed: a process may outlive an edit."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ...providers import Profile, load_profile, load_profiles
from .compiled import Options


def profile_of(id: str, options: Options) -> Profile:
    """The profile of that id: one of `options.given`, of the files that `options` names, or a built-in one.

    Raises KeyError for an id that is not in `given`, ProfileError for one that is nowhere, OSError for a
    file that cannot be read.
    """
    if options.given is not None:
        return options.given[id]
    return _profiles(options.profiles).get(id) or load_profile(id)


def _profiles(files: tuple[str, ...]) -> Mapping[str, Profile]:
    return _read(files, tuple(Path(file).stat().st_mtime_ns for file in files))


@lru_cache(maxsize=4)
def _read(files: tuple[str, ...], _changed: tuple[int, ...]) -> Mapping[str, Profile]:
    return load_profiles(files)
