"""The interface of any shared cache, and the ways in which one can fail."""

from typing import Literal, Protocol

Kind = Literal["ac", "cas"]
MAX_ENTRY = 64 * 1024
"""Bytes of an entry: a few names and digests."""
MAX_BUNDLE = 16 * 1024 * 1024
"""Bytes of a packed bundle: the files of one tool."""


class StoreError(Exception):
    """The cache cannot be used; no more tries in this run. Its text may be shown: no secret is in it."""


class ReadOnlyError(StoreError):
    """The cache can be read, but takes nothing from us."""


class BadEntryError(Exception):
    """One thing in the cache is not what it should be: it counts as absent."""


class Session(Protocol):
    """One thread's access to a cache."""

    def get(self, kind: Kind, key: str, limit: int) -> bytes | None:
        """The bytes at a key; None for nothing.

        Raises BadEntryError for more than `limit` bytes, or fewer than promised; StoreError.
        """
        ...

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        """Store, whole or not at all. Raises StoreError."""
        ...

    def close(self) -> None:
        """End it, also while another thread waits in it."""
        ...


class Store(Protocol):
    """A cache. `shown` names it to people; `threads` is how many sessions at once help."""

    @property
    def shown(self) -> str: ...

    @property
    def threads(self) -> int: ...

    def session(self) -> Session:
        """A new session. Raises StoreError."""
        ...

    def stored(self, count: int) -> None:
        """Take note that a run has put in `count` bytes."""
        ...
