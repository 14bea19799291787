"""Bounded caches for regular expressions and other pure functions of short texts; the cache of one call."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_CACHED_LENGTH: Final = 2_000
"""Characters of a text that is cached. Longer ones are rare, and may be hostile."""

CALL: Final[ContextVar[dict[Any, Any] | None]] = ContextVar("call", default=None)
"""The state that the validators of one call share, by its type; None outside of a call."""


def in_one_call(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that judges one value by several validators: they share the bounds of one call.

    Args:
        function: the function.

    Returns:
        The function; inside of another such function it belongs to the call of that one.
    """

    @wraps(function)
    def judged(*args: P.args, **kwargs: P.kwargs) -> T:
        if CALL.get() is not None:
            return function(*args, **kwargs)
        before = CALL.set({})
        try:
            return function(*args, **kwargs)
        finally:
            CALL.reset(before)

    return judged


def compile_regex(source: str) -> re.Pattern[str]:
    """`re.compile(source)`. Raises what that raises.

    `re` itself keeps hundreds of patterns, of any length: it forgets all of them after a long one.
    """
    try:
        return re.compile(source)
    finally:
        if len(source) > MAX_CACHED_LENGTH:
            re.purge()


def cache_short_texts(function: Callable[[str], T], size: int = 256) -> Callable[[str], T]:
    """Decorate a pure function of a text with a bounded cache.

    Args:
        function: the function.
        size: results that are kept.

    Returns:
        The function; its results for texts of at most `MAX_CACHED_LENGTH` characters are cached.
    """
    known = lru_cache(maxsize=size)(function)

    @wraps(function)
    def cached(text: str) -> T:
        return known(text) if len(text) <= MAX_CACHED_LENGTH else function(text)

    return cached
