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
    """Decorate a function that judges one value by several validators, so that they share the bounds of one
    call. Inside of another such function it belongs to the call of that one.
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
    """Return `re.compile(source)`. `re` itself keeps hundreds of patterns, of any length: it forgets all of
    them after a long one.
    """
    try:
        return re.compile(source)
    finally:
        if len(source) > MAX_CACHED_LENGTH:
            re.purge()


def cache_short_texts(function: Callable[[str], T], size: int = 256) -> Callable[[str], T]:
    """Decorate a pure function of a text with a bounded cache for texts of at most `MAX_CACHED_LENGTH`
    characters.
    """
    known = lru_cache(maxsize=size)(function)

    @wraps(function)
    def cached(text: str) -> T:
        return known(text) if len(text) <= MAX_CACHED_LENGTH else function(text)

    return cached
