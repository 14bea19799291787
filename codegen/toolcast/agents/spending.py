"""What the answers of a run used, held to its budget of tokens and cost."""

from .budget import Budget
from .record import Limit
from .usage import Usage

_USED = (
    "Tool {!r} was not called: this run may use {:,} tokens, and has used {:,}. "
    "The model will not be asked again."
)
_COST = (
    "Tool {!r} was not called: this run may cost {:g}, and has cost {:g}. The model will not be asked again."
)


class UsageUnknownError(ValueError):
    """A budget of tokens or cost cannot be kept, because an answer does not say what it used."""


class Spending:
    """The tokens of one run, and their cost.

    `used` is None before the first answer that states its usage.
    """

    def __init__(self, budget: Budget, used: Usage | None = None) -> None:
        self.used = used
        self._budget = budget

    def add(self, usage: Usage | None) -> None:
        """Count an answer. Raises UsageUnknownError where the budget needs its usage, and it has none."""
        if usage is not None:
            self.used = usage if self.used is None else self.used + usage
            return
        limit = "tokens" if self._budget.tokens is not None else "cost"
        if getattr(self._budget, limit) is not None:
            raise UsageUnknownError(
                f"Budget({limit}=…) needs the usage of every answer, and this one states none. Ask the "
                'provider for it (OpenAI\'s streams: stream_options={"include_usage": True}), or leave the '
                "limit out."
            )

    @property
    def cost(self) -> float | None:
        """The cost so far; None without prices, and where no usage is known."""
        prices = self._budget.prices
        return None if prices is None or self.used is None else prices.cost(self.used)

    @property
    def exceeded(self) -> Limit | None:
        """The limit that is reached: the model is not asked again."""
        tokens, limit, cost = self._budget.tokens, self._budget.cost, self.cost
        if tokens is not None and self.used is not None and self.used.total >= tokens:
            return "tokens"
        return "cost" if limit is not None and cost is not None and cost >= limit else None

    def refusal(self, name: str) -> str | None:
        """What answers a call past the budget; None within it."""
        exceeded = self.exceeded
        if exceeded is None or self.used is None:
            return None
        if exceeded == "tokens":
            return _USED.format(name, self._budget.tokens, self.used.total)
        return _COST.format(name, self._budget.cost, self.cost)
