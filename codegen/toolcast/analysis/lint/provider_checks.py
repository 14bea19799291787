"""Strict mode, the limits of one tool and those of one request, with the error texts of the providers.

Limits are data: `Profile.limits`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ...config import Config, setting_place
from ...jsonschema.pointers import join, split
from ...providers import Profile, load_profiles
from ...providers.ledger import NOT_STRICT, names_in_words
from ...providers.provider_rules import due_rules
from ...spec.deprecation import shown_description
from ...spec.parsed_document import Path
from .finding import RULES, Finding
from .linted_tool import Emitted, Enum, LintedTool

Tool = tuple[str, Emitted]
"""A tool's name, and its schema for one provider."""

_MOST: Final = 3  # tools that are named


class LimitUse(Struct, frozen=True, kw_only=True):
    """The use of one limit by a set."""

    rule: str  # the code of the finding where there is more
    noun: str  # the counted things, in the plural
    used: int
    allowed: int
    advised: bool = False  # more still work, worse
    # The tools that hold most, the heaviest first; empty where none weighs more than another.
    most: tuple[tuple[str, int], ...] = ()

    @property
    def exceeded(self) -> bool:
        """There are more than there may be."""
        return self.used > self.allowed


def tools_for(subjects: Sequence[LintedTool], profile: Profile) -> list[Tool]:
    """Return the tools that have a definition for a provider."""
    return [
        (subject.tool.name, subject.emitted[profile.id])
        for subject in subjects
        if profile.id in subject.emitted
    ]


def strict_tools(tools: Sequence[Tool], profile: Profile) -> list[Tool]:
    """Return those of `tools` that have schemas which the provider enforces."""
    return [(name, each) for name, each in tools if each.strict or profile.always_strict]


def _deferred_tools(subjects: Sequence[LintedTool], profile: Profile) -> list[LintedTool]:
    if not profile.request.loads_tools:
        return []
    return [subject for subject in subjects if profile.id in subject.emitted and subject.tool.defer]


def request_use(subjects: Sequence[LintedTool], profile: Profile) -> tuple[LimitUse, ...]:
    """Return the use of each known limit by a request with all tools, exceeded or not."""
    tools, limits = tools_for(subjects, profile), profile.limits
    strict, late = strict_tools(tools, profile), _deferred_tools(subjects, profile)
    loaded = len(tools) - len(late)
    rows = (
        ("tools", limits.tools, "tools", loaded + _late_entries(late, profile)),
        ("advised-tools", limits.advised_tools, "tools", loaded),
        ("deferred-tools", limits.deferred_tools, "tools loaded on demand", len(late)),
        ("strict-tools", limits.strict_tools, "strict tools", len(strict)),
    )
    weighed = (
        ("all-properties", limits.all_properties, "properties", _held(tools, "properties")),
        ("optional", limits.optional, "optional parameters of strict tools", _held(strict, "optional")),
        ("unions", limits.unions, "unions among parameters of strict tools", _held(strict, "unions")),
    )
    counted = [
        LimitUse(rule=rule, noun=noun, used=used, allowed=limit, advised=rule.startswith("advised"))
        for rule, limit, noun, used in rows
        if limit is not None
    ]
    for rule, limit, noun, held in weighed:
        if limit is not None:
            used = sum(count for _, count in held)
            most = tuple(each for each in held[:_MOST] if each[1])
            counted.append(LimitUse(rule=rule, noun=noun, used=used, allowed=limit, most=most))
    return tuple(counted)


def _late_entries(late: Sequence[LintedTool], profile: Profile) -> int:
    """Count the entries of a list of tools for those that are loaded on demand: a namespace is one, and so is
    each object of the search.
    """
    if not late:
        return 0
    grouped = [subject.tool.group for subject in late if subject.tool.group and profile.request.namespace]
    return len(late) - len(grouped) + len({*grouped}) + len(profile.request.search_tools)


def _held(tools: Sequence[Tool], what: str) -> list[tuple[str, int]]:
    counts = [(name, len(getattr(each.size, what))) for name, each in tools]
    return sorted(counts, key=lambda each: (-each[1], each[0]))


_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(tool|index|name|path|value|limit|length|count)\}")
_PATHS: Final = "paths"
"""The entry of `answers` that names a style of `_STYLES`; without it a JSON pointer is written."""


def answer(profile: Profile, rule: str, path: Path = (), **values: object) -> str:
    """Return the provider's own words to a breach of `rule`, introduced by its name; an empty text where none
    are known.

    `{tool}` is the tool's name, `{index}` its place in a request of all tools, from 0, `{name}` a parameter's
    name, `{path}` a place in the schema, `{value}` the fault, `{length}` and `{count}` a number. `{{` and
    `}}` are braces. A placeholder without a value stays as it is written.
    """
    text = profile.answers.get(rule)
    if text is None:
        return ""
    style = _STYLES.get(profile.answers.get(_PATHS, ""), join)
    known = {**values, "path": style(path)}

    def filled(found: re.Match[str]) -> str:
        return str(known.get(found[1], found[0])) if found[1] else found[0][0]

    return f"{profile.title or profile.id} would answer: {_PLACEHOLDER.sub(filled, text)}"


def _tuple_of(path: Path) -> str:
    """Print a tuple as Python does, like OpenAI's answers: `('properties', 'a', 'items')`."""
    return repr(tuple(str(step) for step in path))


def _dotted(path: Path) -> str:
    """Continue a prefix as Anthropic's and Bedrock's answers do: `.properties.a.items`."""
    return "".join(f".{step}" for step in path)


def _bracketed(path: Path) -> str:
    """Name properties in brackets and count branches in them, as Gemini does: `.properties[a].items`."""
    out, named = "", False
    for step in path:
        brackets = named or isinstance(step, int)
        out += f"[{step}]" if brackets else f".{_camel(str(step))}"
        named = not brackets and step in ("properties", "$defs")
    return out


def _camel(step: str) -> str:
    """Return a keyword in the names of Gemini's protocol: `anyOf` is `any_of`."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: "_" + found[1].lower(), step)


_STYLES: Final[dict[str, Callable[[Path], str]]] = {
    "brackets": _bracketed,
    "dots": _dotted,
    "pointer": join,
    "tuple": _tuple_of,
}
"""How a provider writes a place: `answers.paths` of its profile."""


_CLOSE = "declare the keys, with `additionalProperties: false` if there are no others"
_CHANGES = (
    ("free keys", _CLOSE),
    ("no property declares", _CLOSE),
    ("any type", "say which types the value may have"),
    ("contains itself", "nest as many levels as are needed, without the reference to itself"),
    ("levels of nesting", "nest less"),
)
"""The change to make, by words of the reason."""


def not_strict(subject: LintedTool, profile: Profile) -> Iterator[Finding]:
    """Yield why a tool fell out of strict mode, unless the spec gave the mode up, or there is none.

    The answer is the provider's, had the mode been asked for: `not-strict.<keyword>` of the profile's
    answers, else `not-strict`.
    """
    reasons = [
        entry
        for entry in subject.emitted[profile.id].normalized.ledger
        if entry.reason.startswith(NOT_STRICT) and entry.severity != "reject"
    ]
    if not reasons:
        return
    first = reasons[0]
    more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    cause = f"strict mode {first.reason.removeprefix(NOT_STRICT)}"
    message = f"not strict, because of `{first.keyword}`: {cause}{more}"
    change = next((change for words, change in _CHANGES if words in first.reason), "change the schema")
    fix = f"{change}, or give the mode up on purpose: `strict: false` under `providers`"
    path, own = _path(first.path), f"not-strict.{first.keyword}"
    rule = own if own in profile.answers else "not-strict"
    reported = answer(profile, rule, path, tool=subject.tool.name, value=first.keyword)
    if reported:
        reported = f"asked to be strict, {reported}"
    yield subject.finding("not-strict", message, fix, schema=path, providers=(profile.id,), answer=reported)


def losses(subject: LintedTool, profile: Profile) -> Iterator[Finding]:
    """Yield a finding for each loss between the spec and the definition of a provider."""
    for entry in subject.ledger(profile):
        if entry.severity not in ("lost", "changed"):
            continue
        if entry.of == "parameters":
            if not entry.reason.startswith(NOT_STRICT):
                schema = _path(entry.path)
                yield subject.finding("lossy", entry.clause, schema=schema, providers=(profile.id,))
        else:
            at = _path(entry.path) if entry.of == "spec" else ("result",)
            yield subject.finding("lossy", entry.clause, at=at, providers=(profile.id,))


def _path(pointer: str) -> Path:
    return tuple(split(pointer))


def request_limits(subjects: Sequence[LintedTool], profile: Profile, file: str) -> Iterator[Finding]:
    """Yield findings about the whole set for one provider, reported at `file`."""
    tools = tools_for(subjects, profile)
    yield from _mixed(tools, strict_tools(tools, profile), profile, file)
    late = _deferred_tools(subjects, profile)
    if late and len(late) == len(tools):
        yield _all_deferred(len(late), profile, file)
    if late:
        yield from _search_names(subjects, profile)
    exceeded = {use.rule: use for use in request_use(subjects, profile) if use.exceeded}
    if "tools" in exceeded:
        exceeded.pop("advised-tools", None)
    for rule, use in exceeded.items():
        modal = "advised" if use.advised else "accepted"
        message = f"one request would hold {use.used} {use.noun}; at most {use.allowed} are {modal}"
        if use.most:
            message += f" (most: {', '.join(f'{name} {count}' for name, count in use.most)})"
        reported = answer(profile, rule, value=use.used, count=use.used, length=use.used, limit=use.allowed)
        yield Finding(
            file=file, code=rule, severity=RULES[rule].severity, providers=(profile.id,), message=message,
            answer=reported, fix=_LESS if rule in _OF_STRICT else _FEWER,
        )  # fmt: skip


def stale_rules(config: Config, today: date) -> Iterator[Finding]:
    """Yield findings about old rules of the profiles that are the project's own."""
    for profile in load_profiles(config.profiles).values() if config.profiles else ():
        due = due_rules(profile, today)
        if not due:
            continue
        file, line, column = setting_place(config, ("profiles",))
        names = names_in_words(each.key for each in due)
        count = _counted(len(due), "old rule")
        message = f"{profile.id!r} has {count}, the oldest last checked on {due[0].dated}"
        fix = f"read what the provider says now about {names}, then write today's date as `dated`"
        yield Finding(
            file=file, line=line, column=column, code="stale-rules", severity=RULES["stale-rules"].severity,
            providers=(profile.id,), message=message, fix=fix,
        )  # fmt: skip


_FEWER: Final = "send a part of them: groups that belong together, or those that a task needs"
_LESS: Final = "give up strict mode for some (`providers` of the spec: `strict: false`), or send fewer tools"
_OF_STRICT: Final = ("strict-tools", "optional", "unions")
"""Limits that only strict tools count for."""


def _all_deferred(count: int, profile: Profile, file: str) -> Finding:
    reported = answer(profile, "all-deferred")
    return Finding(
        file=file, code="all-deferred", severity=RULES["all-deferred"].severity, providers=(profile.id,),
        message=f"all {count} tools are loaded on demand: a model begins with the search alone",
        answer=f"without the search, {reported}" if reported else "",
        fix="take `defer` out of the specs of the tools that most conversations need",
    )  # fmt: skip


def _search_names(subjects: Sequence[LintedTool], profile: Profile) -> Iterator[Finding]:
    names = {search["name"] for search in profile.request.search_tools if "name" in search}
    for subject in subjects:
        name = subject.tool.name
        if name in names and profile.id in subject.emitted:
            yield subject.finding(
                "search-name", f"{name} is the name of the provider's search for tools, which is sent, too",
                "give the tool another name, or take `defer` out of all specs", at=("name",),
                providers=(profile.id,),
            )  # fmt: skip


def _mixed(tools: Sequence[Tool], strict: Sequence[Tool], profile: Profile, file: str) -> Iterator[Finding]:
    others = [name for name, each in tools if not (each.strict or profile.always_strict)]
    if not profile.limits.strict_together or not strict or not others:
        return
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    shown = ", ".join(sorted(others)[:_MOST]) + more
    kinds = f"{_counted(len(strict), 'strict tool')} and {_counted(len(others), 'other')}"
    message = f"one request would hold {kinds}; all must be strict, or none"
    fix = (
        f"make strict what is not ({shown}; `not-strict` tells why), or give the mode up in all specs: "
        f"`providers: {{{profile.id}: {{strict: false}}}}`"
    )
    yield Finding(
        file=file, code="mixed-strict", severity=RULES["mixed-strict"].severity, providers=(profile.id,),
        message=message, answer=answer(profile, "mixed-strict", count=len(others)), fix=fix,
    )  # fmt: skip


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_Location = tuple[LintedTool, Emitted, Profile, int]


def tool_limits(subject: LintedTool, profile: Profile, index: int) -> Iterator[Finding]:
    """Yield findings of one tool and provider; `index` is the tool's place in a request of all tools."""
    emitted = subject.emitted[profile.id]
    location = (subject, emitted, profile, index)
    yield from _names(location)
    yield from _description(location)
    yield from _properties(location)
    if profile.strict is None or emitted.strict:
        # Where a provider has a strict mode, these are limits of that mode: it alone compiles schemas.
        yield from _schema(location)
        yield from _enums(location)
    if emitted.strict or profile.always_strict:
        yield from _advice(location)
    yield from _required(location)
    yield from _rejected(location)


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _breach(
    location: _Location,
    code: str,
    message: str,
    fix: str,
    *,
    at: Path | None = None,
    schema: Path | None = None,
    **values: object,
) -> Finding:
    subject, _, profile, index = location
    reported = answer(profile, code, schema or (), **{"tool": subject.tool.name, "index": index, **values})
    return subject.finding(
        code, message, fix, at=at, schema=schema, providers=(profile.id,), answer=reported
    )  # fmt: skip


def _names(location: _Location) -> Iterator[Finding]:
    subject, _, profile, _ = location
    name, limits = subject.tool.name, profile.limits
    if limits.name_pattern and not _pattern(limits.name_pattern).fullmatch(name):
        message = f"the name {name!r} does not match {limits.name_pattern}"
        yield _breach(location, "name-pattern", message, "rename the tool", at=("name",), value=name)
    for code, limit in (
        ("name-length", limits.name_length),
        ("advised-name-length", limits.advised_name_length),
    ):
        if limit is not None and len(name) > limit:
            message = f"the name has {len(name)} characters; at most {limit} are {_modal(code)}"
            yield _breach(
                location,
                code,
                message,
                "shorten the name",
                at=("name",),
                value=name,
                limit=limit,
                length=len(name),
            )
            return


def _modal(code: str) -> str:
    return "advised" if code.startswith("advised") else "accepted"


def _description(location: _Location) -> Iterator[Finding]:
    subject, _, profile, _ = location
    text, limit = shown_description(subject.tool, profile.id), profile.limits.description_length
    if limit is not None and len(text) > limit:
        message = f"the description has {len(text)} characters; at most {limit} are accepted"
        fix = "say the essence, and move the rest into the parameters' descriptions"
        own = profile.id in subject.tool.overrides("description")
        at = ("providers", profile.id, "description") if own else ("description",)
        yield _breach(location, "description-length", message, fix, at=at, limit=limit, length=len(text))


def _properties(location: _Location) -> Iterator[Finding]:
    _, emitted, profile, _ = location
    if not profile.limits.property_pattern:
        return
    pattern = _pattern(profile.limits.property_pattern)
    for path in emitted.size.properties:
        name = str(path[-1])
        if not pattern.fullmatch(name):
            message = f"the parameter's name {name!r} does not match {profile.limits.property_pattern}"
            yield _breach(
                location, "property-name", message, "rename the parameter", schema=path, value=name, name=name
            )


def _schema(location: _Location) -> Iterator[Finding]:
    _, emitted, profile, _ = location
    size, limits = emitted.size, profile.limits
    values = sum(each.count for each in size.enums)
    rows = (
        ("depth", limits.depth, size.depth, "levels of nesting below the root", "flatten the parameters"),
        ("properties", limits.properties, len(size.properties), "properties", "split the tool"),
        (
            "enum-values", limits.enum_values, values, "enum values",
            "take text instead, and check it in the handler, or offer a tool that lists the values",
        ),
        (
            "string-chars", limits.string_chars, size.string_chars,
            "characters in names of properties and definitions, enum and const values", "split the tool",
        ),
    )  # fmt: skip
    for code, limit, count, noun, fix in rows:
        if limit is not None and count > limit:
            message = f"the parameters hold {count} {noun}; at most {limit} are accepted"
            yield _breach(
                location,
                code,
                message,
                _or_loose(location, fix),
                schema=(),
                limit=limit,
                count=count,
                length=count,
            )


def _or_loose(location: _Location, fix: str) -> str:
    _, emitted, profile, _ = location
    return f"{fix}, or write `providers: {{{profile.id}: {{strict: false}}}}`" if emitted.strict else fix


def _enums(location: _Location) -> Iterator[Finding]:
    _, emitted, profile, _ = location
    limits = profile.limits
    for enum in emitted.size.enums:
        if limits.advised_enum_values is not None and enum.count > limits.advised_enum_values:
            yield _long(
                location, enum, f"{enum.count} values; more than {limits.advised_enum_values} often fail"
            )
        elif (
            limits.long_enum is not None
            and limits.long_enum_chars is not None
            and enum.count > limits.long_enum
            and enum.chars > limits.long_enum_chars
        ):
            most = f"with more than {limits.long_enum} values at most {limits.long_enum_chars} are accepted"
            yield _long(location, enum, f"{enum.count} values of {enum.chars} characters; {most}")


def _long(location: _Location, enum: Enum, amount: str) -> Finding:
    fix = _or_loose(location, "take text instead, and check it in the handler")
    return _breach(
        location,
        "long-enum",
        f"the enum has {amount}",
        fix,
        schema=enum.path,
        count=enum.count,
        length=enum.chars,
    )


def _advice(location: _Location) -> Iterator[Finding]:
    _, emitted, profile, _ = location
    size, limits = emitted.size, profile.limits
    for code, limit, paths, noun in (
        ("advised-optional", limits.advised_optional, size.optional, "optional parameters"),
        ("advised-unions", limits.advised_unions, size.unions, "parameters that are unions"),
    ):
        if limit is not None and len(paths) > limit:
            message = f"the tool has {len(paths)} {noun}; more than {limit} may not compile"
            fix = _or_loose(location, "require what callers always know, or split the tool")
            yield _breach(location, code, message, fix, schema=(), limit=limit, count=len(paths))


def _required(location: _Location) -> Iterator[Finding]:
    _, emitted, profile, _ = location
    least = profile.limits.required_at_least
    if least is not None and emitted.size.required < least:
        message = f"the tool requires {emitted.size.required} parameters; the provider wants {least} at least"
        fix = "require the parameter without which a call makes no sense"
        yield _breach(
            location, "required-at-least", message, fix, schema=(), limit=least, count=emitted.size.required
        )


def _rejected(location: _Location) -> Iterator[Finding]:
    _, emitted, _, _ = location
    for entry in emitted.normalized.ledger:
        if entry.severity == "reject":
            path = tuple(split(entry.path))
            fix = "change the schema, or leave `strict` to the compiler"
            message = f"`{entry.keyword}` {entry.reason}"
            yield _breach(location, "rejected", message, fix, schema=path, value=entry.keyword)
