"""How often a tool may be called."""

import threading

from msgspec import Struct


class RateLimit(Struct, frozen=True):
    """At most `calls` in `seconds`, evenly; `burst` of them at once, as many as `calls` where it is None."""

    calls: int
    seconds: float = 60.0
    burst: int | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for what is no limit."""
        if self.calls < 1 or not self.seconds > 0 or (self.burst is not None and self.burst < 1):
            raise ValueError(f"A rate limit counts at least one call in a positive time, not {self}.")


class Bucket:
    """A token bucket: full to begin with, filled at an even pace. Safe from many threads."""

    __slots__ = ("_at", "_capacity", "_left", "_lock", "_pace")

    def __init__(self, limit: RateLimit, now: float) -> None:
        self._capacity = float(limit.calls if limit.burst is None else limit.burst)
        self._pace = limit.calls / limit.seconds
        self._left = self._capacity
        self._at = now
        self._lock = threading.Lock()

    def take(self, now: float) -> float:
        """Take one token: 0.0 where there was one, else the seconds until there is. A clock that goes back
        counts as one that stands."""
        with self._lock:
            self._left = min(self._capacity, self._left + max(0.0, now - self._at) * self._pace)
            self._at = max(self._at, now)
            if self._left >= 1 - 1e-9:
                self._left = max(0.0, self._left - 1)
                return 0.0
            return (1 - self._left) / self._pace
