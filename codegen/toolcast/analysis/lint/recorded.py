"""Refusals of recorded calls, by tool, parameter and keyword: what models get wrong."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from ...jsonschema.pointers import Steps, steps_of, value_at
from ...jsonschema.validator_errors import Violation
from ...project.profiles import Profiles
from ...runtime.errors import ArgumentError
from ...runtime.unicode_text import escape_control
from ..recorded_calls import CallJudge, RecordedCall, RecordedCalls
from .finding import Finding
from .linted_tool import LintedTool

_MOST: Final = 20
"""Findings about one tool: names that models make up are without number."""
_VALUES: Final = 3
_LONGEST: Final = 60
_Key = tuple[tuple[str, ...], str]
"""Names of properties, "[]" for items, and a keyword."""


def refused_calls(subject: LintedTool, calls: RecordedCalls, profiles: Profiles) -> Iterator[Finding]:
    """Yield a finding for each parameter and keyword by which recorded calls are refused, the most first."""
    recorded = calls.by_tool.get(subject.tool.name, {})
    total = sum(recorded.values())
    judge = CallJudge(subject.tool, subject.built, profiles)
    refused: Counter[_Key] = Counter()
    values: dict[_Key, Counter[str]] = {}
    for call, times in recorded.items():
        found = {_key(each): each for each in reversed(judge.violations(call))}
        refused.update(dict.fromkeys(found, times))
        for key, violation in found.items():
            values.setdefault(key, Counter())[_value(judge, call, violation)] += times
    for (names, keyword), number in refused.most_common(_MOST):
        what = f"`{'.'.join(names).replace('.[]', '[]')}`" if names else "the arguments"
        shown = [value for value, _ in values[names, keyword].most_common(_VALUES + 1) if value][:_VALUES]
        told = f": {', '.join(shown)}" if shown else ""
        message = f"{what} refused in {number:,} of {total:,} recorded calls ({keyword}){told}"
        steps = [step for name in names for step in (("items",) if name == "[]" else ("properties", name))]
        fix = f"say in the description of {what} what fits" if names else "say in the description what fits"
        yield subject.finding("refused-calls", message, fix, schema=(*steps, "description"))


def _key(violation: Violation) -> _Key:
    steps = steps_of(violation.path) or ()
    names = ["[]" if isinstance(step, int) else step for step in steps]
    if violation.keyword == "required" and isinstance(violation.expected, str):
        names.append(violation.expected)
    return tuple(names), violation.keyword


def _value(judge: CallJudge, call: RecordedCall, violation: Violation) -> str:
    """Return the refused value as JSON; empty for one that is missing, or a whole call."""
    steps: Steps = steps_of(violation.path) or ()
    if not steps or violation.keyword == "required":
        return ""
    try:
        text = msgspec.json.encode(value_at(judge.value(call), steps)).decode()
    except (ArgumentError, LookupError):
        return ""
    return escape_control(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
