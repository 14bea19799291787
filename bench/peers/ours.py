"""What `normalize` makes of every construct, for each profile, judged. Needs no peer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolcast.providers import Profile, ToolInfo, available, load_profile, normalize, tool_object

from .construct import Construct
from .judge import Judged, Output, judged

TOOL = ToolInfo(name="tool", description="Does a thing.")
Results = Mapping[str, Mapping[str, Judged]]
"""By output, by construct."""


def ours(constructs: Iterable[Construct]) -> Results:
    """By profile, by construct."""
    listed = tuple(constructs)
    return {id: {each.name: verdict(load_profile(id), each) for each in listed} for id in available()}


def verdict(profile: Profile, construct: Construct) -> Judged:
    """What one profile's output for one construct is worth."""
    try:
        made = normalize(construct.schema, profile)
    except Exception as fault:  # whatever a transformer raises is its verdict, here as with peers
        return Judged("raises", f"{type(fault).__name__}: {str(fault)[:120]}")
    output = Output(
        profile=profile.id,
        tool=tool_object(TOOL, profile, made),
        schema=made.schema,
        strict=made.strict,
        wire_forms=made.wire_forms,
        ledger=made.ledger,
    )
    return judged(construct, output)
