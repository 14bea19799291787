"""Rules about types, constants, numbers and strings."""

# ruff: noqa: ARG001, ARG005, E731, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Mapping
from typing import Any

from . import assertions as words
from .equality import equal, key
from .errors import UnsupportedPattern, UnsupportedSchema
from .node import Check, Rule, Run
from .numbers import as_decimal, is_multiple, is_number, is_whole
from .search import Search
from .searching import ANY_LENGTH
from .site import Builder, Site, plain

_LONG = 1_000
"""Characters of a text that is searched although it is too long: the message names both."""

_TYPE_CHECKS: dict[str, Check] = {
    "object": lambda value, run: isinstance(value, dict),
    "array": lambda value, run: isinstance(value, (list, tuple)),
    "string": lambda value, run: isinstance(value, str),
    "boolean": lambda value, run: value is True or value is False,
    "null": lambda value, run: value is None,
    "number": lambda value, run: is_number(value),
    "integer": lambda value, run: is_whole(value),
}


def type_rule(site: Site) -> Rule | None:
    """`type`, with one name or several; settles whole floats where it admits integer but not number."""
    if "type" not in site.schema:
        return None
    wanted = site.schema["type"]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    checks = tuple(_TYPE_CHECKS[name] for name in names)

    def several(value: Any, run: Run) -> bool:
        for one in checks:
            if one(value, run):
                return True
        return False

    check = checks[0] if len(checks) == 1 else several

    def message(value: Any, path: str) -> str:
        schema = site.schema
        plain_type = {word: schema[word] for word in schema if word not in ("enum", "const")}
        described = words.describe(schema if "string" in names else plain_type)
        return f"{words.label(path)} must be {described}, {words.got(value)}"

    rule = plain(check, "type", wanted, message)
    return rule._replace(settle=_whole) if "integer" in names and "number" not in names else rule


def _whole(value: Any, run: Run) -> Any:
    return run.made(int(value)) if isinstance(value, float) and value.is_integer() else value


def enum_rule(site: Site) -> Rule | None:
    """`enum`; settles a float to the equal int among them."""
    if "enum" not in site.schema:
        return None
    members = list(site.schema["enum"])
    keys = {key(member) for member in members}
    containers = [member for member in members if isinstance(member, (dict, list, tuple))]
    few = len(containers) <= 8

    def check(value: Any, run: Run) -> bool:
        if few and isinstance(value, (dict, list, tuple)):  # cheaper than the key of a large value
            return any(equal(member, value) for member in containers)
        try:
            return key(value) in keys
        except TypeError:  # not JSON
            return False

    def message(value: Any, path: str) -> str:
        near = _near(value, members)
        return f"{words.label(path)} must be one of {words.listed(members)}, got {words.show(value)}{near}"

    return plain(check, "enum", site.schema["enum"], message)._replace(settle=_member(members))


def const_rule(site: Site) -> Rule | None:
    """`const`; settles a float to the equal int."""
    if "const" not in site.schema:
        return None
    wanted = site.schema["const"]
    check: Check
    if isinstance(wanted, str):
        check = lambda value, run: isinstance(value, str) and value == wanted
    else:
        check = lambda value, run: equal(wanted, value)
    rule = plain(
        check,
        "const",
        wanted,
        lambda value, path: f"{words.label(path)} must be {words.literal(wanted)}, got {words.show(value)}",
    )
    return rule._replace(settle=_member([wanted]))


def _member(members: list[Any]) -> Callable[[Any, Run], Any] | None:
    wholes: set[float] = {
        member for member in members if isinstance(member, int) and not isinstance(member, bool)
    }
    if not wholes:
        return None

    def settle(value: Any, run: Run) -> Any:
        if isinstance(value, float) and value.is_integer() and value in wholes:
            return run.made(int(value))
        return value

    return settle


def _near(value: Any, members: list[Any]) -> str:
    if not isinstance(value, str):
        return ""
    near = words.nearest(value, [member for member in members if isinstance(member, str)])
    return f"; did you mean {words.literal(near)}?" if near is not None else ""


_BOUNDS: dict[str, Callable[[Any], Check]] = {
    "minimum": lambda bound: lambda value, run: not is_number(value) or value >= bound,
    "maximum": lambda bound: lambda value, run: not is_number(value) or value <= bound,
    "exclusiveMinimum": lambda bound: lambda value, run: not is_number(value) or value > bound,
    "exclusiveMaximum": lambda bound: lambda value, run: not is_number(value) or value < bound,
}


def bound_rule(word: str) -> Builder:
    """One of the four bounds."""

    def build(site: Site) -> Rule | None:
        if word not in site.schema:
            return None
        return plain(_BOUNDS[word](site.schema[word]), word, site.schema[word], _numeric(site))

    return build


def multiple_rule(site: Site) -> Rule | None:
    """`multipleOf`, exact over the shortest decimals: 0.3 is a multiple of 0.1."""
    if "multipleOf" not in site.schema:
        return None
    divisor = as_decimal(site.schema["multipleOf"])

    def check(value: Any, run: Run) -> bool:
        return not is_number(value) or is_multiple(value, divisor)

    return plain(check, "multipleOf", site.schema["multipleOf"], _numeric(site))


def _numeric(site: Site) -> Callable[[Any, str], str]:
    bounds = {word: site.schema[word] for word in (*_BOUNDS, "multipleOf", "type") if word in site.schema}
    return lambda value, path: f"{words.label(path)} must be {words.describe(bounds)}, {words.got(value)}"


def length_rule(word: str) -> Builder:
    """`minLength` or `maxLength`, counted in code points."""

    def build(site: Site) -> Rule | None:
        if word not in site.schema:
            return None
        bound = int(site.schema[word])
        check: Check
        if word == "minLength":
            check = lambda value, run: not isinstance(value, str) or len(value) >= bound
            wanted = f"at least {words.count(bound, 'character')}"
        else:
            check = lambda value, run: not isinstance(value, str) or len(value) <= bound
            wanted = f"at most {words.count(bound, 'character')}"

        def message(value: Any, path: str) -> str:
            if not value and bound == 1:
                return f"{words.label(path)} must not be empty"
            return f"{words.label(path)} must have {wanted}, got {len(value)}"

        return plain(check, word, bound, message)

    return build


def pattern_rule(site: Site) -> Rule | None:
    """`pattern`, an ECMA-262 expression that may match anywhere."""
    if "pattern" not in site.schema:
        return None
    pattern = site.schema["pattern"]
    search = compile_pattern(pattern, f"{site.pointer}/pattern")
    # Text that is too long is refused by maxLength; to search in it may take its time.
    shown = _LONG if search.exact else min(search.free, _LONG)
    longest = max(site.schema.get("maxLength", ANY_LENGTH), shown)
    quick = search.quick
    check: Check
    if search.free == ANY_LENGTH:
        check = lambda value, run: not isinstance(value, str) or quick(value) is not None
    else:
        check = lambda value, run: (
            not isinstance(value, str) or len(value) > longest or run.finds(search, value)
        )
    return plain(
        check,
        "pattern",
        pattern,
        lambda value, path: (
            f"{words.label(path)} must match the pattern `{pattern}`, got {words.show(value)}"
        ),
    )


def compile_pattern(pattern: str, pointer: str) -> Search:
    """The pattern ready for searches; UnsupportedSchema at `pointer` when it cannot be."""
    try:
        return Search(pattern)
    except UnsupportedPattern as problem:
        reason = f"the pattern {words.literal(pattern)} is not supported: {problem.reason}"
        raise UnsupportedSchema(pointer, reason) from None


def format_rule(site: Site) -> Rule | None:
    """`format`, where formats are asserted and this one is known."""
    name = site.schema.get("format")
    if not site.formats or name is None:
        return None
    from .formats import FORMATS  # a dozen expressions that most programs never need

    test = FORMATS.get(name)
    if test is None:
        return None
    return plain(
        lambda value, run: not isinstance(value, str) or test(value),
        "format",
        name,
        lambda value, path: f"{words.label(path)} must be a valid {name}, got {words.show(value)}",
    )


BUILDERS: Mapping[str, Builder] = {
    "type": type_rule,
    "enum": enum_rule,
    "const": const_rule,
    **{word: bound_rule(word) for word in _BOUNDS},
    "multipleOf": multiple_rule,
    "minLength": length_rule("minLength"),
    "maxLength": length_rule("maxLength"),
    "pattern": pattern_rule,
    "format": format_rule,
}
