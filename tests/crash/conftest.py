"""A folder in memory, where there is one: these tests touch the disk thousands of times."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast.project.state import fingerprint


@pytest.fixture
def memory() -> Iterator[Path]:
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="toolcast-", dir=place))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def _short_generator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the generator's own source, which each run would digest."""
    (tmp_path / "generator").mkdir()
    monkeypatch.setattr(fingerprint, "PACKAGE", tmp_path / "generator")
