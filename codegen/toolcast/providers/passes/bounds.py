"""Expresses exclusive bounds by inclusive ones.

Axis: `exclusive = "inclusive"`.

    {"type": "integer", "exclusiveMinimum": 0}
    {"type": "integer", "minimum": 1}

    {"type": "number", "exclusiveMinimum": 0}
    {"type": "number", "minimum": 0, "description": "Must be greater than 0."}

Ledger: the keyword rewritten, kept elsewhere, for integers; described for numbers.
Sent and decoded: as the contract has it. Source: OpenAPI 3.0.4, section 4.7.24.
"""

from __future__ import annotations

from math import floor

from ..constraint_texts import phrase
from ..ledger import Ledger
from ..node import Node, Pass
from ..profiles.dialect import Dialect

_BOUNDS = (("exclusiveMinimum", "minimum", True), ("exclusiveMaximum", "maximum", False))


def _inclusive_bounds(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express exclusive bounds: exactly for integers; for numbers one value wider, and described."""
    if "exclusiveMinimum" not in node.keywords and "exclusiveMaximum" not in node.keywords:
        return node
    out = dict(node.keywords)
    notes: tuple[str, ...] = ()
    for key, inclusive, up in _BOUNDS:
        if key not in out:
            continue
        bound = value = out.pop(key)
        if out.get("type") == "integer":
            bound = floor(value) + 1 if up else -(floor(-value) + 1)
            reason = f"is replaced by `{inclusive}: {bound}`, which means the same for integers"
            ledger.note(node.path, key, "rewritten", "kept elsewhere", reason)
        else:
            notes += (phrase(key, value),)
            reason = (
                f"is replaced by `{inclusive}` and stated in the description, because the provider lacks "
                "the keyword; decoding still refuses the bound itself"
            )
            ledger.note(node.path, key, "described", "kept elsewhere", reason)
        old = out.get(inclusive)
        if old is None or (old < bound) == up:
            out[inclusive] = bound
    return node.noting(out, notes)


PASS = Pass(
    name="bounds",
    apply=_inclusive_bounds,
    needed=lambda dialect: dialect.exclusive == "inclusive",
    keywords=frozenset(("exclusiveMinimum", "exclusiveMaximum")),
)
