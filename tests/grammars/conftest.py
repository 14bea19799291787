"""The engine that is there, or a reason to skip."""

import os

import pytest

from tests.grammars.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    """llguidance; without it a test is skipped, in CI it fails."""
    try:
        import llguidance
    except ModuleNotFoundError:
        reason = "llguidance is not installed; `make clients` installs it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return Engine(llguidance)
