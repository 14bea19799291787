"""Dialects to try passes under: those of the profiles, and others for axes that no profile uses."""

from __future__ import annotations

from functools import cache
from typing import Any

from toolcast.providers import available, load_profile
from toolcast.providers.profiles.dialect import Dialect, contradictions, takes_text

from tests.providers.axes.common import PLAIN
from tests.providers.axes.test_all import DIALECTS
from tests.providers.passes.single import ALL

OTHERS: tuple[dict[str, Any], ...] = (
    *DIALECTS.values(),
    {"tuples": "block"},
    {"recursion": 2, "refs": "inline"},
    {"recursion": 0, "refs": "inline"},
    {"max_enum": 2},
    {**PLAIN, "max_branches": 8},
    {**PLAIN, "tuples": "object", "maps": "pairs", "items_required": True, "untyped": "block"},
    {**PLAIN, "maps": "pairs", "open": "explicit", "property_names": "[a-z_]*"},
    {"property_names": "[a-z_]*", "optional": "also-null"},
    {"exclusive": "inclusive", "empty_required": False, "properties_required": True},
    {**PLAIN, "empty_objects": "json", "const": "enum", "enums": "fitting"},
    {
        **PLAIN,
        "typed": True,
        "untyped": "union",
        "empty_objects": "json",
        "maps": "pairs",
        "booleans": "rewrite",
    },
    {"empty_objects": "block", "declared_required": True, "booleans": "rewrite"},
    {"root_forbid": ("oneOf", "anyOf", "allOf", "not", "enum")},
)


@cache
def dialects() -> tuple[Dialect, ...]:
    profiles = map(load_profile, available())
    found = [one for each in profiles for one in (each.dialect, each.strict) if one is not None]
    found += [Dialect(**axes) for axes in OTHERS]
    return tuple(dict.fromkeys(one for one in found if not contradictions(one)))


@cache
def dialects_of(name: str) -> tuple[Dialect, ...]:
    if name not in ALL:
        return dialects()
    # A walk has a limit of levels only where what is deeper can be sent as text.
    limited = name in ("depth", "depth_untyped")
    return tuple(one for one in dialects() if ALL[name].needed(one) and (not limited or takes_text(one)))
