"""Loads and checks profiles, each merged into the one that it starts from with `base`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ...diagnostics import most_similar
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.keywords import KEYWORDS
from ...package_files import profile_ids
from ...runtime.request_rules import RequestRules
from ...toml_tables import find_place, split_fault
from ..provider_rules import is_rule
from ..result_schemas import NARROWING
from .dialect import contradictions
from .envelope import CARRIERS, PLACEHOLDERS, placeholders
from .profile import ProbeRules, Profile, ProfileError, ProfileProblem


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
    """Read TOML without checking its data. Raises ProfileError for what is no readable TOML."""
    path, line, text = Path(path), 0, ""
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
        message, line, column = split_fault(str(error), text)
        message = f"is not TOML{f', in column {column}' if line else ''}: {message}"
    raise ProfileError.of([ProfileProblem(file=str(path), line=line, message=message)])


_BUILT_IN = Path(__file__).parent


def available() -> tuple[str, ...]:
    """List the built-in profiles.

    Returns:
        Their ids, sorted.
    """
    return profile_ids()


@lru_cache(maxsize=128)
def load_profile(id: str) -> Profile:
    """Load a built-in profile.

    Args:
        id: id of the profile.

    Returns:
        The profile; the same object each time.

    Raises:
        ProfileError: there is no profile of that id, or it is not valid.
    """
    if id not in available():
        raise ProfileError(f"no provider profile {id!r}; there are: {', '.join(available())}")
    return load_profile_file(_BUILT_IN / f"{id}.toml")


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


def profile_texts(id: str, files: Sequence[str | Path] = ()) -> tuple[tuple[Path, str], ...]:
    """Read a profile and its bases, as they are written.

    Args:
        id: id of the profile.
        files: profiles of a project.

    Returns:
        Files and their texts, the profile first.

    Raises:
        ProfileError: a file cannot be read, or there is no such profile.
    """
    read = {file.id: file for file in map(_read_profile_file, files)}
    chain = [read.get(id) or _read_profile_file(_BUILT_IN / f"{id}.toml")]
    while (base := chain[-1].data.get("base")) is not None:
        chain.append(_base(chain[-1], base, read, tuple(file.path for file in chain)))
    return tuple((file.path, file.text) for file in chain)


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
        problems = [*_forms(raw)] or [(str(error), "")]
    else:
        problems = [*_meanings(raw, made)]
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
            hint = _near(name, _keys(inherited), "inherited")
            raise ProfileError.of([file.problem(f"{name!r} is not inherited from {base!r}", hint, "without")])
        inherited = rest
    if "envelope" in raw:  # a template is one value: half of another one's keys would make no sense
        inherited.pop("envelope", None)
        inherited.pop("text-envelope", None)
    if "text-envelope" in raw:
        inherited.pop("text-envelope", None)
    asked, probe = inherited.pop("probe", None), raw.get("probe")
    if isinstance(asked, dict) and isinstance(probe, dict):  # without a table of its own, nobody is asked
        inherited["probe"] = {
            key: value for key, value in asked.items() if key not in _WHOLE or key not in probe
        }
    if isinstance(raw.get("rules"), list):  # what is said later holds
        raw["rules"] = [*inherited.get("rules", ()), *raw["rules"]]
    return _overlaid(inherited, raw)


_WHOLE = ("headers", "body")
"""The tables of `probe` that are one value, as an envelope is."""


def _base(
    file: _ProfileFile, base: object, others: Mapping[str, _ProfileFile], visited: tuple[Path, ...]
) -> _ProfileFile:
    found = others.get(base) if isinstance(base, str) else None
    if found is None or found.path == file.path:  # it overrides the built-in one that it starts from
        if base not in available():
            known = {*available(), *others} - {id for id, other in others.items() if other.path == file.path}
            hint = _near(str(base), known, "known")
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


_Problem = tuple[str, ...]
"""A message, a hint, and the keys that lead to what is wrong."""
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_SPEC_KEYS = (*CARRIERS, "annotations")
"""The keys of a spec that `lost` may give a reason for."""
_PATTERNS = ("property-names", "name-pattern", "property-pattern", "about", "passed")
"""Keys of tables that are regular expressions."""
_LISTS = ("keep", "describe", "drop", "block", "root-forbid", "integers-only", "at-most")
"""Lists of keywords of a dialect."""
_MISSPELT = 0.8
"""The similarity from which a name counts as a misspelt keyword: others may be a provider's own."""
_KNOWN = frozenset((*KEYWORDS, "propertyOrdering", "$def", "defs", "ref"))
RULES = (
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


def _forms(raw: JsonMapping) -> Iterator[_Problem]:
    """Return what has an unknown name or a value of the wrong form."""
    yield from _fields(raw, Profile, ())
    for key in ("id", "dated", "envelope"):
        if key not in raw:
            yield f"{key!r} is missing", f"a profile needs {key}", key


def _fields(raw: Mapping[str, object], kind: type[Struct], below: tuple[str, ...]) -> Iterator[_Problem]:
    hints = get_type_hints(kind, include_extras=True)
    types = {field.encode_name: hints[field.name] for field in msgspec.structs.fields(kind)}
    for key, value in raw.items():
        name = ".".join((*below, key))
        if key not in types:
            yield f"unknown key {name!r}", _near(key, types.keys() - raw.keys(), "known"), *below, key
            continue
        table = _table(types[key])
        if table is not None and isinstance(value, dict):
            yield from _fields(value, table, (*below, key))
        elif table is not None:
            yield f"{name!r} must be a table", f"write [{name}] and keys below it", *below, key
        else:
            try:
                msgspec.convert(value, types[key])
            except msgspec.ValidationError as error:
                allowed = get_args(types[key]) if get_origin(types[key]) is Literal else ()
                hint = _near(str(value), [str(one) for one in allowed], "allowed") if allowed else ""
                yield f"{name!r}: {error}", hint, *below, key


def _table(hint: object) -> type[Struct] | None:
    """Return the type of a table, if a value of this type is one."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return next((each for each in kinds if isinstance(each, type) and issubclass(each, Struct)), None)


def _near(wrong: str, known: Iterable[str], what: str) -> str:
    """Return a suggestion, and all possible values."""
    names = sorted(known)
    close = most_similar(wrong, names)
    return (f"did you mean {close!r}? " if close else "") + f"{what}: {', '.join(names)}"


def _meanings(raw: JsonMapping, profile: Profile) -> Iterator[_Problem]:
    """Return what has the right form and still makes no sense. `profile` is made of `raw`."""
    if not _ID.fullmatch(raw["id"]):
        hint = "use letters, digits, `_` and `-`, with a letter or `_` first"
        yield f"the id {raw['id']!r} cannot be a folder name", hint, "id"
    if not _is_date(raw["dated"]):
        yield f"'dated' is {raw['dated']!r}, which is no date", "write it as 2026-11-21", "dated"
    yield from _template(raw, "envelope", ("$name", "$parameters"))
    if "text-envelope" in raw:
        yield from _template(raw, "text-envelope", ("$name", "$input_format"))
    for table in ("dialect", "strict", "limits", "probe"):
        for key in _PATTERNS:
            try:
                re.compile(raw.get(table, {}).get(key, ""))
            except re.error as error:
                hint = "it is compiled with Python's re"
                yield f"'{table}.{key}' is no regular expression: {error}", hint, table, key
    yield from _keywords(raw)
    yield from _spec_keys(raw, profile)
    yield from _evidence(profile)
    yield from _request(profile.request)
    yield from () if profile.probe is None else _probe(profile.probe)
    yield from _answers(raw.get("answers", {}))
    for table, dialect in (("dialect", profile.dialect), ("strict", profile.strict)):
        for sentence in () if dialect is None else contradictions(dialect):
            yield f"[{table}]: {sentence}", "these axes do not go together", table


def _evidence(profile: Profile) -> Iterator[_Problem]:
    for each in profile.rules:
        for name in each.names:
            if not is_rule(name):
                hint = 'write a table and a keyword, a construct or a limit: "strict.pattern", "limits.tools"'
                yield f"'rules.names' has {name!r}, which is no rule", hint, "rules"
        if each.dated and not _is_date(each.dated):
            yield f"'rules.dated' is {each.dated!r}, which is no date", "write it as 2026-11-21", "rules"


def _template(raw: JsonMapping, table: str, required: tuple[str, ...]) -> Iterator[_Problem]:
    """Placeholders of a template that are unknown or missing."""
    shown = table.replace("-", " ")
    named = dict(placeholders(raw[table], (table,)))
    for value, keys in named.items():
        if value not in PLACEHOLDERS:
            yield f"the {shown} names {value!r}", _near(value, PLACEHOLDERS, "known"), *keys
    for value in required:
        if value not in named:
            yield f"the {shown} has no {value}", "without it no tool can be called", table


def _spec_keys(raw: JsonMapping, profile: Profile) -> Iterator[_Problem]:
    """`lost`, `callers` and `result`, which are about keys of a spec."""
    for key, reason in profile.lost.items():
        if key not in _SPEC_KEYS:
            yield (
                f"'lost' names {key!r}, which is no key of a spec",
                _near(key, _SPEC_KEYS, "known"),
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


def _keywords(raw: JsonMapping) -> Iterator[_Problem]:
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


def _request(request: RequestRules) -> Iterator[_Problem]:
    """Rules of a request that do not go together, and templates that lack a value or have an unknown one."""
    if bool(request.defer) != bool(request.search_tools):
        hint = "an object says that its tool is loaded on demand, and a tool of the request finds it"
        yield "'request.defer' and 'request.search-tools' need each other", hint, "request"
    item = request.client_search and "$name" not in request.client_search.values()
    if (item or request.namespace) and not request.loads_tools:
        hint = "they are for tools that are loaded on demand"
        words = "'request.client-search' without $name and 'request.namespace' need 'request.search-tools'"
        yield words, hint, "request"
    if request.cache and request.cache_entry:
        hint = "a request marks the end of what is cached once"
        yield "'request.cache' and 'request.cache-entry' exclude each other", hint, "request", "cache-entry"
    for key, template in (("client-search", request.client_search), ("namespace", request.namespace)):
        named = {value for value, _ in placeholders(template)}
        needed, possible = _TEMPLATES[key]
        for value in sorted(named.difference(needed, possible)):
            yield (
                f"'request.{key}' names {value!r}",
                _near(value, (*needed, *possible), "known"),
                "request",
                key,
            )
        for value in needed if template else ():
            if value not in named:
                yield f"'request.{key}' has no {value}", f"it needs {', '.join(needed)}", "request", key


def _probe(probe: ProbeRules) -> Iterator[_Problem]:
    """Rules of a probe that could not be followed."""
    if '"$tool"' not in msgspec.json.encode(probe.body).decode():
        yield "'probe.body' has no $tool", "write it where the list of tools has an object", "probe", "body"
    if probe.key and not any("$key" in value for value in probe.headers.values()):
        hint = 'for example Authorization = "Bearer $key"'
        yield "'probe.key' is sent in no header", hint, "probe", "headers"
    if len(probe.price) not in (0, 2):
        yield "'probe.price' must have two numbers", "for tokens that are read, and written", "probe", "price"


def _answers(answers: Mapping[str, str]) -> Iterator[_Problem]:
    for rule, template in answers.items():
        if rule == "paths":
            if template not in _PATHS:
                yield f"'answers.paths' is {template!r}", _near(template, _PATHS, "allowed"), "answers", rule
            continue
        if rule not in RULES and not rule.startswith("not-strict."):
            yield f"unknown rule {rule!r} in answers", _near(rule, RULES, "known"), "answers", rule
        for name in re.findall(r"\{(\w+)\}", re.sub(r"\{\{|\}\}", "", template)):
            if name not in _FILLED:
                known = ", ".join(f"{{{one}}}" for one in sorted(_FILLED))
                yield f"the answer to {rule!r} names {{{name}}}", f"known: {known}", "answers", rule


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
