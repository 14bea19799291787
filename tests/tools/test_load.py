"""Results of many conversations at once reach their own calls."""

import importlib.util

import pytest

from bench.load.conversations import LOOPS
from bench.load.measure import measure
from bench.load.server import ROUNDS


@pytest.mark.parametrize("many", [40, pytest.param(1000, marks=pytest.mark.thorough)])
def test_no_result_is_mixed_up_lost_or_sent_twice(many: int) -> None:
    counts = measure("toolcast", many, seconds=0.5).counts
    assert (counts.mixed, counts.lost, counts.surplus) == (0, 0, 0)
    assert counts.conversations >= many
    assert counts.results == counts.conversations * 2 * ROUNDS


@pytest.mark.thorough
@pytest.mark.parametrize("loop", [name for name in LOOPS if name != "toolcast"])
def test_peers_do_the_same_work(loop: str) -> None:
    if loop == "pydantic-ai" and importlib.util.find_spec("pydantic_ai") is None:
        pytest.skip("pydantic-ai is not installed; `make clients` installs it")
    counts = measure(loop, 10, seconds=0.2).counts
    assert (counts.mixed, counts.lost, counts.surplus) == (0, 0, 0)
    assert counts.results == counts.conversations * 2 * ROUNDS
