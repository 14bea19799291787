"""The operations of a walk on each node, made from the dialect once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..runtime.mcp_headers import KEYWORD as MCP_HEADER
from . import passes
from .ledger import Ledger
from .node import Keywords, Node, Pass, stated_type
from .passes import keywords as operations
from .passes.annotations import title as named_title
from .passes.keywords import Operation
from .profiles.dialect import Dialect

_OMITTED = ("title", "$schema", "$anchor", MCP_HEADER)
"""Keywords that only a dialect has which names them."""
GUARDED = frozenset(("not", "if", "then", "else", "contains", "propertyNames"))
"""Keywords under which a wider subschema may refuse more, or whose subschema would apply to an encoded
value."""
_WALKED = (*SCHEMA, *GUARDED, *SCHEMA_LIST, *SCHEMA_MAP, "$ref")
"""Keywords that hold schemas, or lead to one: the walk goes on there."""


class Stage(Struct, frozen=True, eq=False):
    """Passes that are applied together, and the nodes on which one of them acts."""

    passes: tuple[Pass, ...]
    keywords: frozenset[str]
    types: frozenset[str]
    everywhere: bool

    @classmethod
    def of(cls, passes: Iterable[Pass], dialect: Dialect) -> Stage:
        """Return those of `passes` that a dialect needs."""
        found = tuple(each for each in passes if each.needed(dialect))
        return cls(
            passes=found,
            keywords=frozenset[str]().union(*(each.keywords for each in found)),
            types=frozenset[str]().union(*(each.types for each in found)),
            everywhere=any(each.everywhere for each in found),
        )

    def concerns(self, keywords: Keywords) -> bool:
        """Return whether one of the passes acts on a node with these keywords."""
        return (
            self.everywhere or not self.keywords.isdisjoint(keywords) or stated_type(keywords) in self.types
        )


class DialectPlan(Struct, frozen=True, eq=False):
    """The operations of a walk on each node."""

    dialect: Dialect
    kept: Dialect  # by which keywords are kept: `dialect`, or one that keeps all
    start: Stage
    combinators: Stage
    rewriting: Stage
    before: Stage  # combinators and rewriting together
    completion: Stage
    operations: dict[str, Operation | None]
    other: Operation | None
    encodes: bool  # whether values of a union may be sent in another form


def walked(node: Node, key: str, _: Dialect, __: Ledger) -> operations.Result:
    """Stand, among the operations, for the keywords at which the walk goes on."""
    return node.keywords[key], ()


@lru_cache(maxsize=64)
def plan_of(dialect: Dialect) -> DialectPlan:
    """Return what a walk under a dialect does to each node."""
    by = operations.BY_DISPOSITION
    other = by[dialect.other]
    found: dict[str, Operation | None] = dict.fromkeys(
        (*_WALKED, "title", "$schema", "type", "format", "pattern"), other
    )
    for each in ("keep", "drop", "describe", "block"):
        found.update(dict.fromkeys(getattr(dialect, each), by[each]))
    stated = {*dialect.keep, *dialect.describe, *dialect.block}
    if dialect.refs == "inline":
        stated.discard("$anchor")  # a copy for each reference would have it
    found.update((key, operations.omit) for key in _OMITTED if key not in stated)
    own: dict[str, Operation] = {
        **dict.fromkeys(_WALKED, walked),
        "title": named_title,
        "$schema": operations.draft,
        "format": operations.format,
        "pattern": operations.pattern,
    }
    found.update((key, operation) for key, operation in own.items() if found[key] is None)
    if dialect.closed:
        found["additionalProperties"] = walked  # which closes objects
    if dialect.refs == "inline":
        found["$defs"] = operations.inlined
    if dialect.booleans == "rewrite" or dialect.type_arrays == "nullable":
        found["nullable"] = None
    if dialect.property_names:
        for key in ("enum", "const"):
            if found.get(key, other) is None:
                found[key] = operations.renamed_literals
    if dialect.open == "explicit" and found["unevaluatedProperties"] is walked:
        found["unevaluatedProperties"] = operations.drop  # every key is evaluated
    guarded = {*dialect.integers_only, *(key for key, _ in dialect.at_most)}
    guarded |= operations.LENGTHS if dialect.pattern_alone else set()
    found.update((key, operations.guarded) for key in guarded if found.get(key, other) is None)

    return DialectPlan(
        dialect=dialect,
        kept=dialect,
        start=Stage.of(passes.START, dialect),
        combinators=Stage.of(passes.COMBINATORS, dialect),
        rewriting=Stage.of(passes.REWRITING, dialect),
        before=Stage.of((*passes.COMBINATORS, *passes.REWRITING), dialect),
        completion=Stage.of(passes.COMPLETION, dialect),
        operations=found,
        other=other,
        encodes=_encodes(dialect),
    )


def _encodes(dialect: Dialect) -> bool:
    return (
        dialect.maps != "keep"
        or dialect.tuples == "object"
        or dialect.enums != "any"
        or dialect.untyped in ("json", "union")  # parts of any value hold JSON text
        or dialect.empty_objects == "json"
        or dialect.null == "absent"
        or dialect.any_of == "none"
    )


def partial_plan(plan: DialectPlan, chosen: Collection[Pass], *, keywords: bool) -> DialectPlan:
    """Return a plan with the `chosen` passes alone. Without `keywords`, all keywords are kept, else kept,
    dropped or described as the dialect says.
    """
    if not keywords:
        operations: dict[str, Operation | None] = dict.fromkeys(_WALKED, walked)
        plan = replace(plan, kept=Dialect(), operations=operations, other=None)

    def still(stage: Stage) -> Stage:
        return Stage.of((each for each in stage.passes if each in chosen), plan.dialect)

    return replace(
        plan,
        start=still(plan.start),
        combinators=still(plan.combinators),
        rewriting=still(plan.rewriting),
        before=still(plan.before),
        completion=still(plan.completion),
    )
