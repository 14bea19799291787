"""A memory in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast_tools.memory import Memory

from tests.tools.memory.calls import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def memory(file: Path, clock: Clock) -> Iterator[Memory]:
    memory = Memory(file, clock=clock)
    yield memory
    memory.close()
