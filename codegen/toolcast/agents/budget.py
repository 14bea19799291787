"""Limits of a run."""

import math

from msgspec import Struct

from .usage import Prices


class Budget(Struct, frozen=True, kw_only=True):
    """Limits of one run.

    What an answer uses is known when it is there: tokens and cost may exceed their limit by the last answer.

    Attributes:
        calls: calls of tools at most; None for no limit.
        seconds: seconds at most; None for no limit.
        tokens: tokens at most, read and written by the model; None for no limit.
        cost: cost of the tokens at most, in the currency of `prices`; None for no limit.
        prices: prices of the model's tokens, for `cost` here and in the record.

    Raises:
        ValueError: a limit is below 0 or no finite number, or there is a cost without prices.
    """

    calls: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    prices: Prices | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "seconds", "tokens", "cost"):
            limit = getattr(self, name)
            if limit is not None and not (limit >= 0 and math.isfinite(limit)):
                raise ValueError(f"{name}: a limit must be a number from 0, not {limit!r}.")
        if self.cost is not None and self.prices is None:
            raise ValueError("cost needs prices: Budget(cost=…, prices=Prices(input=…, output=…)).")
