"""Parts that an environment may lack: without one a test is skipped, and in CI it fails."""

import importlib
import os
from typing import Any

import pytest


def missing(reason: str) -> Any:
    """Skip, or in CI fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def load(module: str) -> Any:
    """Import a module of an official client or a framework, or a bridge to one."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        lacks = f"{problem.name} is not installed" if isinstance(problem, ModuleNotFoundError) else problem
    return missing(f"{lacks}; `make clients` installs it")
