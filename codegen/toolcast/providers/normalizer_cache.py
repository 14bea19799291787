"""Schemas met at run time, normalised once: for clients that see the same tools in every round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from ..jsonschema.schema_error import SchemaError
from .normalize import Normalized, normalize
from .profiles.dialect import Dialect
from .profiles.profile import Profile

if TYPE_CHECKING:
    from ..jsonschema import Validator
    from ..runtime.wire.decoder import WireDecoder

Schema = bytes | str | Mapping[str, Any]
T = TypeVar("T")
_PLAIN = Profile(id="contract", dated="", envelope={}, dialect=Dialect(keep=("title", "$schema")))
"""JSON Schema 2020-12 itself: older drafts are raised, and nothing else is changed."""


class Prepared:
    """One schema for one provider: its definition and its decoder, each made at first use."""

    __slots__ = ("_validator", "_wire_decoder", "normalized", "provider", "schema")

    def __init__(self, schema: Schema, provider: str | Profile, strict: bool | None) -> None:
        """Raises SchemaError and ProfileError, as `normalize` does, and SchemaError for a schema that is not
        JSON."""
        self.schema = schema  # kept: its identity may be the key that this is found by
        self.provider = provider
        self.normalized = normalize(_parsed(schema), provider, strict=strict)
        self._wire_decoder: WireDecoder | None = None
        self._validator: Validator | None = None

    def decoded(self, value: Any) -> Any:
        """Arguments from the provider's form to the contract's."""
        if self.normalized.wire_forms is None:
            return value
        if self._wire_decoder is None:
            from ..runtime.wire.decoder import WireDecoder

            self._wire_decoder = WireDecoder(self.normalized.wire_forms, self.normalized.schema)
        return self._wire_decoder(value)

    def validator(self) -> Validator:
        """Validates decoded arguments. Raises UnsupportedSchema where the schema cannot be compiled
        exactly."""
        if self._validator is None:
            from ..jsonschema import Validator

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
        self._known: _Recent[Prepared] = _Recent(maxsize)

    def normalize(self, schema: Schema, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
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

    def prepare(self, schema: Schema, provider: str | Profile, strict: bool | None = None) -> Prepared:
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
            found = Prepared(schema, provider, strict)
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
        self._new: dict[Any, T] = {}
        self._old: dict[Any, T] = {}

    def get(self, key: Any) -> T | None:
        found = self._new.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Any, value: T) -> None:
        if len(self._new) >= self._half:
            self._old, self._new = self._new, {}
        self._new[key] = value

    def clear(self) -> None:
        self._new, self._old = {}, {}


def _parsed(schema: Schema) -> Any:
    if isinstance(schema, (bytes, str)):
        try:
            return msgspec.json.decode(schema)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
            raise SchemaError("", f"the schema is not JSON: {problem}") from None
    return schema
