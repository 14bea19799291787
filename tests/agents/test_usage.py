"""Tokens and their cost."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.usage import Prices, Usage

COUNTS = st.integers(0, 10**9)
USAGES = st.builds(Usage, input=COUNTS, output=COUNTS, cached=COUNTS, cache_write=COUNTS, reasoning=COUNTS)


def test_a_cost() -> None:
    used = Usage(input=1_000_000, output=200_000, cached=600_000, cache_write=100_000, reasoning=150_000)
    # 300,000 at 3, 600,000 at 0.3, 100,000 at 3.75, 200,000 at 15.
    prices = Prices(input=3, output=15, cached=0.3, cache_write=3.75)
    assert prices.cost(used) == pytest.approx(0.9 + 0.18 + 0.375 + 3)
    assert Prices(input=3, output=15).cost(used) == pytest.approx(6)
    assert used.total == 1_200_000


@given(USAGES, USAGES)
def test_a_sum_has_the_sum_of_the_counts(one: Usage, other: Usage) -> None:
    both = one + other
    for name in Usage.__struct_fields__:
        assert getattr(both, name) == getattr(one, name) + getattr(other, name)
    assert both == other + one
    assert one + Usage() == one
    assert sum([one, other], Usage()) == both


@given(USAGES)
def test_no_cost_is_below_that_of_the_output(used: Usage) -> None:
    """Also where a provider says that more came from a cache than was read."""
    assert Prices(input=1, output=2).cost(used) >= used.output * 2 / 1_000_000


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["input", "output", "cached", "cache_write"])
def test_prices_are_numbers_from_0(name: str, wrong: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: a price must be a number from 0"):
        Prices(**{"input": 1.0, "output": 1.0, name: wrong})


def test_only_usage_is_added_to_usage() -> None:
    with pytest.raises(TypeError):
        Usage() + 1  # type: ignore[operator]
