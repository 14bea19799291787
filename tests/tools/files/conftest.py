"""A folder with the tools for files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast_tools.files import Files


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = tmp_path / "box"
    root.mkdir()
    return root


@pytest.fixture
def files(box: Path) -> Iterator[Files]:
    made = Files(box)
    yield made
    made.close()
