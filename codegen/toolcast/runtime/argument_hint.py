"""What a model is told about arguments that do not fit: in words, and as data for the program."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from .definitions import schema_of
from .errors import ArgumentError, RefusalError
from .tool import Tool

_NAMES = 100  # characters of the names of parameters that a schema has in part, or lacks
_WORDS = 80  # characters of the words around them, with room for two numbers


class ArgumentHint(Struct, frozen=True, kw_only=True):
    """What a call lacks, and how it is made: `data` of a call that lacks required arguments, or whose error
    has the tool's schema.

    Attributes:
        tool: name of the tool.
        missing: the required properties that were left out: their names, or, of an object within the
            arguments, their paths such as `edits[0].old_string`. Empty where something else is wrong.
        schema: the full schema of the arguments in the form of the provider's definitions; without a
            provider, the contract.
    """

    tool: str
    missing: tuple[str, ...]
    schema: Mapping[str, Any]


class RefusedArgumentsError(RefusalError):
    """Arguments that do not fit, refused; `hint` is None where the text has no schema and none is missing."""

    def __init__(self, text: str, hint: ArgumentHint | None) -> None:
        super().__init__(text)
        self.hint = hint


def refuse_arguments(
    tool: Tool[Any], problem: ArgumentError, provider: str | None, *, in_part: bool, limit: int | None
) -> RefusedArgumentsError:
    """The refusal of arguments. To a model that was shown the tool `in_part` it has the rest: the description
    and the full schema, or as much of it as `limit` characters hold."""
    text = str(problem)
    if not (in_part or problem.missing):
        return RefusedArgumentsError(text, None)
    schema = schema_text(tool, provider).decode()
    hint = ArgumentHint(tool=tool.name, missing=_missing(problem), schema=msgspec.json.decode(schema))
    if in_part:
        whole = f"{text}\nThe full schema of {tool.name!r}: {schema}"
        described = f"{text}\nThe description of {tool.name!r}: {tool.description}{whole[len(text) :]}"
        if limit is not None and len(whole) > limit:
            text = _with_part(
                text, tool.name, len(schema), hint.schema, _refused(problem, hint.schema), limit
            )
        elif tool.description == tool.summary or (limit is not None and len(described) > limit):
            text = whole
        else:
            text = described
    return RefusedArgumentsError(text, hint)


def _with_part(
    text: str, tool: str, size: int, schema: Mapping[str, Any], first: Collection[str], limit: int
) -> str:
    """An error with as much of a schema as fits, that of the parameters `first` before all, and what is left
    out; without it where nothing fits."""
    from .standalone_schema import schema_within

    head = f"{text}\nThe full schema of {tool!r} has {size} characters, too many for one result"
    part, cut, absent = schema_within(schema, first, limit - len(head) - 2 * _NAMES - _WORDS)
    if not part:
        return f"{head}." if len(head) < limit else text
    lacks = _listed("left out", absent) + _listed("with types alone", cut)
    return f"{head}{lacks}. In part: {msgspec.json.encode(part).decode()}"


def _listed(how: str, names: Sequence[str]) -> str:
    """How many parameters are shown so, and the first of their names."""
    shown = ", ".join(names)
    shown = shown if len(shown) <= _NAMES else f"{shown[: _NAMES - 1]}…"
    return f"; {how} ({len(names)}): {shown}" if names else ""


def _refused(problem: ArgumentError, schema: Mapping[str, Any]) -> list[str]:
    """The parameters that the violations are of."""
    from ..jsonschema.messages import member

    paths = [
        member("$", violation.expected)
        if (violation.keyword, violation.path) == ("required", "$")
        else violation.path
        for violation in problem.violations
    ]
    places = {name: member("$", name) for name in schema.get("properties", ())}
    return [
        name
        for name, place in places.items()
        if any(path == place or path.startswith((f"{place}.", f"{place}[")) for path in paths)
    ]


def schema_text(tool: Tool[Any], provider: str | None) -> bytes:
    """The schema of a tool's arguments as JSON: with a provider, the bytes that its definition has; without,
    or where the definition has none, the contract."""
    if provider is not None:
        known = schema_of(tool.definition(provider), tool.name, tool.envelopes.get(provider))
        if known is not None:
            return known
    from .standalone_schema import standalone_schema

    return msgspec.json.encode(standalone_schema(tool))


def _missing(problem: ArgumentError) -> tuple[str, ...]:
    from ..jsonschema.messages import member

    return tuple(
        violation.expected
        if violation.path == "$"
        else member(violation.path, violation.expected).removeprefix("$").removeprefix(".")
        for violation in problem.violations
        if violation.keyword == "required"
    )
