"""What a model is told about arguments that do not fit: in words, and as data for the program."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from .definitions import schema_of
from .errors import ArgumentError, RefusalError
from .tool import Tool


class ArgumentHint(Struct, frozen=True, kw_only=True):
    """What a call lacks, and how it is made: `data` of a refused call whose error has the tool's full schema.

    Attributes:
        tool: name of the tool.
        missing: the required properties that were left out: their names, or, of an object within the
            arguments, their paths such as `edits[0].old_string`. Empty where something else is wrong.
        schema: schema of the arguments in the form of the provider's definitions; without a provider, the
            contract.
    """

    tool: str
    missing: tuple[str, ...]
    schema: Mapping[str, Any]


class RefusedArgumentsError(RefusalError):
    """Arguments that do not fit, refused; `hint` is None where the text has no schema."""

    def __init__(self, text: str, hint: ArgumentHint | None) -> None:
        super().__init__(text)
        self.hint = hint


def refuse_arguments(tool: Tool[Any], problem: ArgumentError, provider: str | None) -> RefusedArgumentsError:
    """The refusal of arguments. Where some are missing, it has the tool's full schema: a model that saw only
    a brief definition cannot know them."""
    if not problem.missing:
        return RefusedArgumentsError(str(problem), None)
    schema = schema_text(tool, provider)
    text = f"{problem}\nThe full schema of {tool.name!r}: {schema.decode()}"
    return RefusedArgumentsError(text, hint_for(tool, problem, schema))


def schema_text(tool: Tool[Any], provider: str | None) -> bytes:
    """The schema of a tool's arguments as JSON: with a provider, the bytes that its definition has; without,
    or where the definition has none, the contract."""
    if provider is not None:
        known = schema_of(tool.definition(provider), tool.name, tool.envelopes.get(provider))
        if known is not None:
            return known
    from .standalone_schema import standalone_schema

    return msgspec.json.encode(standalone_schema(tool))


def hint_for(tool: Tool[Any], problem: ArgumentError, schema: bytes) -> ArgumentHint:
    """The hint about arguments that do not fit, with a schema that is JSON text."""
    return ArgumentHint(tool=tool.name, missing=_missing(problem), schema=msgspec.json.decode(schema))


def _missing(problem: ArgumentError) -> tuple[str, ...]:
    from ..jsonschema.messages import member

    return tuple(
        violation.expected
        if violation.path == "$"
        else member(violation.path, violation.expected).removeprefix("$").removeprefix(".")
        for violation in problem.violations
        if violation.keyword == "required"
    )
