from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.data.analyst import Analyst, carried_out_here


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses run in this process: enough where their results matter, and nothing that contains them."""
    monkeypatch.setattr("toolcast_tools.data.data.carry_out", carried_out_here)


@pytest.fixture
def analyst(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Analyst]:
    request.getfixturevalue("in_process")
    made = Analyst(tmp_path)
    yield made
    made.close()


@pytest.fixture
def contained(tmp_path: Path) -> Iterator[Analyst]:
    """An analyst whose analyses run in processes of their own, as those of programs do."""
    made = Analyst(tmp_path)
    yield made
    made.close()
