"""A provider as data: its dialect of JSON Schema, and the envelope around it.

Every axis is an option of the one walk; no provider is named anywhere in code. Built-in profiles are
the TOML files beside this module, each rule with its source; a user's own profile is a file of the same
form, which may start from another one with `base = "openai"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from .dialect import Dialect
from .dialect_check import problems
from .profile_check import forms, meanings, near
from .profile_error import ProfileError, ProfileProblem
from .profile_files import error_at, id_of, installed_file, problem_at, read_file
from .request_limits import Limits

BUILT_IN = Path(__file__).parent


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """One provider as data.

    Attributes:
        id: id of the provider.
        dated: ISO date on which the rules were last checked.
        title: name for people.
        sources: pages from which the rules come.
        envelope: template of the tool object: "$name" and the like are filled in; absent values leave no key.
        omit_empty_parameters: whether a tool without parameters has no schema.
        dialect: the accepted part of JSON Schema.
        strict: the dialect of strict mode; None where there is no such flag.
        always_strict: whether what is sent is always enforced, without a flag.
        limits: what one request may hold.
        answers: the provider's answer to a breach, by rule (`profile_check.RULES`).
        models: globs of the models that the profile applies to; for people, not for code.
    """

    id: str
    dated: str  # ISO date on which the rules were last checked
    title: str = ""
    sources: tuple[str, ...] = ()
    envelope: dict[str, Any]  # a template: "$name" and the like are filled in, absent ones leave no key
    omit_empty_parameters: bool = False
    dialect: Dialect = Dialect()
    strict: Dialect | None = None
    always_strict: bool = False  # the schema is always enforced; no flag turns it off
    limits: Limits = Limits()
    answers: dict[str, str] = {}  # the provider's message for a violation, by rule (`profile_check.RULES`)
    models: tuple[str, ...] = ()  # globs of the models that it applies to; for people, not for code


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
    if id in available():
        return load_profile_file(BUILT_IN / f"{id}.toml")
    file = installed_file(id)
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
    return _profile(Path(path), {id_of(file): Path(file) for file in others})


def load_profiles(files: Sequence[str | Path]) -> dict[str, Profile]:
    """Profiles that may be based on each other, by id.

    Raises `ProfileError` with the problems of all of them; two of one id are one.
    """
    paths: dict[str, Path] = {}
    made: dict[str, Profile] = {}
    problems: list[ProfileProblem] = []
    for file in files:
        try:
            id = id_of(file)
        except ProfileError as error:
            problems += error.problems
            continue
        if id in paths:
            message = f"the id {id!r} is that of {paths[id]}, too"
            problems.append(ProfileProblem(file=str(file), message=message, hint="give one another id"))
        paths.setdefault(id, Path(file))
    for id, path in paths.items():
        try:
            made[id] = _profile(path, paths)
        except ProfileError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise ProfileError.of(problems)
    return made


def _profile(path: Path, others: Mapping[str, Path]) -> Profile:
    raw, text = _raw(path, others, ())
    strict = raw.get("strict")
    if isinstance(strict, dict) and isinstance(raw.get("dialect", {}), dict):
        whole = {**raw, "strict": _overlaid(raw.get("dialect", {}), strict)}
    else:
        whole = raw
    try:
        made = msgspec.convert(whole, Profile)
        found = [*meanings(raw), *_unsound(made)]
    except msgspec.ValidationError as error:
        made, found = None, forms(raw, Profile) or [(str(error), "")]
    if made is None or found:
        raise ProfileError.of([problem_at(path, text, *problem) for problem in found])
    return made


def _unsound(made: Profile) -> list[tuple[str, ...]]:
    dialects = (("dialect", made.dialect), ("strict", made.strict))
    return [
        (f"[{table}]: {sentence}", "these axes do not go together", table)
        for table, dialect in dialects
        for sentence in (problems(dialect) if dialect is not None else ())
    ]


def _raw(path: Path, others: Mapping[str, Path], visited: tuple[Path, ...]) -> tuple[dict[str, Any], str]:
    """The data of a file merged into that of its base, and its text."""
    raw, text = read_file(path)
    base, without = raw.pop("base", None), raw.pop("without", [])
    if not isinstance(without, list) or not all(isinstance(name, str) for name in without):
        hint = 'for example without = ["strict", "dialect.formats"]'
        raise error_at(path, text, ("without",), "'without' must be a list of keys", hint)
    if base is None:
        if without:
            raise error_at(path, text, ("without",), "'without' needs a base to take from", "leave it out")
        return raw, text
    below = _base(path, text, base, others, (*visited, path))
    inherited, _ = _raw(below, others, (*visited, path))
    for name in without:
        if not _removed(inherited, name):
            message = f"{name!r} is not inherited from {base!r}"
            raise error_at(path, text, ("without",), message, near(name, _keys(inherited), "inherited"))
    if "envelope" in raw:  # a template is one value: half of another one's keys would make no sense
        inherited.pop("envelope", None)
    return _overlaid(inherited, raw), text


def _base(path: Path, text: str, base: Any, others: Mapping[str, Path], visited: tuple[Path, ...]) -> Path:
    """The file of a base: another file of the same configuration, or a built-in one of that name."""
    built_in = BUILT_IN / f"{base}.toml" if base in available() else None
    found = others.get(base) if isinstance(base, str) else None
    if found == path:  # it overrides the built-in one that it starts from
        found = None
    if found is None:
        found = built_in
    if found is None:
        known = {*available(), *others} - {id for id, file in others.items() if file == path}
        raise error_at(
            path,
            text,
            ("base",),
            f"base {base!r} is not one of the profiles",
            near(str(base), known, "known"),
        )
    if found in visited:
        chain = " → ".join(file.stem for file in (*visited, found))
        message = f"profiles are based on each other in a circle: {chain}"
        raise error_at(path, text, ("base",), message, "one of them must start from another")
    return found


def _removed(table: dict[str, Any], name: str) -> bool:
    """Take a key out, or one of a table in it; False if it is not there."""
    key, _, inner = name.partition(".")
    if inner:
        table = table[key] if isinstance(table.get(key), dict) else {}
    return table.pop(inner or key, None) is not None


def _keys(table: dict[str, Any]) -> list[str]:
    inner = [f"{key}.{name}" for key, value in table.items() if isinstance(value, dict) for name in value]
    return [*table, *inner]


def _overlaid(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables merge, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _overlaid(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
