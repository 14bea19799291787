"""A process that can open no file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")


@contextmanager
def without_descriptors() -> Iterator[None]:
    """No file can be opened meanwhile."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
