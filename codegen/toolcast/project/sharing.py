"""Whether a run uses a cache that machines share. A run without one imports nothing of `artifacts`."""

import os
from typing import Literal

from msgspec import Struct

from ..config import Config
from ..diagnostics import Diagnostic
from .state.cache import load_cache

Share = Literal["use", "leave", "distrust"]
"""`leave`: do not use the shared cache. `distrust`: also compile again what an earlier run fetched."""
WHERE = "TOOLCAST_CACHE"


class Shares(Struct, frozen=True):
    """Units fetched from the shared cache and stored in it; `warnings` stop no build."""

    fetched: int = 0
    stored: int = 0
    warnings: tuple[Diagnostic, ...] = ()


def is_shared(config: Config) -> bool:
    """Whether a cache is named at all. `TOOLCAST_CACHE` beats `cache`; empty, it turns the cache off."""
    return bool(os.environ.get(WHERE, config.cache))


def is_mixed(config: Config) -> bool:
    """Whether the output may hold what others compiled: only `--no-cache` makes all of it anew."""
    return is_shared(config) or any(unit.fetched for unit in load_cache(config.state).units.values())
