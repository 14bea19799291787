"""The dialect of a provider as data. Each axis is an option of the one walk."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Disposition = Literal["keep", "drop", "describe", "block"]


class Dialect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", cache_hash=True):
    """The part of JSON Schema that a provider accepts in one mode. Defaults are JSON Schema 2020-12.

    `block`: the dialect cannot state this, so the mode as a whole is given up (strict mode is not used).
    """

    keep: tuple[str, ...] = ()  # `title`, `$schema`, `x-mcp-header` are kept where they are named here only
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
    """The disposition of a keyword, by the lists of the dialect; the last one that names it wins."""
    found = dialect.other
    if keyword in dialect.keep:
        found = "keep"
    if keyword in dialect.drop:
        found = "drop"
    if keyword in dialect.describe:
        found = "describe"
    return "block" if keyword in dialect.block else found


def forbidden(dialect: Dialect) -> frozenset[str]:
    """The keywords that a root cannot have: those that are refused, and unions where they exclude a type."""
    unions = ("anyOf", "oneOf") if dialect.any_of in ("only", "none") else ()
    found = frozenset((*dialect.root_forbid, *unions))
    # Merging into the root may add a union.
    return found | {"allOf"} if dialect.all_of == "merge" and "anyOf" in found else found
