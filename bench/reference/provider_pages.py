"""The page of the built-in providers, from their profiles."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from toolcast.providers import Profile, available, load_profile
from toolcast.providers.profiles.dialect import Dialect
from toolcast.providers.profiles.profile import Limits

from .markdown import fenced, table

_HEAD = """\
# Built-in providers

What each built-in [profile](providers.md#a-profile) says: the tool object, the part of JSON Schema that it
accepts, and what one request may hold. `toolcast show --providers` lists the profiles of a project, its own
included.

**Strict mode**: *per tool* is a flag of each tool, used where the whole contract survives it; *per request*
is asked for by a spec; *always* is enforced without a flag; *none* has no such mode.
"""


def provider_profiles() -> str:
    """The page."""
    profiles = [load_profile(id) for id in available()]
    rows = [
        [
            f"[`{each.id}`](#{each.id})",
            each.title,
            _strict(each),
            _number(each.limits.tools),
            _number(each.limits.name_length),
            each.dated,
        ]
        for each in profiles
    ]
    head = ["id", "provider", "strict mode", "tools in a request", "characters of a name", "checked on"]
    return "\n".join([_HEAD, table(head, rows), *(_section(each) for each in profiles)])


def _section(profile: Profile) -> str:
    parts = [f"## {profile.id}\n", f"{profile.title}. Strict mode: {_strict(profile)}.\n"]
    if profile.declaration is not None:
        parts.append("Tools are shown as [declarations](code.md#declarations) in that language.\n")
    parts += ["Tool object:\n", fenced(json.dumps(profile.envelope, indent=2), "json")]
    if profile.text_envelope is not None:
        shown = json.dumps(profile.text_envelope, indent=2)
        parts += [
            "Tool object of a [tool whose argument is one text](specs.md#one-text):\n",
            fenced(shown, "json"),
        ]
    if limits := _stated(profile.limits, Limits()):
        parts += [
            "Limits:\n",
            table(["limit", "value"], [[f"`{key}`", _value(limits[key])] for key in limits]),
        ]
    if schema := _stated(profile.dialect, Dialect()):
        parts += ["Schemas, where they differ from JSON Schema 2020-12:\n", _axes(schema)]
    if profile.strict is not None:
        parts += ["Schemas of strict mode:\n", _axes(_stated(profile.strict, Dialect()))]
    if request := {key: value for key, value in msgspec.to_builtins(profile.request).items() if value}:
        parts += [
            "Members of a request:\n",
            fenced(json.dumps(request, indent=2, ensure_ascii=False), "json"),
        ]
    if profile.lost:
        parts += [
            "Keys of a spec that are not sent:\n",
            *(f"* `{key}`: {why}." for key, why in profile.lost.items()),
            "",
        ]
    parts += ["Sources:\n", *(f"* {source}" for source in profile.sources), ""]
    return "\n".join(parts)


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


def _axes(stated: dict[str, Any]) -> str:
    return fenced("\n".join(f"{key} = {_toml(value)}" for key, value in stated.items()), "toml")


def _toml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        items = [_toml(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 90 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return json.dumps(value, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(value) if isinstance(value, int) else f"`{value}`"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
