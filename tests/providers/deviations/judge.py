"""Each case judged: equal, or different for named reasons; and our answer by meaning and by the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

from toolwright.verify.forward import Forward
from toolwright.verify.instances import instances
from toolwright.verify.openapi import as_json_schema
from toolwright.verify.oracle import Oracle

from tests.providers.rules import CHECKERS

from .cases import Case
from .classes import CLASSES
from .compare import compare, same

TRIED, JUDGED = 24, 10
"""Values drawn for an input, and how many that it accepts are asked about."""
WITHOUT_NULL = frozenset({"cca"})
"""Targets whose rules let no type `null` remain."""
EQUAL, REORDERED = "equal", "equal up to the order of keys"
STRICT, OPEN = "strict here only", "strict there only"
MODES = {
    STRICT: "Everything survives the strict mode, by an encoding or in words; theirs gives the mode up.",
    OPEN: "The input takes what the strict mode cannot say, and theirs locks it out. The ledger has why.",
}


def sorted_into(case: Case) -> tuple[list[str], list[str]]:
    """The classes of one case, and what none explains."""
    ours = case.ours
    if ours is None:
        return [], [f"{case.id} ({case.target}): refused"]
    if case.their_strict is not None and case.their_strict != ours.strict:
        reasons = [entry for entry in ours.ledger if entry.reason.startswith("not strict: ")]
        if bool(ours.strict) != bool(reasons):
            return [STRICT if ours.strict else OPEN], []
        return [], [f"{case.id} ({case.target}): strict {ours.strict} without a reason"]
    if same(ours.schema, case.theirs):
        return [EQUAL if json.dumps(ours.schema) == json.dumps(case.theirs) else REORDERED], []
    found = compare(case, CLASSES)
    return found.classes, [f"{case.id} ({case.target}) {line}" for line in found.unexplained]


def refused(case: Case) -> list[str]:
    """What the provider's rules say against our answer."""
    if case.ours is None:
        return []
    found = CHECKERS[case.profile.id].reject(case.tool(case.ours.schema))
    return [f"{case.id} ({case.target}) {line}" for line in found]


def locked_out(cases: Iterable[Case]) -> Iterator[str]:
    """Values that an input accepts and our answer has no form for (law L2)."""
    values: dict[str, list[Any]] = {}
    for case in cases:
        if case.ours is None:
            continue
        if case.id not in values:
            oracle = Oracle(case.given)
            drawn = instances(oracle, random.Random(case.id), TRIED)
            values[case.id] = [v for v in drawn if isinstance(v, dict) and oracle.accepts(v)][:JUDGED]
        emitted = Oracle(as_json_schema(case.ours.schema))
        forward = Forward(emitted, case.ours.ways, closes=True)
        for value in values[case.id]:
            forms = [value, *([_without_null(value)] if case.target in WITHOUT_NULL else ())]
            sent = [forward.encoded(form) for form in forms]
            if not any(map(emitted.accepts, sent)):
                yield f"{case.id} ({case.target}): {value!r} as {sent!r}"
                break


def _without_null(value: Any) -> Any:
    """For a provider without null a property that is left out means null."""
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_null(child) for key, child in value.items() if child is not None}
    return value
