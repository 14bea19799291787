"""The door to the cache that machines share. A run without one passes by and imports nothing."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ..config import Config
from ..diagnostics import Diagnostic
from .output.content import Files
from .state.cache import Unit, load_cache
from .workers import Shop, Task

if TYPE_CHECKING:
    from .artifacts.shared import Shared

Share = Literal["use", "leave", "distrust"]
"""`leave`: neither ask nor give. `distrust`: also compile again what an earlier run fetched."""
WHERE = "TOOLCAST_CACHE"
Fetched = Mapping[str, tuple[Unit, Mapping[str, bytes]]]
Made = tuple[Task, Unit, Files]


def is_shared(config: Config) -> bool:
    """Whether a cache is named at all. `TOOLCAST_CACHE` beats `cache`; empty, it turns the cache off."""
    return bool(os.environ.get(WHERE, config.cache))


def is_mixed(config: Config) -> bool:
    """Whether the output may hold what others compiled: only `--no-cache` makes all of it anew."""
    return is_shared(config) or any(unit.fetched for unit in load_cache(config.state).units.values())


class Shares(Struct, frozen=True):
    """What a run had from the shared cache, and gave to it; `trouble` are warnings that spoil no build."""

    fetched: int = 0
    stored: int = 0
    trouble: tuple[Diagnostic, ...] = ()


class Sharing:
    """One run's access."""

    def __init__(self, config: Config, share: Share) -> None:
        self.trusting = share != "distrust"
        self._config, self._on = config, share == "use"
        self._shared: Shared | None = None
        self._problem: Diagnostic | None = None
        self._made: list[Made] = []

    @property
    def named(self) -> bool:
        """Whether there is a cache to ask."""
        return self._on and is_shared(self._config)

    def open(self, shop: Shop, fingerprint: Callable[[Task, tuple[str, ...]], str]) -> None:
        """Find out which cache there is. Called once the run knows what it builds."""
        if not self.named:
            return
        from .artifacts.place import place_of

        place, self._problem = place_of(self._config)
        if place is not None:
            from .artifacts.shared import Shared

            self._shared = Shared(place, shop, fingerprint)

    def fetch(self, tasks: Sequence[Task]) -> Fetched:
        """Those of `tasks` that others compiled, by path."""
        return {} if self._shared is None else self._shared.fetch(tasks)

    def reject(self, count: int, false: int) -> None:
        """So many of the fetched were compiled after all, and so many of those had been false."""
        if self._shared is not None:
            self._shared.reject(count, false)

    def keep(self, made: Sequence[Made]) -> None:
        """What this run compiled, and all of it cleanly."""
        if self._shared is not None:
            self._made += made

    def finish(self, *, published: bool) -> Shares:
        """Give what was made, if it was published; what came of it all."""
        if self._problem is not None:
            return Shares(trouble=(self._problem,))
        if self._shared is None:
            return Shares()
        if published:
            self._shared.store(self._made)
        counts = self._shared.counts
        return Shares(fetched=counts.fetched, stored=counts.stored, trouble=self._shared.trouble)
