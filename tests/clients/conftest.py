"""Clients that are there, or a reason to skip."""

import gc
import importlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Client = Callable[[str], Any]


@pytest.fixture(scope="session")
def client() -> Client:
    """Import a module of an official client; without it a test is skipped, in CI it fails."""

    def load(module: str) -> Any:
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as missing:
            reason = f"{missing.name} is not installed; `make clients` installs it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

    return load


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Clients that nobody closes are collected here: their finalizers start tasks in a loop that runs."""
    yield
    gc.collect()
