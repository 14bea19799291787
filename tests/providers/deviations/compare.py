"""Two schemas node by node. Each class of deviation reduces a pair of nodes to what it does not explain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.providers.rules.nodes import LISTED, NAMED, SINGLE

from .cases import Case, Schema

Pair = tuple[Any, Any]
MAX_DEPTH = 14
"""Kept references lead round in circles; theirs end somewhere."""


@dataclass(frozen=True)
class Step:
    """Where two nodes stand, and in which case."""

    case: Case
    depth: int
    root: bool = False

    def target(self, reference: str) -> Any:
        return _target(self.case.ours.schema if self.case.ours else {}, reference)

    def their_target(self, reference: str) -> Any:
        return _target(self.case.theirs, reference)


Reduce = Callable[[Step, Any, Any], Pair | None]


@dataclass(frozen=True)
class Deviation:
    """One class. `reduce` gives the pair without what it explains, or `None` if it explains nothing."""

    name: str
    reason: str
    reduce: Reduce


@dataclass
class Comparison:
    classes: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON: `true` is not 1, and order counts only in lists."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def compare(case: Case, deviations: Iterable[Deviation]) -> Comparison:
    out = Comparison()
    assert case.ours is not None
    _nodes(Step(case, 0, root=True), case.ours.schema, case.theirs, tuple(deviations), "", out)
    out.classes = sorted(set(out.classes))
    return out


def _nodes(
    step: Step, ours: Any, theirs: Any, deviations: tuple[Deviation, ...], at: str, out: Comparison
) -> None:
    if same(ours, theirs) or step.depth > MAX_DEPTH:
        return
    applied = True
    while applied and not same(ours, theirs):
        applied = False
        for deviation in deviations:
            reduced = deviation.reduce(step, ours, theirs)
            if reduced is not None and not (same(reduced[0], ours) and same(reduced[1], theirs)):
                ours, theirs = reduced
                out.classes.append(deviation.name)
                applied = True
                break
    if same(ours, theirs):
        return
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        out.unexplained.append(f"{at}: {_short(ours)} instead of {_short(theirs)}")
        return
    below = Step(step.case, step.depth + 1)
    for key in sorted(ours.keys() | theirs.keys()):
        if key not in ours or key not in theirs:
            held = ours if key in ours else theirs
            whose = "ours" if key in ours else "theirs"
            out.unexplained.append(f"{at}/{key}: only in {whose}: {_short(held[key])}")
            continue
        parts = list(_parts(key, ours[key], theirs[key]))
        if not parts and not same(ours[key], theirs[key]):
            out.unexplained.append(f"{at}/{key}: {_short(ours[key])} instead of {_short(theirs[key])}")
        for name, one, other in parts:
            if one is None or other is None:
                out.unexplained.append(f"{at}/{key}/{name}: only in {'theirs' if one is None else 'ours'}")
            else:
                _nodes(below, one, other, deviations, f"{at}/{key}/{name}", out)


def _parts(key: str, ours: Any, theirs: Any) -> Iterator[tuple[Any, Any, Any]]:
    if key in SINGLE and not isinstance(ours, list) and not isinstance(theirs, list):
        yield "", ours, theirs
    elif key in LISTED and isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        yield from zip(range(len(ours)), ours, theirs, strict=True)
    elif key in NAMED and isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            yield name, ours.get(name), theirs.get(name)


def _target(root: Any, reference: str) -> Any:
    if not re.match(r"#(/|$)", reference):
        return None
    value = root
    for part in reference.removeprefix("#").split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~").replace("%25", "%")
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 90 else text[:87] + "..."


def both(ours: Any, theirs: Any) -> bool:
    return isinstance(ours, dict) and isinstance(theirs, dict)


def without(schema: Schema, *keys: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}
