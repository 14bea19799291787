"""The engine that enforces strict schemas."""

import llguidance
import pytest

from tests.grammars.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine(llguidance)
