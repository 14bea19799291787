"""Decodes a provider's arguments to plain data in the form of a schema that is known at run time only."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..runtime.arguments import Arguments, parse_arguments
from ..runtime.errors import LIMIT, ArgumentError
from .normalizer_cache import Normalizer, Prepared, Schema
from .profiles.load_profiles import load_profile
from .profiles.profile import Profile

if TYPE_CHECKING:
    from ..jsonschema import Validator, Violation
    from ..runtime.wire.guesses import Guesses


def decode(
    arguments: Arguments,
    provider: str | Profile,
    *,
    schema: Schema | None = None,
    strict: bool | None = None,
    guesses: Guesses | None = None,
    validate: bool = True,
    tool: str = "tool",
    normalizer: Normalizer | None = None,
) -> dict[str, Any]:
    """Decode arguments for a schema that is met at run time.

    A schema as JSON text is prepared once and kept; a mapping each time, unless `normalizer` has it.

    Args:
        arguments: JSON text or a parsed mapping, as the provider sent it.
        provider: id of a built-in profile, or a profile.
        schema: the tool's schema, as for `normalize`; None repairs only what every provider may send: blank
            text for no arguments, and an object encoded twice.
        strict: as for `normalize`.
        guesses: guesses that may be applied to refused arguments.
        validate: whether to refuse what the schema refuses.
        tool: name of the tool in errors.
        normalizer: a cache of prepared schemas.

    Returns:
        Plain data in the form of `schema`.

    Raises:
        ArgumentError: the text is no JSON object, or the schema refuses the arguments; it names every
            violation.
        SchemaError: the schema has no form in the dialect.
        toolcast.jsonschema.UnsupportedSchema: the schema cannot be validated exactly.
        ProfileError: the provider is not known.
    """
    if schema is None:
        if not isinstance(provider, Profile):
            load_profile(provider)
        return _object(tool, _repaired(tool, arguments, guesses))
    if normalizer is not None:
        prepared = normalizer.prepare(schema, provider, strict)
    elif isinstance(schema, (bytes, str)):
        prepared = _texts().prepare(schema, provider, strict)
    else:
        prepared = Prepared(schema, provider, strict)
    validator = prepared.validator()
    problem: ArgumentError | None = None
    value: Any = None
    violations: list[Violation] = []
    try:
        value = validator.settle(prepared.decoded(parse_arguments(tool, arguments)))
    except ArgumentError as refused:
        problem = refused
    if problem is None and (validate or guesses is not None):
        violations = validator.violations(value, limit=LIMIT)
    if guesses is not None and guesses.allow and (problem is not None or violations):
        guessed = _guessed(tool, arguments, prepared, validator, guesses)
        if guessed is not None:
            return _object(tool, guessed)
    if problem is not None:
        raise problem
    if validate and violations:
        from ..runtime.wire.decoder import explain_wire_form

        shown = violations if prepared.normalized.wire_forms is None else explain_wire_form(violations, value)
        raise ArgumentError(tool, violations=shown)
    return _object(tool, value)


@lru_cache(maxsize=1)
def _texts() -> Normalizer:
    """The cache of schemas given as text, for the whole program."""
    return Normalizer(256)


def _guessed(
    tool: str, arguments: Arguments, prepared: Prepared, validator: Validator, guesses: Guesses
) -> Any:
    """A value that the schema accepts, guessed from refused arguments; None where there is none."""
    from ..runtime.wire.guesses import guess

    found = guess(arguments, lambda text: prepared.decoded(parse_arguments(tool, text)), validator, guesses)
    if found is None:
        return None
    value, used = found
    guesses.count(used)
    return value


def _repaired(tool: str, arguments: Arguments, guesses: Guesses | None) -> Any:
    """Parsed arguments; a text that is almost JSON by a guess, if that is allowed."""
    try:
        return parse_arguments(tool, arguments)
    except ArgumentError:
        if guesses is None:
            raise
        from ..runtime.wire.guesses import almost

        for text, used in almost(arguments, guesses):
            try:
                value = parse_arguments(tool, text)
            except ArgumentError:
                continue
            guesses.count(used)
            return value
        raise


def _object(tool: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    kind = {list: "array", str: "string", type(None): "null", bool: "boolean"}.get(type(value), "number")
    raise ArgumentError(
        tool, f"expected a JSON object, got a JSON {kind}. Send the arguments as one JSON object."
    )
