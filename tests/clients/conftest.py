"""Clients that are there, or a reason to skip."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.optional import load

Client = Callable[[str], Any]


@pytest.fixture(scope="session")
def client() -> Client:
    """Import a module of an official client; without it a test is skipped, in CI it fails."""
    return load


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Clients that nobody closes are collected here: their finalizers start tasks in a loop that runs."""
    yield
    gc.collect()
