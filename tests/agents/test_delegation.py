"""How deep agents start agents, and for how long."""

import asyncio
import threading
from typing import Any

import pytest
from toolcast.agents.delegation import delegate, depth
from toolcast.runtime import RefusalError, ToolContext, ToolRegistry

from generated.agents.delegate import DELEGATE

CALL = {"agent": "coder", "task": "Write the tests."}


def nested(levels: int, limit: int) -> int:
    async def down(left: int) -> int:
        return depth() if left == 0 else await delegate(lambda: down(left - 1), limit=limit)

    return asyncio.run(down(levels))


@pytest.mark.parametrize("limit", [1, 3])
def test_so_deep_and_no_deeper(limit: int) -> None:
    assert nested(limit, limit) == limit
    with pytest.raises(RefusalError, match=f"nested {limit} deep"):
        nested(limit + 1, limit)


def test_depth_follows_a_call_through_a_registry_and_threads() -> None:
    """Nothing is handed on: the handler of an agent's agent knows how deep it is."""
    registry = ToolRegistry()
    seen: list[int] = []

    async def handler(_: Any, __: ToolContext) -> Any:
        seen.append(depth())
        return await delegate(lambda: registry.execute("delegate", CALL))

    registry.register(DELEGATE, handler)
    result = asyncio.run(registry.execute("delegate", CALL))
    assert not result.success
    assert "Do the task yourself" in result.error
    assert seen == [0, 1, 2, 3]
    assert depth() == 0


def test_side_by_side_is_not_deeper() -> None:
    async def leaf() -> int:
        await asyncio.sleep(0)
        return depth()

    async def main() -> list[int]:
        return await asyncio.gather(*(delegate(leaf, limit=1) for _ in range(20)))

    assert asyncio.run(main()) == [1] * 20


def test_a_plain_handler_in_a_thread_knows_its_depth() -> None:
    seen: list[tuple[int, bool]] = []

    async def inside() -> None:
        main = threading.current_thread()
        await asyncio.to_thread(lambda: seen.append((depth(), threading.current_thread() is main)))

    asyncio.run(delegate(inside))
    assert seen == [(1, False)]


def test_an_agent_that_takes_too_long_is_cancelled() -> None:
    over: list[bool] = []

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            over.append(True)

    with pytest.raises(RefusalError, match=r"stopped after 0\.02 seconds"):
        asyncio.run(delegate(long, timeout=0.02))
    assert over == [True]
    assert depth() == 0


def test_a_timeout_of_the_agents_own_is_its_own() -> None:
    async def failing() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        asyncio.run(delegate(failing))


@pytest.mark.parametrize("options", [{"limit": 0}, {"timeout": 0}])
def test_limits_are_above_0(options: dict[str, Any]) -> None:
    async def leaf() -> None: ...

    with pytest.raises(ValueError, match="at least 1"):
        asyncio.run(delegate(leaf, **options))
