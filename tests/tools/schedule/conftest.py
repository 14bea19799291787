"""A schedule in a folder of its own, with a clock and a program that tests set."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from toolcast_tools.schedule import Schedule

from tests.tools.schedule.calls import Clock, Program

Opened = Callable[..., AbstractAsyncContextManager[Schedule]]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "schedule.sqlite"


@pytest.fixture
def opened(file: Path, clock: Clock, program: Program) -> Opened:
    @asynccontextmanager
    async def open_schedule(**options: Any) -> AsyncIterator[Schedule]:
        given = {"notify": program.notify, "clock": clock, **options}
        schedule = Schedule(file, given.pop("run", program.run), **given)
        try:
            yield schedule
        finally:
            await schedule.aclose()

    return open_schedule
