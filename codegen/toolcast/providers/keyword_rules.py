"""A dialect compiled for the walk: the operation of each keyword, and which nodes need a rewrite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from . import operations
from .depth import DOWN
from .json_paths import Path
from .operations import Op
from .pattern_features import limited
from .profiles.dialect import Dialect, Disposition, forbidden
from .state import State
from .wire_forms import MARK

Node = dict[str, Any]

OMITTED = ("title", "$schema")
"""Keywords that only a dialect has which names them."""


class Rules:
    """A compiled dialect: an operation for each keyword (`None`: copy), and the triggers of a rewrite."""

    __slots__ = (
        *("always", "dialect", "encodes", "ends", "lists", "literal", "loops", "nulls", "ops", "other"),
        *("encodes_enums", "most", "objects", "patterns", "refused", "triggers", "unions"),
        *("closes", "pairs", "watches"),
    )

    def __init__(self, dialect: Dialect, inner: Mapping[frozenset[str], Op], most: int | None = None) -> None:
        """`inner` walks the schemas below the keywords of each set. `most` levels of values may be nested;
        deeper values are encoded as JSON text."""
        self.most = most
        self.dialect = dialect
        by: dict[Disposition, Op | None] = {
            "keep": None,
            "drop": operations.drop,
            "describe": operations.describe_keyword,
            "block": operations.block,
        }
        self.other = by[dialect.other]
        keep = by["keep"] if dialect.other == "keep" else self.other
        ops: dict[str, Op | None] = dict.fromkeys(
            (*SCHEMA, *SCHEMA_LIST, *SCHEMA_MAP, "$ref", "$schema", "type", "format", "pattern"), keep
        )
        for disposition in ("keep", "drop", "describe", "block"):
            ops.update(dict.fromkeys(getattr(dialect, disposition), by[disposition]))
        stated = {*dialect.keep, *dialect.describe, *dialect.block}
        ops.update((key, operations.omitted) for key in OMITTED if key not in stated)
        own: tuple[tuple[frozenset[str], Op], ...] = (
            *inner.items(),
            (frozenset(("$ref",)), operations.reference),
            (frozenset(("$schema",)), operations.draft),
            (frozenset(("type",)), operations.keep_type),
            (frozenset(("format",)), operations.format),
            (frozenset(("pattern",)), operations.pattern),
        )
        for keywords, op in own:
            ops.update((key, op) for key in keywords if ops[key] is None)
        if dialect.closed:
            ops["additionalProperties"] = inner[SCHEMA]  # which closes objects
        if dialect.refs == "inline":
            ops["$defs"] = operations.inlined
        if dialect.booleans == "rewrite" or dialect.type_arrays == "nullable":
            ops["nullable"] = None
        if dialect.property_names:
            for key, op in (
                ("required", operations.renamed_list),
                ("dependentRequired", operations.renamed_lists),
                ("enum", operations.renamed_literals),
                ("const", operations.renamed_literals),
            ):
                if ops.get(key, keep) is None:
                    ops[key] = op
        if dialect.open == "explicit" and ops.get("unevaluatedProperties", self.other) is inner[SCHEMA]:
            ops["unevaluatedProperties"] = operations.drop  # every key is evaluated
        ops[MARK] = operations.marked
        guarded = {*dialect.integers_only, *(key for key, _ in dialect.at_most)}
        guarded |= operations.LENGTHS if dialect.pattern_alone else set()
        ops.update((key, operations.guarded) for key in guarded if ops.get(key, self.other) is None)
        if most is not None:
            walking = tuple(inner.values())
            deeper = [(key, found) for key in DOWN if (found := ops.get(key)) and found in walking]
            ops.update((key, _deeper(found)) for key, found in deeper)
        self.ops = ops
        unevaluated = (ops[key] is inner[SCHEMA] for key in ("unevaluatedProperties", "unevaluatedItems"))
        self.watches = dialect.optional != "keep" or any(unevaluated)
        self.patterns = limited(dialect)
        triggers = (
            {"exclusiveMinimum", "exclusiveMaximum"} if dialect.exclusive == "inclusive" else set[str]()
        )
        opens = dialect.refs == "inline" or not dialect.ref_siblings or dialect.cycles == "unroll"
        triggers |= {"$ref"} if opens else set()
        triggers |= {"allOf"} if dialect.all_of == "merge" else set()
        triggers |= {"oneOf"} if dialect.one_of == "any-of" else set()
        triggers |= {"anyOf"} if dialect.any_of != "keep" or dialect.type_arrays != "keep" else set()
        self.literal = (
            dialect.enums != "any"
            or dialect.const == "enum"
            or dialect.max_enum is not None
            or dialect.booleans == "rewrite"
            or dialect.maps == "pairs"
            or dialect.tuples == "object"
        )
        triggers |= {"enum", "const"} if self.literal else set()
        triggers |= {"prefixItems"} if dialect.tuples != "keep" else set()
        triggers |= {"required"} if dialect.declared_required else set()
        triggers |= {"additionalProperties", "patternProperties"} if dialect.maps == "pairs" else set()
        self.refused = forbidden(dialect)
        self.triggers = frozenset(triggers)
        self.loops = frozenset(triggers & {"$ref", "allOf", "oneOf", "anyOf"})
        self.lists = dialect.type_arrays != "keep" or dialect.any_of == "none"
        self.nulls = dialect.null == "absent"
        self.unions = dialect.any_of == "none"
        self.triggers |= {"type"} if self.lists else set[str]()
        self.always = dialect.typed or self.nulls or most is not None
        self.encodes = dialect.maps != "keep" or dialect.tuples == "object" or dialect.enums != "any"
        self.encodes_enums = dialect.enums in ("alike", "strings")
        self.objects = dialect.closed or dialect.properties_required or dialect.optional == "also-null"
        self.closes = dialect.closed or dialect.optional == "also-null"
        self.pairs = dialect.maps == "pairs"
        self.ends = self.objects or not dialect.empty_required or dialect.open == "explicit" or self.nulls


def _deeper(op: Op) -> Op:
    """`op`, which walks schemas of values in a value."""

    def at(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
        state.level += 1
        op(state, node, key, value, out, path, notes)
        state.level -= 1

    return at
