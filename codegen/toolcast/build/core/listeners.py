"""The profiles of a run: who is told of each tool. Kept from tool to tool, read anew when a file changed."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from ...providers import Profile, load_profile, load_profiles
from .compile import Options
from .offer import Listeners


def listeners_of(options: Options) -> Listeners:
    """The providers of a run; made anew where a profile is another one."""
    return _listeners(_Same(profile_of(id, options) for id in options.providers))


class _Same:
    """Profiles, as a key: equal where each is the very same object."""

    __slots__ = ("_ids", "profiles")

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.profiles = tuple(profiles)  # kept, so that their ids stay their own
        self._ids = tuple(map(id, self.profiles))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._ids == other._ids

    def __hash__(self) -> int:
        return hash(self._ids)


@lru_cache(maxsize=4)
def _listeners(same: _Same) -> Listeners:
    return Listeners(same.profiles)


def profile_of(id: str, options: Options) -> Profile:
    """A profile by id: given by `options`, of one of the files that it names, or a built-in."""
    if options.given is not None:
        return options.given[id]
    return user_profiles(options.profiles).get(id) or load_profile(id)


def user_profiles(files: tuple[str, ...]) -> Mapping[str, Profile]:
    """The profiles in `files`, by id. Read again when one changed: a process may outlive an edit."""
    return _read_profiles(files, tuple(Path(file).stat().st_mtime_ns for file in files))


@lru_cache(maxsize=4)
def _read_profiles(files: tuple[str, ...], _changed: tuple[int, ...]) -> Mapping[str, Profile]:
    return load_profiles(files)
