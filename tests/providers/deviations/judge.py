"""Each case judged: equal, or different for named reasons; and our answer by meaning and by the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, asserted_formats
from toolcast.analysis.verify.provider_laws import WireEncoder
from toolcast.jsonschema.validator_errors import UnsupportedSchema
from toolcast.providers import Normalizer, decode
from toolcast.providers.ledger import NOT_STRICT
from toolcast.providers.schema_judge import as_json_schema
from toolcast.runtime import ArgumentError

from tests.providers.rules import CHECKERS

from .cases import TARGETS, Case
from .classes import CLASSES
from .compare import compare, same

TRIED, JUDGED = 24, 6
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
        reasons = [entry for entry in ours.ledger if entry.reason.startswith(NOT_STRICT)]
        if bool(ours.strict) != bool(reasons):
            return [STRICT if ours.strict else OPEN], []
        return [], [f"{case.id} ({case.target}): strict {ours.strict} without a reason"]
    if same(ours.schema, case.theirs):
        return [EQUAL if json.dumps(ours.schema) == json.dumps(case.theirs) else REORDERED], []
    found = compare(case, CLASSES)
    return found.classes, [f"{case.id} ({case.target}) {line}" for line in found.unexplained]


def refused(case: Case) -> list[str]:
    if case.ours is None:
        return []
    found = CHECKERS[case.profile.id].reject(case.tool(case.ours.schema))
    return [f"{case.id} ({case.target}) {line}" for line in found]


def lost_values(cases: Iterable[Case], every: int = 1) -> Iterator[str]:
    """Of each `every`-th input: values that it accepts and our answer has no form for (law L2), or whose form
    decodes to what the input refuses (law L3)."""
    values: dict[str, list[Any]] = {}
    oracles: dict[str, Oracle] = {}
    places: dict[str, int] = {}
    normalizer = Normalizer(4096)
    for case in cases:
        place = places.setdefault(case.id, len(places))
        if case.ours is None or place % every != every - 1:
            continue
        if case.id not in values:
            oracle = oracles[case.id] = Oracle(case.given, formats=asserted_formats())
            drawn = instances(oracle, random.Random(case.id), TRIED)
            values[case.id] = [v for v in drawn if isinstance(v, dict) and oracle.accepts(v)][:JUDGED]
        emitted = Oracle(as_json_schema(case.ours.schema))
        forward = WireEncoder(emitted, case.ours.wire_forms, closes=True)
        exact = WireEncoder(emitted, case.ours.wire_forms)
        for value in values[case.id]:
            forms = [value, *([_without_null(value)] if case.target in WITHOUT_NULL else ())]
            sent = [forward.encoded(form) for form in forms]
            taken = [each for each in sent if emitted.accepts(each)]
            if not taken:
                yield f"{case.id} ({case.target}): no form for {value!r}; tried {sent!r}"
                break
            if not emitted.accepts(exact.encoded(value)) and case.target not in WITHOUT_NULL:
                continue  # keys without a meaning were left out, and with them perhaps a difference
            back = _decoded(case, taken[0], normalizer)
            if not oracles[case.id].accepts(back):
                yield f"{case.id} ({case.target}): {value!r} as {taken[0]!r} decodes to {back!r}"
                break


def _decoded(case: Case, sent: Any, normalizer: Normalizer) -> Any:
    provider, strict = TARGETS[case.target]
    try:
        return decode(sent, provider, schema=case.given, strict=strict, normalizer=normalizer)
    except (ArgumentError, UnsupportedSchema) as error:
        return f"{type(error).__name__}: {error}"


def _without_null(value: Any) -> Any:
    """For a provider without null a property that is left out means null."""
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_null(child) for key, child in value.items() if child is not None}
    return value
