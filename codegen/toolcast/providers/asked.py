"""What a walk asks of its dialect, written down while it asks.

A walk knows its dialect by what it reads of it: values of axes, what the table says of a keyword, whether
sets of keywords hold those of a node. Another dialect that answers all of that alike is walked alike. Nothing
but these questions can be asked of what stands here for a dialect: anything else raises, so none is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Never

from .dialect import Dialect
from .operations import Op
from .rules import HINTS, Rules

Trace = tuple[int, int, tuple[tuple[str, frozenset[str]], ...]]
"""The axes and the rules that were read, as bits, and the keywords that a rule was asked about."""


class _Attribute:
    """Fetches a value when it is first read, and writes that down; from then on it stands in the instance."""

    __slots__ = ("bit", "name")

    def __init__(self, name: str, bit: int) -> None:
        self.name, self.bit = name, bit

    def __get__(self, asked: Any, _: type) -> Any:
        held = asked.__dict__
        value = getattr(held["_real"], self.name)
        held["_read"] |= self.bit
        if value.__class__ is frozenset:
            value = held["_about"][self.name] = _Keywords(value)
        elif value.__class__ is dict:
            value = held["_about"][self.name] = _Table(value, held["_real"].other)
        held[self.name] = value
        return value


def _refused(*_: object) -> Never:
    raise TypeError("a dialect that is walked is known by its axes alone")


def _standing_for(names: Iterable[str]) -> Any:
    """A class whose instances stand for an object with these attributes."""
    methods = ("eq", "ne", "hash", "setattr", "delattr", "iter", "bool", "len", "contains", "reduce_ex")
    body: dict[str, Any] = {f"__{method}__": _refused for method in methods}
    body |= {name: _Attribute(name, 1 << i) for i, name in enumerate(names)}
    return type("Asked", (), body)


_AXES = Dialect.__struct_fields__
_RULES = tuple(sorted({*Rules.__slots__} - {"dialect", "other", *HINTS}))
_AskedDialect, _AskedRules = _standing_for(_AXES), _standing_for(_RULES)
_GIVEN = {**dict.fromkeys(HINTS, True), "other": None}  # the other operation: the table knows it


def asked(rules: Rules) -> Any:
    """What stands for `rules` in one walk, and its `dialect` for theirs."""
    dialect, made = _AskedDialect(), _AskedRules()
    dialect.__dict__.update(_real=rules.dialect, _read=0)
    made.__dict__.update(_GIVEN, _real=rules, _read=0, _about={}, dialect=dialect)
    return made


class _Keywords:
    """Stands for a set of keywords, and knows all that it was asked about."""

    __slots__ = ("_real", "about")

    def __init__(self, real: frozenset[str]) -> None:
        self._real = real
        self.about: set[str] = set()

    def issuperset(self, keywords: Iterable[str]) -> bool:
        self.about.update(keywords)
        return self._real.issuperset(keywords)

    def isdisjoint(self, keywords: Iterable[str]) -> bool:
        self.about.update(keywords)
        return self._real.isdisjoint(keywords)


class _Table:
    """Stands for the table of operations."""

    __slots__ = ("about", "get")

    def __init__(self, real: dict[str, Op | None], other: Op | None) -> None:
        self.about = about = set[str]()
        add, find = about.add, real.get

        def get(keyword: str, _: object) -> Op | None:
            add(keyword)
            return find(keyword, other)

        self.get: Callable[[str, Op | None], Op | None] = get


def trace(rules: Any) -> Trace:
    """All that a walk asked of what `asked` made for it."""
    held = rules.__dict__
    about = tuple([(name, frozenset(each.about)) for name, each in held["_about"].items()])
    return held["dialect"].__dict__["_read"], held["_read"], about


def agree(one: Rules, other: Rules, asked: Trace) -> bool:
    """Whether two dialects answer alike to all that was asked."""
    axes, names, about = asked
    keywords = dict(about)
    return all(
        _same(one.dialect, other.dialect, axis) for i, axis in enumerate(_AXES) if axes >> i & 1
    ) and all(_alike(one, other, name, keywords.get(name)) for i, name in enumerate(_RULES) if names >> i & 1)


def _same(one: object, other: object, name: str) -> bool:
    left, right = getattr(one, name), getattr(other, name)
    return left is right or (left == right and repr(left) == repr(right))  # 1, 1.0 and true are not the same


def _alike(one: Rules, other: Rules, name: str, keywords: frozenset[str] | None) -> bool:
    if keywords is None:
        return _same(one, other, name)
    if name == "ops":
        return all(one.ops.get(key, one.other) is other.ops.get(key, other.other) for key in keywords)
    left, right = getattr(one, name), getattr(other, name)
    return bool(left & keywords == right & keywords)
