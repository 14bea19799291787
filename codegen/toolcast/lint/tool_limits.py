"""What one tool may hold, provider by provider. Limits are data: `Profile.limits`."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..jsonschema.pointers import split
from ..providers import Profile
from ..spec.deprecation import shown_description
from ..spec.parsed_document import Path
from .finding import Finding
from .linted_tool import Emitted, Enum, Subject
from .provider_checks import answer

_Location = tuple[Subject, Emitted, Profile, int]


def tool_limits(subject: Subject, profile: Profile, index: int) -> Iterator[Finding]:
    """Findings of one tool and provider; `index` is the tool's place in a request that holds all of them."""
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
    text, limit = shown_description(subject.tool), profile.limits.description_length
    if limit is not None and len(text) > limit:
        message = f"the description has {len(text)} characters; at most {limit} are accepted"
        fix = "say the essence, and move the rest into the parameters' descriptions"
        at = ("description",)
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
    """A limit of a strict mode can be left by leaving the mode."""
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
