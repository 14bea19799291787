"""The page of the built-in providers, from their profiles."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import msgspec
from toolcast.providers import Profile, available, load_profile, profiles
from toolcast.providers.profiles.dialect import Dialect
from toolcast.providers.profiles.profile import Limits

from .markdown import escaped, fenced, table

_FOLDER = Path(profiles.__file__).parent
_HEAD = """\
# Built-in providers

Each built-in [profile](providers.md#a-profile): the tool object, the members of a request, what one request
may hold (`limits`), the accepted part of JSON Schema (`dialect`; `strict` in strict mode), and the keys
of a spec that are not sent (`lost`). What is not stated is JSON Schema 2020-12 without limits. A profile with
a `base` shows its differences from that one: `+=` adds to a list, `-=` removes from it, `without` takes keys
away. `toolcast.providers.load_profile("ID")` returns a profile in full.

**Strict mode**: *per tool* is a flag of each tool, used where the whole contract survives it; *per request*
is asked for by a spec; *always* is enforced without a flag; *none* has no such mode.
"""


def provider_profiles() -> str:
    """The page."""
    profiles = {id: load_profile(id) for id in available()}
    rows = [
        [
            f"[`{each.id}`](#{each.id})",
            each.title,
            _strict(each),
            _number(each.limits.tools),
            _number(each.limits.name_length),
            each.dated,
        ]
        for each in profiles.values()
    ]
    head = ["id", "provider", "strict mode", "tools in a request", "characters of a name", "checked on"]
    sections = [_section(each, profiles.get(_base(each.id))) for each in profiles.values()]
    return "\n".join([_HEAD, table(head, rows), *sections])


def _base(id: str) -> str:
    """The profile that a built-in one starts from; "" for none."""
    return str(tomllib.loads((_FOLDER / f"{id}.toml").read_text("utf-8")).get("base", ""))


def _section(profile: Profile, base: Profile | None) -> str:
    own, before = _data(profile), _data(base) if base else {}
    objects = {
        name: own[name]
        for name in ("envelope", "text-envelope", "request")
        if own[name] and own[name] != before.get(name)
    }
    gone = [name for name in ("text-envelope", "request", "strict") if before.get(name) and not own[name]]
    lines: list[str] = []
    for name in ("limits", "dialect", "strict", "lost"):
        usual = before.get(name) or (own["dialect"] if name == "strict" and own["strict"] else {})
        if found := list(_differences(own[name], usual)):
            lines += [f"[{name}]", *found]
        if name not in gone:
            gone += [f"{name}.{key}" for key in usual if key not in own[name]]
    head = [f"base = {_toml(base.id)}"] if base else []
    head += [f"without = {_toml(gone)}"] if gone else []
    head += [f"declaration = {_toml(profile.declaration)}"] if profile.declaration else []
    parts = [f"## {profile.id}\n"]
    parts += [f"{_OBJECTS[name]}:\n\n{fenced(_json(found), 'json')}" for name, found in objects.items()]
    parts += [fenced("\n".join([*head, *lines]), "text")] if head or lines else []
    return "\n".join([*parts, f"Sources: {escaped('; '.join(profile.sources))}.\n"])


_OBJECTS = {
    "envelope": "Tool object",
    "text-envelope": "Tool object of a [tool whose argument is one text](specs.md#one-text)",
    "request": "Members of a request",
}


def _data(profile: Profile) -> dict[str, dict[str, Any]]:
    """The tables of a profile, each without what is as by default."""
    return {
        "envelope": profile.envelope,
        "text-envelope": profile.text_envelope or {},
        "limits": _stated(profile.limits, Limits()),
        "dialect": _stated(profile.dialect, Dialect()),
        "strict": {} if profile.strict is None else _stated(profile.strict, Dialect()),
        "request": {key: value for key, value in msgspec.to_builtins(profile.request).items() if value},
        "lost": dict(profile.lost),
    }


def _differences(own: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    """A line for each key whose value is another; of a list, what is added and removed if that is shorter."""
    for key, value in own.items():
        old = before.get(key)
        if value == old:
            continue
        more, less = [value], []
        if isinstance(value, (list, tuple)) and isinstance(old, (list, tuple)):
            more, less = (
                [each for each in value if each not in old],
                [each for each in old if each not in value],
            )
        if isinstance(old, (list, tuple)) and len(more) + len(less) < len(value):
            yield from (f"{key} {sign} {_toml(each)}" for sign, each in (("+=", more), ("-=", less)) if each)
        else:
            yield f"{key} = {_toml(value)}"


def _strict(profile: Profile) -> str:
    if profile.always_strict:
        return "always"
    if profile.strict is not None:
        return "per tool"
    return "per request" if profile.request.strict else "none"


def _stated(part: Dialect | Limits, default: Dialect | Limits) -> dict[str, Any]:
    """The members of a part that differ from the default, by the keys of the profile's file."""
    found, usual = msgspec.to_builtins(part), msgspec.to_builtins(default)
    return {key: value for key, value in found.items() if value != usual[key]}


def _json(value: dict[str, Any]) -> str:
    members = (f"  {json.dumps(key)}: {json.dumps(each, ensure_ascii=False)}" for key, each in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def _toml(value: Any) -> str:
    if not isinstance(value, (list, tuple)):
        return json.dumps(value, ensure_ascii=False)
    line = f"[{', '.join(map(_toml, value))}]"
    return "\n    ".join(wrap(line, 100, break_long_words=False, break_on_hyphens=False))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
