from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.data.analyst import Analyst


@pytest.fixture
def analyst(tmp_path: Path) -> Iterator[Analyst]:
    made = Analyst(tmp_path)
    yield made
    made.close()
