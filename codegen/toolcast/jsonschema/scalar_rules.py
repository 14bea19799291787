"""Rules about types, constants, numbers and strings."""

# ruff: noqa: ARG001, ARG005, E731, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Mapping
from typing import Any

from . import messages
from .automaton import ANY_LENGTH
from .json_values import as_decimal, equal, is_multiple, is_number, is_whole, key
from .node import Builder, Check, Rule, RuleContext, Validation, size_rule, value_rule
from .search import Search
from .validator_errors import UnsupportedPattern, UnsupportedSchema

_LONG = 1_000
"""Characters of a text that is searched although it is too long: both violations are reported."""

_TYPE_CHECKS: dict[str, Check] = {
    "object": lambda value, run: isinstance(value, dict),
    "array": lambda value, run: isinstance(value, (list, tuple)),
    "string": lambda value, run: isinstance(value, str),
    "boolean": lambda value, run: value is True or value is False,
    "null": lambda value, run: value is None,
    "number": lambda value, run: is_number(value),
    "integer": lambda value, run: is_whole(value),
}


def _type_rule(context: RuleContext) -> Rule | None:
    """`type`, with one name or several; settles whole floats where it admits integer but not number."""
    wanted = context.schema["type"]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    checks = tuple(_TYPE_CHECKS[name] for name in names)

    def several(value: object, run: Validation) -> bool:
        for one in checks:
            if one(value, run):
                return True
        return False

    check = checks[0] if len(checks) == 1 else several

    def message(value: Any, path: str) -> str:
        schema = context.schema
        plain_type = {keyword: schema[keyword] for keyword in schema if keyword not in ("enum", "const")}
        described = messages.describe(schema if "string" in names else plain_type)
        return f"{messages.label(path)} must be {described}, {messages.got(value)}"

    rule = value_rule(check, "type", wanted, message)
    return rule._replace(settle=_settle_integer) if "integer" in names and "number" not in names else rule


def _settle_integer(value: object, run: Validation) -> object:
    return run.keep_alive(int(value)) if isinstance(value, float) and value.is_integer() else value


def _enum_rule(context: RuleContext) -> Rule | None:
    """`enum`; settles a float to the equal int among them."""
    members = list(context.schema["enum"])
    keys = {key(member) for member in members}
    containers = [member for member in members if isinstance(member, (dict, list, tuple))]
    few = len(containers) <= 8

    def check(value: Any, run: Validation) -> bool:
        if few and isinstance(value, (dict, list, tuple)):  # cheaper than the key of a large value
            return any(equal(member, value) for member in containers)
        try:
            return key(value) in keys
        except TypeError:  # not JSON
            return False

    def message(value: Any, path: str) -> str:
        one_of = f"must be one of {messages.listed(members)}, got {messages.show(value)}"
        return f"{messages.label(path)} {one_of}{_suggestion(value, members)}"

    return value_rule(check, "enum", context.schema["enum"], message)._replace(settle=_settle_member(members))


def _const_rule(context: RuleContext) -> Rule | None:
    """`const`; settles a float to the equal int."""
    wanted = context.schema["const"]
    check: Check
    if isinstance(wanted, str):
        check = lambda value, run: isinstance(value, str) and value == wanted
    else:
        check = lambda value, run: equal(wanted, value)
    rule = value_rule(
        check,
        "const",
        wanted,
        lambda value, path: (
            f"{messages.label(path)} must be {messages.literal(wanted)}, got {messages.show(value)}"
        ),
    )
    return rule._replace(settle=_settle_member([wanted]))


def _settle_member(members: list[object]) -> Callable[[object, Validation], object] | None:
    wholes: set[float] = {
        member for member in members if isinstance(member, int) and not isinstance(member, bool)
    }
    if not wholes:
        return None

    def settle(value: object, run: Validation) -> object:
        if isinstance(value, float) and value.is_integer() and value in wholes:
            return run.keep_alive(int(value))
        return value

    return settle


def _suggestion(value: object, members: list[object]) -> str:
    if not isinstance(value, str):
        return ""
    near = messages.nearest(value, [member for member in members if isinstance(member, str)])
    return f"; did you mean {messages.literal(near)}?" if near is not None else ""


_BOUNDS: dict[str, Callable[[object], Check]] = {
    "minimum": lambda bound: lambda value, run: not is_number(value) or value >= bound,
    "maximum": lambda bound: lambda value, run: not is_number(value) or value <= bound,
    "exclusiveMinimum": lambda bound: lambda value, run: not is_number(value) or value > bound,
    "exclusiveMaximum": lambda bound: lambda value, run: not is_number(value) or value < bound,
}


def _bound_rule(keyword: str) -> Builder:
    def build(context: RuleContext) -> Rule | None:
        return value_rule(
            _BOUNDS[keyword](context.schema[keyword]), keyword, context.schema[keyword], _numeric(context)
        )

    return build


def _multiple_rule(context: RuleContext) -> Rule | None:
    """`multipleOf`, exact over the shortest decimals: 0.3 is a multiple of 0.1."""
    divisor = as_decimal(context.schema["multipleOf"])

    def check(value: Any, run: Validation) -> bool:
        return not is_number(value) or is_multiple(value, divisor)

    return value_rule(check, "multipleOf", context.schema["multipleOf"], _numeric(context))


def _numeric(context: RuleContext) -> Callable[[object, str], str]:
    bounds = {
        keyword: context.schema[keyword]
        for keyword in (*_BOUNDS, "multipleOf", "type")
        if keyword in context.schema
    }
    return lambda value, path: (
        f"{messages.label(path)} must be {messages.describe(bounds)}, {messages.got(value)}"
    )


def _pattern_rule(context: RuleContext) -> Rule | None:
    """`pattern`, an ECMA-262 expression that may match anywhere."""
    pattern = context.schema["pattern"]
    search = compile_pattern(pattern, f"{context.pointer}/pattern")
    # maxLength refuses text that is too long, so it need not be searched.
    shown = min(search.fast_length, _LONG) if search.simulation is None else _LONG
    longest = max(context.schema.get("maxLength", ANY_LENGTH), shown)
    if search.fast_length == ANY_LENGTH:
        longest = ANY_LENGTH
    check: Check = lambda value, run: (
        not isinstance(value, str) or len(value) > longest or run.finds(search, value)
    )
    return value_rule(
        check,
        "pattern",
        pattern,
        lambda value, path: (
            f"{messages.label(path)} must match the pattern `{pattern}`, got {messages.show(value)}"
        ),
    )


def compile_pattern(pattern: str, pointer: str) -> Search:
    """Return a search for an ECMA-262 pattern. Raises UnsupportedSchema, with `pointer`, where it is not
    supported.
    """
    try:
        return Search(pattern)
    except UnsupportedPattern as problem:
        reason = f"the pattern {messages.literal(pattern)} is not supported: {problem.reason}"
        raise UnsupportedSchema(pointer, reason) from None


def _format_rule(context: RuleContext) -> Rule | None:
    """`format`, where formats are asserted and this one is known."""
    name = context.schema.get("format")
    if not context.formats or name is None:
        return None
    from .formats import FORMATS  # most programs need none of them

    test = FORMATS.get(name)
    if test is None:
        return None
    return value_rule(
        lambda value, run: not isinstance(value, str) or test(value),
        "format",
        name,
        lambda value, path: f"{messages.label(path)} must be a valid {name}, got {messages.show(value)}",
    )


BUILDERS: Mapping[str, Builder] = {
    "type": _type_rule,
    "enum": _enum_rule,
    "const": _const_rule,
    **{keyword: _bound_rule(keyword) for keyword in _BOUNDS},
    "multipleOf": _multiple_rule,
    "minLength": size_rule("minLength", (str,), "character"),
    "maxLength": size_rule("maxLength", (str,), "character"),
    "pattern": _pattern_rule,
    "format": _format_rule,
}
