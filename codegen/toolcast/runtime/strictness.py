"""Whether a provider's strict mode is used: a switch for days on which it fails.

Only the flag changes. The schema keeps its strict form, which every provider takes without the flag, so
arguments are decoded as ever.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from ..jsonschema.pointers import escape
from .provider_ids import BUILT_IN

VARIABLE = "TOOLCAST_NO_STRICT"
"""Providers whose strict mode is off, separated by commas. Read whenever definitions are asked for."""


def used(provider: str, strict: bool | None) -> bool:
    """Whether definitions for `provider` may ask for strict mode: what the caller says, or, with None, unless
    the variable names it."""
    return provider not in named() if strict is None else strict


def named() -> frozenset[str]:
    """The providers that the variable names."""
    return _names(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _names(value: str) -> frozenset[str]:
    return frozenset(name.strip() for name in value.split(",") if name.strip())


@lru_cache(maxsize=64)
def check(names: frozenset[str], generated: tuple[str, ...]) -> None:
    """Warn once of `names` from the variable that are no built-in profile and not among `generated`, the
    providers that a tool has definitions for."""
    from .log_records import WARNING, log

    known = BUILT_IN | {*generated}
    for name in sorted(names - known):
        log(
            WARNING,
            "%s names %r, which is no provider, so nothing is turned off for it. Providers: %s.",
            VARIABLE,
            name[:64],
            ", ".join(sorted(known)),
            event="strictness",
        )


def without_flag(definition: bytes, name: str, places: tuple[str, str] | None = None) -> bytes:
    """A tool object whose flag `strict` is false; the same bytes where it has none that is set.

    `places` as for `cut_definition`.
    """
    whole = msgspec.json.decode(definition)
    parameters = None if places is None else places[0]
    made = _off(whole, name, parameters, "")
    return definition if made == whole else msgspec.json.encode(made)


def _off(value: Any, name: str, parameters: str | None, at: str) -> Any:
    """A copy of what stands at pointer `at`; the flag stands beside the tool's name, or, in an envelope with
    `parameters` in a place of its own, anywhere outside them."""
    if not isinstance(value, Mapping) or (parameters is not None and at == parameters):
        return value
    here = parameters is not None or value.get("name") == name
    out: dict[str, Any] = {}
    for key, item in value.items():
        below = f"{at}/{escape(key)}"
        if key == "strict" and item is True and here:
            out[key] = False
        elif parameters is None and value.get("name") == name:
            out[key] = item
        else:
            out[key] = _off(item, name, parameters, below)
    return out
