"""What the peers make of every construct, judged like ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .construct import Construct
from .judge import Judged, Output, judged
from .ours import TOOL, Results
from .plain import plain
from .transforms import PEERS, Declined, Peer, apart

_HEAD = {"name": TOOL.name, "description": TOOL.description}
ENVELOPES: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "openai": lambda schema: {
        "type": "function",
        "function": {**_HEAD, "parameters": schema, "strict": True},
    },
    "anthropic-strict": lambda schema: {**_HEAD, "input_schema": schema, "strict": True},
    "gemini": lambda schema: {**_HEAD, "parameters": schema},
}
"""The tool objects around the peers' schemas."""


def peers(constructs: Iterable[Construct]) -> Results:
    """By peer, by construct."""
    listed = tuple(constructs)
    return {peer.name: {each.name: verdict(peer, each) for each in listed} for peer in PEERS}


def verdict(peer: Peer, construct: Construct) -> Judged:
    """What one peer's output for one construct is worth."""
    try:
        schema = plain(apart(peer, construct.schema))
    except Declined:
        return Judged("declines", strict=False)
    except Exception as fault:  # whatever a transformer raises is its verdict
        return Judged("raises", f"{type(fault).__name__}: {str(fault)[:120]}")
    tool = ENVELOPES[peer.profile](schema)
    return judged(construct, Output(profile=peer.profile, tool=tool, schema=schema, strict=peer.strict))
