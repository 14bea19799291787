"""Recorded calls that each change breaks: accepted by the old contract, refused by the new one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...jsonschema.validator_errors import Violation
from ...project.profiles import Profiles
from ...runtime.bounded_json import read_json
from ...runtime.wire.value_paths import steps_of
from ..recorded.call_files import RecordedCall, RecordedCalls
from ..recorded.call_judge import CallJudge
from .pairs import Pair, PairSide
from .rules import BREAKS_RECORDED, Change, Recorded, Witness
from .witnesses import LONGEST


class _Broken(Struct, frozen=True):
    """A call that breaks, how often it was made, and why it is refused."""

    call: RecordedCall
    times: int
    refusals: tuple[Violation, ...]


def with_recorded(
    pairs: Sequence[Pair], changes: Sequence[Change], calls: RecordedCalls, profiles: Profiles
) -> Iterator[Change]:
    """Yield the changes, those that break calls with numbers of recorded calls, and a change of
    `breaks-recorded` for each tool of which a recorded call breaks.
    """
    by_tool: dict[str, list[Change]] = {}
    for each in changes:
        proven = each.witness is not None or each.undecided or each.rule.startswith(_GONE)
        if each.audience == "calls" and proven:
            by_tool.setdefault(each.tool, []).append(each)
        else:
            yield each
    for pair in pairs:
        breaking = by_tool.pop(pair.name, [])
        if pair.old is None or not breaking:
            yield from breaking
            continue
        recorded = calls.by_tool.get(pair.old.tool.name, {})
        broken = list(_broken(pair, pair.old, recorded, profiles))
        total = sum(recorded.values())
        places = [_place(each) for each in breaking]
        for change, place in zip(breaking, places, strict=True):
            yield _counted(change, total, [each for each in broken if _is_of(each, place, places)])
        if broken:
            message = "recorded calls are refused that were accepted"
            yield _counted(pair.change(BREAKS_RECORDED, message), total, broken)


_GONE: Final = ("tool-renamed", "tool-removed")


def _broken(
    pair: Pair, old: PairSide, recorded: Mapping[RecordedCall, int], profiles: Profiles
) -> Iterator[_Broken]:
    if not recorded:
        return
    before = CallJudge(old.tool, old.built, profiles)
    gone = (Violation("$", f"there is no tool called `{old.tool.name}`", ""),)
    there = pair.new is not None and not pair.renamed_from
    after = CallJudge(pair.new.tool, pair.new.built, profiles) if pair.new is not None and there else None
    for call, times in recorded.items():
        refusals = gone if after is None else after.violations(call)
        if refusals and not before.violations(call):
            yield _Broken(call, times, refusals)


def _place(change: Change) -> str:
    """Return the innermost property at which a contract changed; empty for the whole object."""
    steps = change.pointer.split("/")
    at = [index for index, step in enumerate(steps[:-1]) if step == "properties"]
    return steps[at[-1] + 1].replace("~1", "/").replace("~0", "~") if at else ""


def _is_of(broken: _Broken, place: str, places: Sequence[str]) -> bool:
    """Tell whether a change at a place may be why a call is refused. A refusal that names no changed place,
    as of a union, counts for every change.
    """
    named = {each for each in places if each and any(_is_about(refusal, each) for refusal in broken.refusals)}
    return not place or not named or place in named


def _is_about(refusal: Violation, name: str) -> bool:
    return f"`{name}`" in refusal.message or name in (steps_of(refusal.path) or ())


def _counted(change: Change, total: int, broken: Sequence[_Broken]) -> Change:
    counted = replace(change, recorded=Recorded(calls=total, broken=sum(each.times for each in broken)))
    if not broken:
        return counted
    shown = min(broken, key=lambda each: (len(each.call.text), repr(each.call)))
    place = _place(change)
    refusal = next((each for each in shown.refusals if _is_about(each, place)), shown.refusals[0])
    words = f"{refusal.path}: {refusal.message}" if refusal.keyword else refusal.message
    return replace(counted, witness=Witness(value=_written(shown.call), refusal=words[:LONGEST]))


def _written(call: RecordedCall) -> object:
    """Return arguments that one contract accepted, so they are JSON."""
    return read_json(call.text) if call.text.strip() else {}
