"""The engine that enforces strict schemas."""

import llguidance
import pytest

from tests.grammars.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    """llguidance with one tokenizer."""
    return Engine(llguidance)
