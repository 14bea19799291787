"""Remembering what pure functions of short texts say."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

T = TypeVar("T")

LONGEST: Final = 2_000
"""Characters of a text. What is longer is rare, and not kept alive: specs may be hostile."""


def remembered(function: Callable[[str], T], size: int = 256) -> Callable[[str], T]:
    """`function` with a memory of the last `size` short texts that it was asked about."""
    known = lru_cache(maxsize=size)(function)

    @wraps(function)
    def ask(text: str) -> T:
        return known(text) if len(text) <= LONGEST else function(text)

    return ask
