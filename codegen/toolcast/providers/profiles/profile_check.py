"""Checks profiles: every problem, with a suggestion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ...diagnostics import most_similar
from ...jsonschema.json_values import JsonMapping
from ...jsonschema.keywords import KEYWORDS
from ...runtime.request_rules import RequestRules
from ..result_schemas import NARROWING
from .dialect import Dialect, contradictions
from .envelope import CARRIERS, PLACEHOLDERS, placeholders
from .profile import CallerNames, ExampleRules, Limits, Profile, ResultRules

Problem = tuple[str, ...]
"""A message, a hint, and the keys that lead to what is wrong."""
ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TABLES: dict[str, type[Struct]] = {
    "dialect": Dialect,
    "strict": Dialect,
    "limits": Limits,
    "request": RequestRules,
    "examples": ExampleRules,
    "callers": CallerNames,
    "result": ResultRules,
}
_SPEC_KEYS = (*CARRIERS, "annotations")
"""The keys of a spec that `lost` may give a reason for."""
_PATTERNS = (
    ("dialect", "property-names"),
    ("strict", "property-names"),
    ("limits", "name-pattern"),
    ("limits", "property-pattern"),
)
_LISTS = ("keep", "describe", "drop", "block", "root-forbid", "integers-only", "at-most")
"""Lists of keywords of a dialect."""
_MISSPELT = 0.8
"""The similarity from which a name counts as a misspelt keyword: others may be a provider's own."""
_KNOWN = frozenset((*KEYWORDS, "propertyOrdering", "$def", "defs", "ref"))
_RULES = (
    *("name-pattern", "name-length", "description-length", "property-name", "depth", "properties"),
    *("enum-values", "long-enum", "string-chars", "required-at-least", "rejected", "not-strict"),
    *("tools", "deferred-tools", "all-deferred", "strict-tools", "mixed-strict"),
    *("all-properties", "optional", "unions"),
)
"""The rules to whose breach a profile may quote the provider's answer; also `not-strict.<keyword>`."""
_PATHS = ("pointer", "tuple", "dots", "brackets")
"""The values of `answers.paths`: how the provider writes a path in a schema."""
_FILLED = frozenset(("tool", "index", "name", "path", "value", "limit", "length", "count"))
"""The placeholders of an answer: {tool} and so on; literal braces are doubled."""


def forms(raw: JsonMapping) -> Iterator[Problem]:
    """Return what has an unknown name or a value of the wrong form."""
    yield from _fields(raw, Profile, ())
    for table, kind in _TABLES.items():
        if isinstance(raw.get(table), dict):
            yield from _fields(raw[table], kind, (table,))
    for key in ("id", "dated", "envelope"):
        if key not in raw:
            yield f"{key!r} is missing", f"a profile needs {key}", key


def _fields(raw: Mapping[str, object], kind: type[Struct], below: tuple[str, ...]) -> Iterator[Problem]:
    hints = get_type_hints(kind)
    types = {field.encode_name: hints[field.name] for field in msgspec.structs.fields(kind)}
    for key, value in raw.items():
        name = ".".join((*below, key))
        if key not in types:
            yield f"unknown key {name!r}", near(key, types.keys() - raw.keys(), "known"), *below, key
        elif not below and key in _TABLES:
            if not isinstance(value, dict):
                yield f"{name!r} must be a table", f"write [{name}] and keys below it", *below, key
        else:
            try:
                msgspec.convert(value, types[key])
            except msgspec.ValidationError as error:
                allowed = get_args(types[key]) if get_origin(types[key]) is Literal else ()
                hint = near(str(value), [str(one) for one in allowed], "allowed") if allowed else ""
                yield f"{name!r}: {error}", hint, *below, key


def near(wrong: str, known: Iterable[str], what: str) -> str:
    """Return a suggestion, and all possible values."""
    names = sorted(known)
    close = most_similar(wrong, names)
    return (f"did you mean {close!r}? " if close else "") + f"{what}: {', '.join(names)}"


def meanings(raw: JsonMapping, profile: Profile) -> Iterator[Problem]:
    """Return what has the right form and still makes no sense. `profile` is made of `raw`."""
    if not ID.fullmatch(raw["id"]):
        hint = "use letters, digits, `_` and `-`, with a letter or `_` first"
        yield f"the id {raw['id']!r} cannot be a folder name", hint, "id"
    if not _is_date(raw["dated"]):
        yield f"'dated' is {raw['dated']!r}, which is no date", "write it as 2026-11-21", "dated"
    yield from _template(raw, "envelope", ("$name", "$parameters"))
    if "text-envelope" in raw:
        yield from _template(raw, "text-envelope", ("$name", "$input_format"))
    for table, key in _PATTERNS:
        pattern = raw.get(table, {}).get(key, "")
        try:
            re.compile(pattern)
        except re.error as error:
            yield (
                f"'{table}.{key}' is no regular expression: {error}",
                "it is compiled with Python's re",
                table,
                key,
            )
    yield from _keywords(raw)
    yield from _spec_keys(raw, profile)
    for key, value in raw.get("limits", {}).items():
        if isinstance(value, int) and value < 0:
            yield f"'limits.{key}' is {value}", "a limit is at least 0; leave it out for none", "limits", key
    yield from _request(profile.request)
    yield from _answers(raw.get("answers", {}))
    for table, dialect in (("dialect", profile.dialect), ("strict", profile.strict)):
        for sentence in () if dialect is None else contradictions(dialect):
            yield f"[{table}]: {sentence}", "these axes do not go together", table


def _template(raw: JsonMapping, table: str, required: tuple[str, ...]) -> Iterator[Problem]:
    """Placeholders of a template that are unknown or missing."""
    shown = table.replace("-", " ")
    named = dict(placeholders(raw[table], (table,)))
    for value, keys in named.items():
        if value not in PLACEHOLDERS:
            yield f"the {shown} names {value!r}", near(value, PLACEHOLDERS, "known"), *keys
    for value in required:
        if value not in named:
            yield f"the {shown} has no {value}", "without it no tool can be called", table


def _spec_keys(raw: JsonMapping, profile: Profile) -> Iterator[Problem]:
    """`lost`, `callers` and `result`, which are about keys of a spec."""
    for key, reason in profile.lost.items():
        if key not in _SPEC_KEYS:
            yield (
                f"'lost' names {key!r}, which is no key of a spec",
                near(key, _SPEC_KEYS, "known"),
                "lost",
                key,
            )
        elif not reason.strip() or reason.endswith("."):
            hint = 'write what follows "is not sent, because", without a full stop'
            yield f"'lost.{key}' is no end of a sentence", hint, "lost", key
    named = any(name == "$callers" for name, _ in placeholders(profile.envelope))
    if named and profile.callers is None:
        hint = 'write [callers] with model and code: the provider\'s words, such as "direct"'
        yield "the envelope names '$callers', and there is no table 'callers'", hint, "envelope"
    for name in raw.get("result", {}).get("keep", ()):
        if name in NARROWING:
            hint = "leave it out: without other keywords, it would refuse more than the contract"
            yield f"'result.keep' names {name!r}", hint, "result", "keep"


def _keywords(raw: JsonMapping) -> Iterator[Problem]:
    """Names in lists of keywords that are nearly one: such a rule would never apply."""
    for table in ("dialect", "strict", "result"):
        for key in _LISTS:
            for entry in raw.get(table, {}).get(key, ()):
                name = entry[0] if isinstance(entry, list) else entry
                if name in _KNOWN or name.startswith("x-"):
                    continue
                close = most_similar(name, _KNOWN, _MISSPELT)
                if close:
                    yield (
                        f"'{table}.{key}' names {name!r}, which is no keyword",
                        f"did you mean {close!r}?",
                        table,
                        key,
                    )


_TEMPLATES = {
    "client-search": (("$description", "$parameters"), ("$name",)),
    "namespace": (("$group", "$description", "$tools"), ()),
}
"""The templates of a request: what each of them has to hold, and what it may."""


def _request(request: RequestRules) -> Iterator[Problem]:
    """Rules of a request that do not go together, and templates that lack a value or have an unknown one."""
    if bool(request.defer) != bool(request.search_tools):
        hint = "an object says that its tool is loaded on demand, and a tool of the request finds it"
        yield "'request.defer' and 'request.search-tools' need each other", hint, "request"
    if (request.client_search or request.namespace) and not request.loads_tools:
        hint = "they are for tools that are loaded on demand"
        yield "'request.client-search' and 'request.namespace' need 'request.search-tools'", hint, "request"
    if request.cache and request.cache_entry:
        hint = "a request marks the end of what is cached once"
        yield "'request.cache' and 'request.cache-entry' exclude each other", hint, "request", "cache-entry"
    for key, template in (("client-search", request.client_search), ("namespace", request.namespace)):
        named = {value for value, _ in placeholders(template)}
        needed, possible = _TEMPLATES[key]
        for value in sorted(named.difference(needed, possible)):
            yield (
                f"'request.{key}' names {value!r}",
                near(value, (*needed, *possible), "known"),
                "request",
                key,
            )
        for value in needed if template else ():
            if value not in named:
                yield f"'request.{key}' has no {value}", f"it needs {', '.join(needed)}", "request", key


def _answers(answers: Mapping[str, str]) -> Iterator[Problem]:
    for rule, template in answers.items():
        if rule == "paths":
            if template not in _PATHS:
                yield f"'answers.paths' is {template!r}", near(template, _PATHS, "allowed"), "answers", rule
            continue
        if rule not in _RULES and not rule.startswith("not-strict."):
            yield f"unknown rule {rule!r} in answers", near(rule, _RULES, "known"), "answers", rule
        for name in re.findall(r"\{(\w+)\}", re.sub(r"\{\{|\}\}", "", template)):
            if name not in _FILLED:
                known = ", ".join(f"{{{one}}}" for one in sorted(_FILLED))
                yield f"the answer to {rule!r} names {{{name}}}", f"known: {known}", "answers", rule


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
