"""Remembering what pure functions of short texts say."""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

T = TypeVar("T")

LONGEST: Final = 2_000
"""Characters of a text. What is longer is rare, and not kept alive: specs may be hostile."""


def compiled(source: str) -> re.Pattern[str]:
    """`re.compile(source)`. Raises what that raises.

    `re` itself keeps hundreds of patterns, of any length: it forgets all of them after a long one.
    """
    try:
        return re.compile(source)
    finally:
        if len(source) > LONGEST:
            re.purge()


def remembered(function: Callable[[str], T], size: int = 256) -> Callable[[str], T]:
    """`function` with a memory of the last `size` short texts that it was asked about."""
    known = lru_cache(maxsize=size)(function)

    @wraps(function)
    def ask(text: str) -> T:
        return known(text) if len(text) <= LONGEST else function(text)

    return ask
