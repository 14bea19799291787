"""Strict mode and the limits of one request, with the error texts of the providers."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..jsonschema.pointers import join, split
from ..providers import Profile
from ..providers.ledger import NOT_STRICT
from ..spec.parsed_document import Path
from .finding import RULES, Finding
from .linted_tool import Subject
from .request_use import Tool, deferred_tools, request_use, strict_tools, tools_for

_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(tool|index|name|path|value|limit|length|count)\}")
PATHS: Final = "paths"
"""The entry of `answers` that names a style of `STYLES`; without it a JSON pointer is written."""


def answer(profile: Profile, rule: str, path: Path = (), **values: object) -> str:
    """The provider's own words to a breach of `rule`, introduced by its name; empty where none are known.

    `{tool}` is the tool's name, `{index}` its place in a request of all tools, from 0, `{name}` a parameter's
    name, `{path}` a place in the schema, `{value}` what is wrong, `{length}` and `{count}` how much there is.
    `{{` and `}}` are braces. A placeholder without a value stays as it is written.
    """
    text = profile.answers.get(rule)
    if text is None:
        return ""
    style = STYLES.get(profile.answers.get(PATHS, ""), join)
    known = {**values, "path": style(path)}

    def filled(found: re.Match[str]) -> str:
        return str(known.get(found[1], found[0])) if found[1] else found[0][0]

    return f"{profile.title or profile.id} would answer: {_PLACEHOLDER.sub(filled, text)}"


def tuple_of(path: Path) -> str:
    """`('properties', 'a', 'items')`: how Python prints a tuple, as OpenAI's answers do."""
    return repr(tuple(str(step) for step in path))


def dotted(path: Path) -> str:
    """`.properties.a.items`: Anthropic's and Bedrock's answers continue their prefix so."""
    return "".join(f".{step}" for step in path)


def bracketed(path: Path) -> str:
    """`.properties[a].items`: Gemini's answers name properties in brackets, and count branches in them."""
    out, named = "", False
    for step in path:
        brackets = named or isinstance(step, int)
        out += f"[{step}]" if brackets else f".{_camel(str(step))}"
        named = not brackets and step in ("properties", "$defs")
    return out


def _camel(step: str) -> str:
    """Gemini answers in the names of its protocol: `anyOf` is `any_of`."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: "_" + found[1].lower(), step)


STYLES: Final[dict[str, Callable[[Path], str]]] = {
    "brackets": bracketed,
    "dots": dotted,
    "pointer": join,
    "tuple": tuple_of,
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
"""What to change, by words of the reason."""


def not_strict(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """Why a tool fell out of strict mode. Silent where the spec gave the mode up, or where there is none.

    The answer is what the provider would say had the mode been asked for: `not-strict.<keyword>` of the
    profile's answers, else `not-strict`.
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


def losses(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A finding for each loss between the spec and what a provider is sent."""
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


_MOST = 3  # tools that a finding names


def request_limits(subjects: Sequence[Subject], profile: Profile, file: str) -> Iterator[Finding]:
    """Findings about the whole set for one provider; `file` is where they are reported."""
    tools = tools_for(subjects, profile)
    yield from _mixed(tools, strict_tools(tools, profile), profile, file)
    late = deferred_tools(subjects, profile)
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


def _search_names(subjects: Sequence[Subject], profile: Profile) -> Iterator[Finding]:
    """Tools that have the name of an object with which the provider searches."""
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
    """Strict tools and others, for a provider that takes either."""
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
