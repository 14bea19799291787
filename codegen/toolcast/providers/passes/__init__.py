"""The passes of a walk, in their order. Each rewrites one node; a dialect has those that it needs.

A walk applies them to one node after the other, the root first: `START` once, `COMBINATORS` until none
changes the node, `REWRITING` once. Then it goes on to the schemas below the node's keywords, which `keywords`
keeps, drops or describes. Then it applies `COMPLETION` once.
"""

from ..node import Pass
from ..profiles.dialect import Dialect
from . import (
    all_of,
    annotations,
    bounds,
    containers,
    depth,
    keywords,
    literals,
    maps,
    names,
    null_as_absence,
    nullable,
    references,
    root,
    strict_objects,
    tuples,
    types,
    unions,
    without_unions,
)

START: tuple[Pass, ...] = (root.PASS, depth.PASS)
COMBINATORS: tuple[Pass, ...] = (
    references.PASS,
    unions.ONE_OF,
    all_of.PASS,
    null_as_absence.PASS,
    unions.SIBLINGS,
    without_unions.PASS,
    without_unions.LIMIT,
    nullable.PASS,
)
REWRITING: tuple[Pass, ...] = (
    types.SINGLE_FIRST,
    containers.DECLARED,
    literals.PASS,
    depth.UNTYPED,
    types.PASS,
    types.SINGLE_TUPLES,
    tuples.PASS,
    types.LISTED,
    maps.PASS,
    bounds.PASS,
    containers.PROPERTIES,
    containers.ITEMS,
)
COMPLETION: tuple[Pass, ...] = (
    names.PASS,
    keywords.PATTERNS,
    keywords.DEPENDENT,
    strict_objects.CLOSE,
    strict_objects.OPTIONAL,
    null_as_absence.COMPLETING,
    strict_objects.OPEN,
    containers.NOT_EMPTY,
    nullable.COMPLETING,
    annotations.TITLES,
    annotations.DESCRIPTION,
    annotations.ALONE,
)
ALL: tuple[Pass, ...] = (*START, *COMBINATORS, *REWRITING, *COMPLETION)


def passes_of(dialect: Dialect) -> tuple[Pass, ...]:
    """Return the passes that a dialect needs, in their order."""
    return tuple(each for each in ALL if each.needed(dialect))
