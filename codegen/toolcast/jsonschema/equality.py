"""Equality of JSON values."""

# ruff: noqa: SIM110  # loops run in half the time of generators

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, and true does not equal 1. Recurses as deep as
    the shallower one.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        for name, item in left.items():
            if name not in right or not equal(item, right[name]):
                return False
        return True
    if isinstance(left, (list, tuple)):
        if not isinstance(right, (list, tuple)) or len(left) != len(right):
            return False
        for ours, theirs in zip(left, right, strict=True):
            if not equal(ours, theirs):
                return False
        return True
    if isinstance(right, (dict, list, tuple)):
        return False
    return bool(left == right)


_TRUE, _FALSE = object(), object()  # True == 1 in Python, never in JSON


def key(value: Any) -> Hashable:
    """Return a hashable key that two JSON values share exactly when they are `equal`. Python compares int
    with float exactly: 1 equals 1.0, and 2**53 + 1 does not equal 2.0**53.
    """
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if value is True:
        return _TRUE
    if value is False:
        return _FALSE
    if isinstance(value, dict):
        return ("{", frozenset([(name, _inner(item)) for name, item in value.items()]))
    if isinstance(value, (list, tuple)):
        return ("[", *[_inner(item) for item in value])
    if isinstance(value, (int, float)) and not _LOW < value < _HIGH:
        return _inner(value)
    return value  # type: ignore[no-any-return]


_LOW, _HIGH = -(2**63), 2**63


def _inner(value: object) -> Hashable:
    """The key of a part, or of a large number. Python's hashes of numbers, and of tuples of numbers, follow
    a known rule: a hostile array could hold any number of items that share one. Those of strings do not."""
    if isinstance(value, (int, float)) and value is not True and value is not False:
        if isinstance(value, int):
            return ("#", hex(value))
        return ("#", hex(int(value)) if value.is_integer() else value.hex())
    return key(value)
