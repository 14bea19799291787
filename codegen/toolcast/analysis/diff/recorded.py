"""Recorded calls that each change breaks: accepted by the old contract, refused by the new one."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...jsonschema.pointers import steps_of
from ...jsonschema.validator_errors import Violation
from ...project.profiles import Profiles
from ...runtime.arguments import parse_arguments
from ..recorded_calls import CallJudge, RecordedCall, RecordedCalls
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
        if each.audience == "calls":
            by_tool.setdefault(each.tool, []).append(each)
        else:
            yield each
    named = {pair.name: pair for pair in pairs}
    for tool, found in by_tool.items():
        pair = named[tool]
        if pair.old is None:
            yield from found
            continue
        recorded = calls.by_tool.get(pair.old.tool.name, {})
        broken = list(_broken(pair, pair.old, recorded, profiles))
        total = sum(recorded.values())
        places = [_place(each) for each in found if _breaks(each)]
        for change in found:
            concerned = [each for each in broken if _is_of(each, _place(change), places)]
            yield _counted(change, total, concerned) if _breaks(change) else change
        if broken:
            message = "recorded calls are refused that were accepted"
            yield _counted(pair.change(BREAKS_RECORDED, message), total, broken)


def _breaks(change: Change) -> bool:
    gone = change.rule.startswith(("tool-renamed", "tool-removed"))
    return gone or change.undecided or change.witness is not None


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
    value = parse_arguments(change.tool, shown.call.text)
    return replace(counted, witness=Witness(value=value, refusal=words[:LONGEST]))
