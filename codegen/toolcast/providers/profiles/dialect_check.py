"""Combinations of axes that the walk could not do exactly: refused when a profile is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from .dialect import Dialect, disposition

VALUE_KEYWORDS = (
    *("not", "if", "contains", "propertyNames", "patternProperties", "dependentSchemas"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
"""Keywords whose subschemas would apply to the encoded value instead of the contract's."""
COUNTS = ("minProperties", "dependentRequired", "dependentSchemas")
"""Keywords that would miss the keys of absent nulls."""
KINDS_AND_NULL = 8
"""As many branches as a union needs that has one for each JSON type, and one more for null."""


def contradictions(dialect: Dialect) -> tuple[str, ...]:
    """Find what a dialect asks for and the walk cannot do.

    Args:
        dialect: the dialect.

    Returns:
        A sentence for each contradiction; empty if the walk supports all of the dialect.
    """
    return (*_encoded(dialect), *_nulls(dialect), *_unions(dialect), *_others(dialect))


@lru_cache(maxsize=64)
def takes_text(dialect: Dialect) -> bool:
    """Whether values may be encoded as JSON text without ambiguity."""
    return not contradictions(replace(dialect, untyped="json"))


def _kept(dialect: Dialect, keywords: tuple[str, ...]) -> list[str]:
    return [key for key in keywords if disposition(dialect, key) == "keep"]


def _encodings(dialect: Dialect) -> list[str]:
    axes = (
        ('maps = "pairs"', dialect.maps == "pairs"),
        ('tuples = "object"', dialect.tuples == "object"),
        (f'enums = "{dialect.enums}"', dialect.enums in ("alike", "strings")),
        ('untyped = "json"', dialect.untyped == "json"),
        ('empty-objects = "json"', dialect.empty_objects == "json"),
        ('any-of = "none"', dialect.any_of == "none"),
        ('null = "absent"', dialect.null == "absent"),
    )
    return [name for name, on in axes if on]


def _encoded(dialect: Dialect) -> Iterator[str]:
    """Values are encoded: keywords that apply to their original form must not be kept."""
    axes = _encodings(dialect)
    if not axes:
        return
    kept = _kept(dialect, VALUE_KEYWORDS)
    if dialect.maps == "pairs":  # stated for the keys of the pairs
        kept = [key for key in kept if key not in ("propertyNames", "patternProperties")]
    if dialect.all_of == "keep" and disposition(dialect, "allOf") == "keep":
        kept.append("allOf")
    if dialect.one_of == "keep" and disposition(dialect, "oneOf") == "keep":
        kept.append("oneOf")
    if kept:
        yield (
            f"{', '.join(axes)} change what is sent, and {', '.join(kept)} would check that:"
            " describe, drop or block them, merge allOf, state oneOf by anyOf"
        )
    if dialect.any_of == "keep" and disposition(dialect, "anyOf") == "keep":
        yield (
            f"{', '.join(axes)} change what is sent in a branch, and what stands beside anyOf would judge "
            'that: any-of = "alone"'
        )
    inside = [axis for axis in axes if not axis.startswith("enums")]  # in tuples, they are described
    if inside and dialect.tuples == "keep" and _kept(dialect, ("prefixItems",)):
        yield f'{", ".join(inside)} cannot be undone inside prefixItems: tuples = "union" or "object"'


def _nulls(dialect: Dialect) -> Iterator[str]:
    if dialect.null != "absent":
        return
    kept = _kept(dialect, COUNTS)
    if kept:
        yield f'null = "absent" leaves keys out that {", ".join(kept)} would miss: describe or drop them'
    if dialect.type_arrays == "nullable":
        yield 'null = "absent" and type-arrays = "nullable" contradict each other'
    if dialect.optional != "keep":
        yield f'null = "absent" and optional = "{dialect.optional}" contradict each other'
    if dialect.untyped == "union":
        yield 'untyped = "union" has null among its types, which null = "absent" forbids'


def _unions(dialect: Dialect) -> Iterator[str]:
    if dialect.any_of == "none" and dialect.type_arrays == "any-of":
        yield 'type-arrays = "any-of" needs a union, which any-of = "none" forbids'
    if dialect.any_of == "none" and dialect.untyped == "union":
        yield 'untyped = "union" needs a union, which any-of = "none" forbids'
    if dialect.any_of == "none" and dialect.optional != "keep" and dialect.type_arrays != "nullable":
        yield f'optional = "{dialect.optional}" needs a union, which any-of = "none" forbids'
    if dialect.any_of == "none" and not dialect.ref_siblings and dialect.refs == "keep":
        yield 'ref-siblings = false needs a union, which any-of = "none" forbids: refs = "inline"'
    if dialect.type_arrays == "single" and (dialect.any_of != "none" or dialect.null != "absent"):
        yield 'type-arrays = "single" needs any-of = "none" and null = "absent"'
    if dialect.any_of == "only":
        if dialect.type_arrays == "nullable" and dialect.refs != "inline":
            yield 'any-of = "only" puts nullable into a branch, so it needs refs = "inline"'
        if not dialect.ref_siblings and dialect.refs == "keep":
            yield 'any-of = "only" puts descriptions beside references, which ref-siblings = false forbids'


def _others(dialect: Dialect) -> Iterator[str]:
    if dialect.cycles != "keep" and dialect.refs == "inline":
        yield f'cycles = "{dialect.cycles}" is for refs = "keep": inlining opens circles anyway'
    if dialect.prune_definitions and dialect.refs == "keep" and dialect.ref_targets == "any":
        yield 'prune-definitions = true needs ref-targets = "definitions": others are not followed'
    if dialect.open == "explicit" and dialect.closed:
        yield 'open = "explicit" and closed = true contradict each other'
    if dialect.open == "explicit" and disposition(dialect, "additionalProperties") != "keep":
        yield 'open = "explicit" needs additionalProperties to be kept'
    if dialect.max_branches is not None and dialect.max_branches < KINDS_AND_NULL:
        yield f"max-branches must be at least {KINDS_AND_NULL}: one for each type, and null"
    if dialect.max_branches is not None and (dialect.any_of == "keep" or dialect.one_of == "keep"):
        yield 'max-branches needs any-of = "alone", "only" or "none" and one-of = "any-of"'
