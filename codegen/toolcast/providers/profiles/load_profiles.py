"""Loads profiles, each merged into the one that it starts from with `base`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from .installed import installed_file
from .profile import Profile
from .profile_check import forms, meanings, near
from .profile_error import ProfileError, ProfileProblem
from .profile_file import ProfileFile, read_profile_file

BUILT_IN = Path(__file__).parent


@lru_cache(maxsize=1)
def available() -> tuple[str, ...]:
    """List the built-in profiles.

    Returns:
        Their ids, sorted.
    """
    return tuple(sorted(path.stem for path in BUILT_IN.glob("*.toml")))


@lru_cache(maxsize=128)
def load_profile(id: str) -> Profile:
    """Load a built-in profile, or one of an installed package. A package never replaces a built-in profile.

    Args:
        id: id of the profile.

    Returns:
        The profile; the same object each time.

    Raises:
        ProfileError: there is no profile of that id, or it is not valid.
    """
    file = BUILT_IN / f"{id}.toml" if id in available() else installed_file(id)
    if file is None:
        raise ProfileError(f"no provider profile {id!r}; there are: {', '.join(available())}")
    return load_profile_file(file)


def load_profile_file(path: str | Path, *, others: Sequence[str | Path] = ()) -> Profile:
    """Load a profile from a TOML file.

    Args:
        path: path of the file.
        others: further profile files, which its `base` may name as it may a built-in profile.

    Returns:
        The profile.

    Raises:
        ProfileError: the file is not valid; `problems` has everything that is wrong with it.
    """
    read = {file.id: file for file in map(read_profile_file, others)}
    return _profile(read_profile_file(path), read)


def load_profiles(files: Sequence[str | Path]) -> dict[str, Profile]:
    """Profiles that may be based on each other, by id.

    Raises `ProfileError` with the problems of all of them; two of one id are one.
    """
    read: dict[str, ProfileFile] = {}
    made: dict[str, Profile] = {}
    problems: list[ProfileProblem] = []
    for path in files:
        try:
            file = read_profile_file(path)
            first = read.setdefault(file.id, file)
        except ProfileError as error:
            problems += error.problems
            continue
        if first is not file:
            message = f"the id {file.id!r} is that of {first.path}, too"
            problems.append(file.problem(message, "give one another id"))
    for id, file in read.items():
        try:
            made[id] = _profile(file, read)
        except ProfileError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise ProfileError.of(problems)
    return made


def _profile(file: ProfileFile, others: Mapping[str, ProfileFile]) -> Profile:
    raw = _with_base(file, others)
    dialect, strict = raw.get("dialect", {}), raw.get("strict")
    if isinstance(strict, dict) and isinstance(dialect, dict):
        whole = {**raw, "strict": _overlaid(dialect, strict)}
    else:
        whole = raw
    try:
        made = msgspec.convert(whole, Profile)
    except msgspec.ValidationError as error:
        problems = [*forms(raw)] or [(str(error), "")]
    else:
        problems = [*meanings(raw, made)]
        if not problems:
            return made
    raise ProfileError.of([file.problem(*problem) for problem in problems])


def _with_base(
    file: ProfileFile, others: Mapping[str, ProfileFile], visited: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """The data of a file merged into that of its base."""
    raw = dict(file.data)
    base, without = raw.pop("base", None), raw.pop("without", [])
    if not isinstance(without, list) or not all(isinstance(name, str) for name in without):
        hint = 'for example without = ["strict", "dialect.formats"]'
        raise ProfileError.of([file.problem("'without' must be a list of keys", hint, "without")])
    if base is None:
        if without:
            raise ProfileError.of(
                [file.problem("'without' needs a base to take from", "leave it out", "without")]
            )
        return raw
    visited = (*visited, file.path)
    inherited = _with_base(_base(file, base, others, visited), others, visited)
    for name in without:
        rest = _without(inherited, name)
        if rest == inherited:
            hint = near(name, _keys(inherited), "inherited")
            raise ProfileError.of([file.problem(f"{name!r} is not inherited from {base!r}", hint, "without")])
        inherited = rest
    if "envelope" in raw:  # a template is one value: half of another one's keys would make no sense
        inherited.pop("envelope", None)
        inherited.pop("text-envelope", None)
    if "text-envelope" in raw:
        inherited.pop("text-envelope", None)
    return _overlaid(inherited, raw)


def _base(
    file: ProfileFile, base: Any, others: Mapping[str, ProfileFile], visited: tuple[Path, ...]
) -> ProfileFile:
    """The file of a base: another file of the same configuration, or a built-in one of that name."""
    found = others.get(base) if isinstance(base, str) else None
    if found is None or found.path == file.path:  # it overrides the built-in one that it starts from
        if base not in available():
            known = {*available(), *others} - {id for id, other in others.items() if other.path == file.path}
            hint = near(str(base), known, "known")
            raise ProfileError.of([file.problem(f"base {base!r} is not one of the profiles", hint, "base")])
        found = read_profile_file(BUILT_IN / f"{base}.toml")
    if found.path in visited:
        chain = " → ".join(path.stem for path in (*visited, found.path))
        message = f"profiles are based on each other in a circle: {chain}"
        raise ProfileError.of([file.problem(message, "one of them must start from another", "base")])
    return found


def _keys(table: Mapping[str, Any]) -> list[str]:
    inner = [f"{key}.{name}" for key, value in table.items() if isinstance(value, dict) for name in value]
    return [*table, *inner]


def _without(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The same without one of `_keys`."""
    return {
        key: {inner: below for inner, below in value.items() if f"{key}.{inner}" != name}
        if isinstance(value, dict)
        else value
        for key, value in table.items()
        if key != name
    }


def _overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merge, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _overlaid(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
