"""A provider as data: what its dialect of JSON Schema can say, and the envelope around it.

Every axis is an option of the one walk; no provider is named anywhere in code. Built-in profiles are
the TOML files beside this module, each rule with its source; a user's own profile is a file of the same
form, which may start from a built-in one with `base = "openai"`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from .dialect import Dialect
from .errors import ProfileError
from .limits import Limits

BUILT_IN = Path(__file__).parent / "profiles"


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """One provider. `strict` is the dialect of its strict mode, `None` where there is no such flag."""

    id: str
    dated: str  # ISO date on which the rules were last checked
    title: str = ""
    sources: tuple[str, ...] = ()
    envelope: dict[str, Any]  # a template: "$name" and the like are filled in, absent ones leave no key
    omit_empty_parameters: bool = False
    dialect: Dialect = Dialect()
    strict: Dialect | None = None
    always_strict: bool = False  # what is sent is always enforced; no flag turns it off
    limits: Limits = Limits()
    answers: Mapping[str, str] = {}  # what the provider says to a breach, by rule; lint quotes it
    models: tuple[str, ...] = ()  # globs of the models that it applies to; for people, not for code


def available() -> tuple[str, ...]:
    """The ids of the built-in profiles, sorted."""
    return tuple(sorted(path.stem for path in BUILT_IN.glob("*.toml")))


@lru_cache(maxsize=128)
def load_profile(id: str) -> Profile:
    """A built-in profile. Raises `ProfileError` if there is none of that id."""
    if id not in available():
        raise ProfileError(f"no provider profile {id!r}; there are: {', '.join(available())}")
    return load_profile_file(BUILT_IN / f"{id}.toml")


def load_profile_file(path: str | Path) -> Profile:
    """A profile from a TOML file; `base` names the built-in profile it starts from. Raises `ProfileError`."""
    return _profile(_raw(Path(path), ()), str(path))


def _raw(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    if path in seen:
        raise ProfileError(f"{path}: profiles are based on each other in a circle")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: is not TOML: {error}") from None
    base = raw.pop("base", None)
    if base is None:
        return raw
    if base not in available():
        raise ProfileError(f"{path}: base {base!r} is not one of {', '.join(available())}")
    inherited = _raw(BUILT_IN / f"{base}.toml", (*seen, path))
    if "envelope" in raw:  # a template is one value: half of another one's keys would make no sense
        del inherited["envelope"]
    return _overlaid(inherited, raw)


def _profile(raw: dict[str, Any], where: str) -> Profile:
    if isinstance(raw.get("strict"), dict) and isinstance(raw.get("dialect", {}), dict):
        raw = {**raw, "strict": _overlaid(raw.get("dialect", {}), raw["strict"])}
    try:
        return msgspec.convert(raw, Profile)
    except msgspec.ValidationError as error:
        raise ProfileError(f"{where}: {error}") from None


def _overlaid(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables merge, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _overlaid(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
