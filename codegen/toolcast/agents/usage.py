"""Tokens that answers use, what they cost, and the limits of a run."""

import math

from msgspec import Struct

_MILLION = 1_000_000


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one answer, or of several: `+` adds.

    Counts mean the same for every provider: `input` and `output` include cached and reasoning tokens.

    Attributes:
        input: tokens that the model read, from a cache or not.
        output: tokens that the model wrote, reasoning among them.
        cached: those of `input` that came from a cache.
        cache_write: those of `input` that were written to a cache.
        reasoning: those of `output` that were reasoning.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        if not isinstance(other, Usage):
            return NotImplemented
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cached=self.cached + other.cached,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
        )


class Prices(Struct, frozen=True, kw_only=True):
    """Prices of a million tokens of a model, in a currency of the program's.

    There is no table of prices: they change, and differ by contract.

    Attributes:
        input: price of a million tokens that the model reads.
        output: price of a million tokens that it writes.
        cached: price of a million tokens read from a cache; None for that of `input`.
        cache_write: price of a million tokens written to a cache; None for that of `input`.

    Raises:
        ValueError: a price is below 0 or no finite number.
    """

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            price = getattr(self, name)
            if price is not None and not (price >= 0 and math.isfinite(price)):
                raise ValueError(f"{name}: a price must be a number from 0, not {price!r}.")

    def cost(self, usage: Usage) -> float:
        """Return the cost of tokens.

        Args:
            usage: tokens of one answer or of several.

        Returns:
            The cost, in the currency of the prices.
        """
        cached = self.input if self.cached is None else self.cached
        cache_write = self.input if self.cache_write is None else self.cache_write
        plain = max(0, usage.input - usage.cached - usage.cache_write)
        return (
            plain * self.input
            + usage.cached * cached
            + usage.cache_write * cache_write
            + usage.output * self.output
        ) / _MILLION


class Budget(Struct, frozen=True, kw_only=True):
    """Limits of one run; None for no limit.

    Tokens and cost are known when an answer is there: the last one may exceed their limit.

    Attributes:
        calls: most calls of tools.
        seconds: most seconds.
        tokens: most tokens, read and written by the model.
        cost: highest cost of the tokens, in the currency of `prices`.
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
