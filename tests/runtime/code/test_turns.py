"""Turns against a model that is a few lines of arithmetic."""

import asyncio
import random

from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.code.server import Turns


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12),
    st.randoms(use_true_random=False),
)
def test_turns_keep_their_order_and_their_limit(
    limit: int, calls: list[tuple[bool, bool]], order: random.Random
) -> None:
    """Each call is (alone, cancelled while it waits or runs); those that run end in any order."""
    running: dict[int, bool] = {}
    begun: list[int] = []
    ends = {i: asyncio.Event() for i in range(len(calls))}

    async def call(turns: Turns, number: int, alone: bool) -> None:
        async with turns.turn(alone):
            begun.append(number)
            running[number] = alone
            assert len(running) <= limit
            assert len(running) == 1 or not any(running.values())
            try:
                await ends[number].wait()
            finally:
                del running[number]

    async def main() -> None:
        turns = Turns(limit)
        tasks = {i: asyncio.create_task(call(turns, i, alone)) for i, (alone, _) in enumerate(calls)}
        await asyncio.sleep(0)
        for number in order.sample(range(len(calls)), len(calls)):
            if calls[number][1]:
                tasks[number].cancel()
            else:
                ends[number].set()
            for _ in range(order.randrange(4)):
                await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.gather(*tasks.values(), return_exceptions=True), 60)
        assert [task.cancelled() for task in tasks.values()] == [cancelled for _, cancelled in calls]
        async with turns.turn(True):  # nothing is left over
            pass

    asyncio.run(main())
    assert begun == sorted(begun)
