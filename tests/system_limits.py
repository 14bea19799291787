"""A process that can open no file, or write none that is large."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")


@contextmanager
def limited(name: str, value: int) -> Iterator[None]:
    """Hold this process to a limit of `resource`, such as `RLIMIT_FSIZE`: bytes of a file."""
    import resource

    kind = getattr(resource, name)
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


@contextmanager
def without_descriptors() -> Iterator[None]:
    """No file can be opened meanwhile."""
    with limited("RLIMIT_NOFILE", 0):
        yield
