"""Loads profiles, each merged into the one that it starts from with `base`.

Profiles of installed packages are found without running any code of theirs. A package offers one with
an entry point whose name is the profile's id and whose value is the package (or the folder in it, in dotted
form) that holds `<id>.toml`:

    [project.entry-points."toolcast.profiles"]
    acme = "acme_tools.profiles"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ...toml_tables import find_place, split_fault
from .profile import Profile, ProfileError, ProfileProblem
from .profile_check import forms, meanings, near

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


class _ProfileFile(Struct, frozen=True, kw_only=True):
    """A file of TOML and its data, which no one changes."""

    path: Path
    text: str
    data: JsonObject

    @property
    def id(self) -> str:
        """The id that the file states. Raises `ProfileError`."""
        id = self.data.get("id")
        if isinstance(id, str):
            return id
        message = "'id' must be a string" if "id" in self.data else "'id' is missing"
        raise ProfileError.of([self.problem(message, 'write id = "acme"', "id")])

    def problem(self, message: str, hint: str, *keys: str) -> ProfileProblem:
        """Return a problem, at the line of the innermost of `keys` that the text has."""
        return ProfileProblem(
            file=str(self.path), line=find_place(self.text, keys)[0], message=message, hint=hint
        )


def _read_profile_file(path: str | Path) -> _ProfileFile:
    """Read a file of TOML without checking its data. Raises ProfileError where it cannot be read, or is not
    TOML.
    """
    path, line = Path(path), 0
    try:
        if path.is_file():  # a pipe would be waited for
            text = path.read_bytes().decode("utf-8")
            return _ProfileFile(path=path, text=text, data=tomllib.loads(text))
        message = "is no regular file" if path.exists() else "cannot be read: No such file or directory"
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"is not TOML: {error}"
    except tomllib.TOMLDecodeError as error:
        message, line, column = split_fault(str(error))
        message = f"is not TOML{f', in column {column}' if line else ''}: {message}"
    raise ProfileError.of([ProfileProblem(file=str(path), line=line, message=message)])


_GROUP = "toolcast.profiles"


def installed_ids() -> dict[str, str]:
    """Return the ids of profiles that installed packages offer, sorted, each with the name of the package."""
    return {point.name: _owner(point) for point in sorted(_points(), key=lambda point: point.name)}


def installed_file(id: str) -> Path | None:
    """Return the file of an installed profile; None if no package offers it. Raises ProfileError where two
    packages offer it, or the one that does has no such file.
    """
    points = [point for point in _points() if point.name == id]
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
            if _read_profile_file(file).id != id:
                raise ProfileError(f"{file}: the id is not {id!r}, under which {_owner(point)} offers it")
            return file
    raise ProfileError(f"{_owner(point)} offers the profile {id!r}, but {point.value} holds no {id}.toml")


def _points() -> EntryPoints:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=_GROUP)


def _owner(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else point.dist.name


def _folders(point: EntryPoint) -> list[Path]:
    """Return the folders of a dotted name. Only the outermost package is located, which imports nothing."""
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


_BUILT_IN = Path(__file__).parent


@lru_cache(maxsize=1)
def available() -> tuple[str, ...]:
    """List the built-in profiles.

    Returns:
        Their ids, sorted.
    """
    return tuple(sorted(path.stem for path in _BUILT_IN.glob("*.toml")))


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
    file = _BUILT_IN / f"{id}.toml" if id in available() else installed_file(id)
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
    read = {file.id: file for file in map(_read_profile_file, others)}
    return _profile(_read_profile_file(path), read)


def load_profiles(files: Sequence[str | Path]) -> dict[str, Profile]:
    """Profiles that may be based on each other, by id. Raises `ProfileError` with the problems of all of
    them; two of one id are one.
    """
    read: dict[str, _ProfileFile] = {}
    made: dict[str, Profile] = {}
    problems: list[ProfileProblem] = []
    for path in files:
        try:
            file = _read_profile_file(path)
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


def _profile(file: _ProfileFile, others: Mapping[str, _ProfileFile]) -> Profile:
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
    file: _ProfileFile, others: Mapping[str, _ProfileFile], visited: tuple[Path, ...] = ()
) -> JsonObject:
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
    file: _ProfileFile, base: object, others: Mapping[str, _ProfileFile], visited: tuple[Path, ...]
) -> _ProfileFile:
    found = others.get(base) if isinstance(base, str) else None
    if found is None or found.path == file.path:  # it overrides the built-in one that it starts from
        if base not in available():
            known = {*available(), *others} - {id for id, other in others.items() if other.path == file.path}
            hint = near(str(base), known, "known")
            raise ProfileError.of([file.problem(f"base {base!r} is not one of the profiles", hint, "base")])
        found = _read_profile_file(_BUILT_IN / f"{base}.toml")
    if found.path in visited:
        chain = " → ".join(path.stem for path in (*visited, found.path))
        message = f"profiles are based on each other in a circle: {chain}"
        raise ProfileError.of([file.problem(message, "one of them must start from another", "base")])
    return found


def _keys(table: Mapping[str, object]) -> list[str]:
    inner = [f"{key}.{name}" for key, value in table.items() if isinstance(value, dict) for name in value]
    return [*table, *inner]


def _without(table: Mapping[str, object], name: str) -> JsonObject:
    return {
        key: {inner: below for inner, below in value.items() if f"{key}.{inner}" != name}
        if isinstance(value, dict)
        else value
        for key, value in table.items()
        if key != name
    }


def _overlaid(below: Mapping[str, object], above: Mapping[str, object]) -> JsonObject:
    """Tables merge, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _overlaid(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
