"""Limits of a run."""

from msgspec import Struct


class Budget(Struct, frozen=True, kw_only=True):
    """Limits of one run.

    Attributes:
        calls: calls of tools at most; None for no limit.
        seconds: seconds at most; None for no limit.
    """

    calls: int | None = None
    seconds: float | None = None
