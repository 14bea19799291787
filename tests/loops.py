"""Tests that are coroutines."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in an event loop of its own, for two minutes at most."""

    @wraps(test)
    def run(*arguments: Any, **options: Any) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(120):
                await test(*arguments, **options)

        asyncio.run(bounded())

    return run
