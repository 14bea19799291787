"""The dialect of a provider as data. Each axis is an option of the one walk.

Combinations of axes that the walk could not do exactly are refused when a profile is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Disposition = Literal["keep", "drop", "describe", "block"]


class Dialect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", cache_hash=True):
    """The part of JSON Schema that a provider accepts in one mode. Defaults are JSON Schema 2020-12. `block`:
    the dialect cannot state this, so the mode as a whole is given up (strict mode is not used).
    """

    keep: tuple[str, ...] = ()  # `title`, `$schema`, `$anchor`, `x-mcp-header` are kept if named here
    describe: tuple[str, ...] = ()  # stated in the description
    drop: tuple[str, ...] = ()  # only the ledger has them
    block: tuple[str, ...] = ()
    other: Disposition = "keep"  # keywords in none of the four lists

    formats: tuple[str, ...] | None = None  # None: any
    other_formats: Disposition = "keep"
    patterns: Literal["any", "python", "anchored"] = "any"
    # "python": must compile with Python's re. "anchored": the provider matches the whole text, so only what
    # is written ^…$ has the same meaning there.
    lookaround: bool = True
    word_boundary: bool = True  # False: neither \b nor \B
    backreferences: bool = True
    unicode_classes: bool = True  # False: no \p{…}
    pattern_alone: bool = False  # pattern and format not together with minLength and maxLength
    integers_only: tuple[str, ...] = ()  # keywords kept where the type is integer, else described
    at_most: tuple[tuple[str, float], ...] = ()  # larger values are described: [["minItems", 1]]

    type_arrays: Literal["keep", "nullable", "any-of", "single"] = "keep"
    # "nullable": OpenAPI's keyword, anyOf for the rest. "any-of": anyOf for all. "single": one type per node.
    null: Literal["keep", "absent"] = "keep"  # "absent": no null at all; absence stands for null
    typed: bool = False  # every node must state a type (or anyOf, or $ref)
    untyped: Literal["keep", "union", "block", "json"] = "keep"
    # A node that accepts any value. "union": of all types. "json": sent as JSON text.
    booleans: Literal["keep", "rewrite"] = "keep"  # schemas that are true or false
    enums: Literal["any", "fitting", "alike", "strings"] = "any"
    # "fitting": scalars of the stated type. "alike": only strings, integers or floats. "strings": non-empty
    # strings; other values are sent as strings and undone.
    max_enum: int | None = None  # a longer enum is described
    const: Literal["keep", "enum"] = "keep"

    any_of: Literal["keep", "alone", "only", "none"] = "keep"
    # "alone": only annotations are siblings. "only": no siblings. "none": no unions at all.
    max_branches: int | None = None  # a longer anyOf merges branches of one type; at least 8
    one_of: Literal["keep", "any-of"] = "keep"
    all_of: Literal["keep", "merge"] = "keep"

    refs: Literal["keep", "inline"] = "keep"
    ref_targets: Literal["any", "definitions"] = "any"
    ref_siblings: bool = True
    cycles: Literal["keep", "unroll", "block"] = "keep"  # with refs = "keep"; inlining always unrolls
    prune_definitions: bool = False
    recursion: int = 1  # how often a definition is inlined inside itself

    maps: Literal["keep", "pairs"] = "keep"  # "pairs": a list of {key, value}, which decoding undoes
    tuples: Literal["keep", "union", "block", "object"] = "keep"  # "object": item_1, item_2…, undone
    items_required: bool = False
    exclusive: Literal["keep", "inclusive"] = "keep"

    property_names: str = ""  # a pattern for the whole name; others are renamed, which decoding undoes
    properties_required: bool = False  # objects must carry `properties`, if only {}
    empty_objects: Literal["keep", "json", "block"] = "keep"
    # Objects without properties, below the root. "json": sent as JSON text. "block": not supported.
    closed: bool = False  # every object ends with additionalProperties: false
    open: Literal["silent", "explicit"] = "silent"  # "explicit": the default is false, so true is stated
    optional: Literal["keep", "nullable", "also-null"] = "keep"
    # "nullable": all required, optional ones accept null. "also-null": optional ones accept null.
    declared_required: bool = False  # `required` may only name declared properties
    empty_required: bool = True  # `required: []` may stay
    root_forbid: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def nameless(dialect: Dialect) -> Dialect:
    """`dialect` for schemas whose property names all match."""
    return replace(dialect, property_names="") if dialect.property_names else dialect


def disposition(dialect: Dialect, keyword: str) -> Disposition:
    """Return the disposition of a keyword, by the lists of the dialect; the last one that names it wins."""
    found = dialect.other
    if keyword in dialect.keep:
        found = "keep"
    if keyword in dialect.drop:
        found = "drop"
    if keyword in dialect.describe:
        found = "describe"
    return "block" if keyword in dialect.block else found


def forbidden(dialect: Dialect) -> frozenset[str]:
    """Return the keywords that a root cannot have: those that are refused, and unions where they exclude a
    type.
    """
    unions = ("anyOf", "oneOf") if dialect.any_of in ("only", "none") else ()
    found = frozenset((*dialect.root_forbid, *unions))
    # Merging into the root may add a union.
    return found | {"allOf"} if dialect.all_of == "merge" and "anyOf" in found else found


VALUE_KEYWORDS = (
    *("not", "if", "contains", "propertyNames", "patternProperties", "dependentSchemas"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
"""Keywords whose subschemas would apply to the encoded value instead of the contract's."""
_COUNTS = ("minProperties", "dependentRequired", "dependentSchemas")
"""Keywords that would miss the keys of absent nulls."""
_KINDS_AND_NULL = 8
"""As many branches as a union needs that has one for each JSON type, and one more for null."""


def contradictions(dialect: Dialect) -> tuple[str, ...]:
    """Return a sentence for each contradiction in a dialect, which the walk cannot do."""
    return (*_encoded(dialect), *_nulls(dialect), *_unions(dialect), *_others(dialect))


@lru_cache(maxsize=64)
def takes_text(dialect: Dialect) -> bool:
    """Return whether values may be encoded as JSON text without ambiguity."""
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
    kept = _kept(dialect, _COUNTS)
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
    if dialect.max_branches is not None and dialect.max_branches < _KINDS_AND_NULL:
        yield f"max-branches must be at least {_KINDS_AND_NULL}: one for each type, and null"
    if dialect.max_branches is not None and (dialect.any_of == "keep" or dialect.one_of == "keep"):
        yield 'max-branches needs any-of = "alone", "only" or "none" and one-of = "any-of"'


_MAX_PATTERN = 4_000
_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")


class _Features(Struct, frozen=True, kw_only=True):
    """The features that a pattern uses. `whole`: it is `^…$`, so that searching and matching the whole text
    agree.
    """

    whole: bool
    inner_anchors: bool  # ^ or $ anywhere but at the two ends
    lookaround: bool
    word_boundary: bool
    backreferences: bool
    unicode_classes: bool


def features(pattern: str) -> _Features:
    r"""Return what `pattern` uses. Escapes and character classes are read as such, so `\\b` is no word
    boundary.
    """
    return _known_features(pattern) if len(pattern) <= _MAX_PATTERN else _features(pattern)


def _features(pattern: str) -> _Features:
    at, depth, end = 0, 0, len(pattern)
    escapes: set[str] = set()
    classes: set[str] = set()
    anchors: list[int] = []
    alternatives = lookarounds = False
    in_class = False
    while at < end:
        char = pattern[at]
        if char == "\\":
            (classes if in_class else escapes).add(pattern[at + 1 : at + 2])
            at += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
            lookarounds = lookarounds or pattern.startswith(_LOOKAROUND, at)
        elif char == ")":
            depth -= 1
        elif char == "|":
            alternatives = alternatives or depth == 0
        elif char in "^$":
            anchors.append(at)
        at += 1
    ends = {0, end - 1}
    ended = bool(anchors) and anchors[-1] == end - 1 and pattern[-1] == "$"
    whole = end > 1 and pattern[0] == "^" and ended and not alternatives
    return _Features(
        whole=whole,
        inner_anchors=any(at not in ends for at in anchors),
        lookaround=lookarounds,
        word_boundary=not escapes.isdisjoint("bB"),
        backreferences=not escapes.isdisjoint("123456789k"),
        unicode_classes=not (escapes | classes).isdisjoint("pP"),
    )


_known_features = lru_cache(maxsize=1024)(_features)


def compiles(pattern: str) -> bool:
    """Return whether Python's `re` compiles a pattern."""
    return len(pattern) <= _MAX_PATTERN and _compiles(pattern)


@lru_cache(maxsize=1024)
def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def supported_pattern(dialect: Dialect, pattern: str) -> bool:
    """Return whether the dialect's engine gives a pattern the same meaning."""
    if not _limited(dialect):
        return True
    if dialect.patterns == "python" and not compiles(pattern):
        return False
    used = features(pattern)
    if (
        (used.lookaround and not dialect.lookaround)
        or (used.word_boundary and not dialect.word_boundary)
        or (used.backreferences and not dialect.backreferences)
        or (used.unicode_classes and not dialect.unicode_classes)
    ):
        return False
    return dialect.patterns != "anchored" or used.whole


def _limited(dialect: Dialect) -> bool:
    """Return whether some pattern is out of the dialect's reach."""
    knows_all = (
        dialect.lookaround and dialect.word_boundary and dialect.backreferences and dialect.unicode_classes
    )
    return dialect.patterns != "any" or not knows_all
