"""The page of the built-in providers, from their profiles."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from toolcast.providers import Profile, available, load_profile, profiles
from toolcast.providers.profiles.profile import Limits

from .markdown import escaped, fenced, table

_FOLDER = Path(profiles.__file__).parent
_HEAD = """\
# Built-in providers

Each built-in [profile](providers.md#a-profile): the tool object, the members of a request, what one request
may hold (`limits`), and the keys of a spec that are not sent (`lost`). What schemas may say is the page
[What each provider takes](compatibility.md). With a `base`, the tool object and the request are shown where
they differ from its own. `toolcast.providers.load_profile("ID")` returns a profile in full.

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
    own, before = msgspec.to_builtins(profile), msgspec.to_builtins(base) if base else {}
    own["request"] = {key: value for key, value in own["request"].items() if value}
    objects = {name: own[name] for name in _OBJECTS if own[name] and own[name] != before.get(name)}
    usual = msgspec.to_builtins(Limits())
    limits = {key: value for key, value in own["limits"].items() if value != usual[key]}
    lines = [f"base = {json.dumps(base.id)}"] if base else []
    lines += [f"declaration = {json.dumps(profile.declaration)}"] if profile.declaration else []
    for name, found in (("limits", limits), ("lost", profile.lost)):
        lines += [f"[{name}]"] if found else []
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in found.items()]
    parts = [f"## {profile.id}\n"]
    parts += [f"{_OBJECTS[name]}:\n\n{fenced(_json(found), 'json')}" for name, found in objects.items()]
    parts += [fenced("\n".join(lines), "text")] if lines else []
    return "\n".join([*parts, f"Sources: {escaped('; '.join(profile.sources))}.\n"])


_OBJECTS = {
    "envelope": "Tool object",
    "text-envelope": "Tool object of a [tool whose argument is one text](specs.md#one-text)",
    "request": "Members of a request",
}


def _strict(profile: Profile) -> str:
    if profile.always_strict:
        return "always"
    if profile.strict is not None:
        return "per tool"
    return "per request" if profile.request.strict else "none"


def _json(value: dict[str, Any]) -> str:
    members = (f"  {json.dumps(key)}: {json.dumps(each, ensure_ascii=False)}" for key, each in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
