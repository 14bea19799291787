"""Schemas met at run time: without their defects, prepared once for clients that see the same tools in every
round, and as the form in which arguments are decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.quarantine import sound_schema
from ..jsonschema.schema_document import refuses_none
from ..jsonschema.schema_node import LibrarySchemaError, SchemaError
from ..jsonschema.unusable_values import python_object
from ..jsonschema.validator import Validator
from ..runtime.arguments import Arguments, parse_arguments
from ..runtime.bounded_json import UnreadableJSONError, read_json
from ..runtime.errors import LIMIT, ArgumentError
from .ledger import LedgerEntry, entry_of
from .normalize import normalize
from .profiles.dialect import Dialect
from .profiles.envelope import Normalized
from .profiles.profile import Profile

if TYPE_CHECKING:
    from ..jsonschema.validator_errors import Violation
    from ..runtime.wire.decoder import WireDecoder
    from ..runtime.wire.guesses import Guesses

_Schema = bytes | str | JsonMapping
T = TypeVar("T")
_PLAIN = Profile(id="contract", dated="", envelope={}, dialect=Dialect(keep=("title", "$schema")))
"""JSON Schema 2020-12 itself: older drafts are raised, and nothing else is changed."""


def quarantined(
    schema: JsonObject, *, refuses: Callable[[str], str] = refuses_none
) -> tuple[JsonObject, tuple[LedgerEntry, ...]]:
    """Leave out the defects of a schema, and return it with an entry for each: the very same object where
    there is none, else one in 2020-12 words.

    Left out are values that their keywords cannot have, references that lead nowhere in the schema,
    references that close a circle, patterns that are no ECMA-262 or that `re` cannot run, types that do not
    exist, and what is no schema where one must be. An optional property that no value fits becomes `false`,
    which means the same. `refuses` returns why another pattern is not to be used; "" where it is. Raises
    SchemaError where the root is no object, or schemas are nested too deeply.
    """
    if (object_ := python_object(schema)) is not None:
        raise LibrarySchemaError("", object_.message, object_.hint)
    if not isinstance(schema, dict):
        raise SchemaError("", "the schema of parameters or of a result is an object here")
    found = sound_schema(schema, refuses=refuses)
    if found.changes == found.upgrades:
        return schema, ()
    return found.schema, tuple(map(entry_of, found.changes))


class _Prepared:
    """One schema for one provider: its definition and its decoder, each made at first use."""

    __slots__ = ("_validator", "_wire_decoder", "normalized", "provider", "schema")

    def __init__(self, schema: _Schema, provider: str | Profile, strict: bool | None) -> None:
        """Raises SchemaError, also where the schema is no JSON, and ProfileError."""
        self.schema = schema  # kept: its identity may be the key that this is found by
        self.provider = provider
        self.normalized = normalize(_parsed(schema), provider, strict=strict)
        self._wire_decoder: WireDecoder | None = None
        self._validator: Validator | None = None

    def decoded(self, value: object) -> object:
        decoder = self.wire_decoder()
        return value if decoder is None else decoder(value)

    def wire_decoder(self) -> WireDecoder | None:
        """Decodes the provider's form; None where that is the contract's own."""
        if self._wire_decoder is None and self.normalized.wire_forms is not None:
            from ..runtime.wire.decoder import WireDecoder

            self._wire_decoder = WireDecoder(self.normalized.wire_forms, self.normalized.schema)
        return self._wire_decoder

    def validator(self) -> Validator:
        """Validates decoded arguments. Raises UnsupportedSchema."""
        if self._validator is None:
            contract = normalize(_parsed(self.schema), _PLAIN).schema
            contract.pop("$schema", None)  # whatever draft it names: it is raised by now
            self._validator = Validator(contract, formats=True)
        return self._validator


class Normalizer:
    """Normalises schemas and keeps the most recent outcomes. Safe from many threads."""

    __slots__ = ("_known",)

    def __init__(self, maxsize: int = 256) -> None:
        """Make an empty cache.

        Args:
            maxsize: outcomes that are kept.

        Raises:
            ValueError: `maxsize` is below 1.
        """
        if maxsize < 1:
            raise ValueError(f"maxsize must be at least 1, not {maxsize}.")
        self._known: _Recent[_Prepared] = _Recent(maxsize)

    def normalize(
        self, schema: _Schema, provider: str | Profile, *, strict: bool | None = None
    ) -> Normalized:
        """Normalise a schema, or return the kept outcome.

        Args:
            schema: a mapping or JSON text.
            provider: id of a built-in profile, or a profile.
            strict: as for `normalize`.

        Returns:
            The outcome; the same object while it is kept. Do not change it.

        Raises:
            SchemaError: the schema has no form in the dialect.
            ProfileError: the provider is not known.
        """
        return self.prepare(schema, provider, strict).normalized

    def prepare(self, schema: _Schema, provider: str | Profile, strict: bool | None = None) -> _Prepared:
        """Normalise a schema and prepare its decoder and validator.

        Args:
            schema: a mapping or JSON text.
            provider: id of a built-in profile, or a profile.
            strict: as for `normalize`.

        Returns:
            The outcome with a decoder of the wire form and a validator, made at first use.

        Raises:
            SchemaError: the schema has no form in the dialect.
            ProfileError: the provider is not known.
        """
        text = type(schema) is bytes or type(schema) is str
        key = (
            schema if text else id(schema),
            provider if type(provider) is str else id(provider),
            strict,
        )
        found = self._known.get(key)
        if found is None:
            found = _Prepared(schema, provider, strict)
            self._known.put(key, found)
        return found

    def forget(self) -> None:
        """Drop everything that is kept."""
        self._known.clear()


class _Recent(Generic[T]):
    """A bounded cache in two halves: an entry that is found in the older one moves to the newer one; once
    that is full, the older one is dropped. A look-up takes no lock; a race may lose an entry, never a
    result."""

    __slots__ = ("_half", "_new", "_old")

    def __init__(self, size: int) -> None:
        self._half = max(1, (size + 1) // 2)
        self._new: dict[object, T] = {}
        self._old: dict[object, T] = {}

    def get(self, key: Any) -> T | None:
        found = self._new.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: object, value: T) -> None:
        if len(self._new) >= self._half:
            self._old, self._new = self._new, {}
        self._new[key] = value

    def clear(self) -> None:
        self._new, self._old = {}, {}


def _parsed(schema: _Schema) -> object:
    if isinstance(schema, (bytes, str)):
        try:
            return read_json(schema)
        except UnreadableJSONError as problem:
            raise SchemaError("", f"the schema is {problem}") from None
    return schema


def decode(
    arguments: Arguments,
    provider: str | Profile,
    *,
    schema: _Schema,
    strict: bool | None = None,
    guesses: Guesses | None = None,
    validate: bool = True,
    tool: str = "tool",
    normalizer: Normalizer | None = None,
) -> JsonObject:
    """Decode arguments for a schema that is met at run time.

    A schema as JSON text is prepared once and kept; a mapping each time, unless `normalizer` has it.

    Args:
        arguments: JSON text or a parsed mapping, as the provider sent it.
        provider: id of a built-in profile, or a profile.
        schema: the tool's schema, as for `normalize`.
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
        toolcast.jsonschema.validator_errors.UnsupportedSchema: the schema cannot be validated exactly.
        ProfileError: the provider is not known.
    """
    if normalizer is not None:
        prepared = normalizer.prepare(schema, provider, strict)
    elif isinstance(schema, (bytes, str)):
        prepared = _TEXTS.prepare(schema, provider, strict)
    else:
        prepared = _Prepared(schema, provider, strict)
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
    if validate and violations:
        from ..runtime.wire.decoder import explain_wire_form

        shown = violations if prepared.normalized.wire_forms is None else explain_wire_form(violations, value)
        problem = ArgumentError(tool, violations=shown)
    if guesses is not None and guesses.allow and (problem is not None or violations):
        guessed = _guessed(arguments, prepared, validator, guesses, problem)
        if guessed is not None:
            return _object(tool, guessed)
    if problem is not None:
        raise problem
    return _object(tool, value)


_TEXTS = Normalizer(256)


def _guessed(
    arguments: Arguments,
    prepared: _Prepared,
    validator: Validator,
    guesses: Guesses,
    problem: ArgumentError | None,
) -> object:
    """Return a value that the schema accepts, guessed from refused arguments; None where there is none.
    Raises `problem` with the reason where readings differ, if there is a problem.
    """
    from ..runtime.wire.guesses import GuessError, guess, with_reason

    def read(text: Any) -> Any:
        return prepared.decoded(parse_arguments("tool" if problem is None else problem.tool, text))

    try:
        return guess(arguments, read, validator, guesses)
    except GuessError as reason:
        if problem is None:
            return None
        raise with_reason(problem, reason) from None


def _object(tool: str, value: object) -> JsonObject:
    if isinstance(value, dict):
        return value
    kinds: dict[type, str] = {list: "array", str: "string", type(None): "null", bool: "boolean"}
    kind = kinds.get(type(value), "number")
    raise ArgumentError(
        tool, f"expected a JSON object, got a JSON {kind}. Send the arguments as one JSON object."
    )
