"""What is sent to providers by pydantic-ai and, as recorded, by oh-my-pi, beside `normalize`."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.providers.anthropic import AnthropicJsonSchemaTransformer
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.providers import Normalized, load_profile, tool_object

from tests.providers.deviations.cases import TARGETS, Case, cases
from tests.providers.deviations.judge import WITHOUT_NULL

from ..corpora.oracle import Oracle as _Oracle
from ..peers.construct import Construct
from ..peers.judge import Judged, Output, Verdict, judged
from ..peers.ours import TOOL
from ..peers.ours import verdict as ours
from .values import Tool, closed

VALID, INVALID = 6, 12
"""Values of a schema that are judged, on each side."""
_DRAWN = 40
_LONG_NUMBER = re.compile(r"(?<![\w.])\d{19,}|e\+?\d{2,}")
"""What llguidance cannot read: numbers of more than 64 bits."""


class Row(Struct, frozen=True):
    """How many schemas of one output got each verdict."""

    output: str
    counts: dict[Verdict, int]


def real(tools: Iterable[Tool]) -> list[Row]:
    """pydantic-ai's outputs and ours for the tools that have values."""
    listed = [each for tool in tools if (each := _construct(tool)).valid]
    rows = []
    for provider, transform in _TRANSFORMS.items():
        theirs = [_apart(provider, transform, each) for each in listed]
        mine = [ours(load_profile(provider), each) for each in listed]
        rows += [_row(f"pydantic-ai, `{provider}`", theirs), _row(f"toolcast, `{provider}`", mine)]
    return rows


def recorded(shared: Path) -> list[Row]:
    """oh-my-pi's recorded answers and ours to the same inputs, for each of its targets.

    No grammar is asked about strict schemas: of one number it takes only some of the ways to write it.
    """
    listed = cases(shared)
    constructs = {case.id: _drawn(case) for case in listed}
    rows = []
    for target, (profile, _) in TARGETS.items():
        asked = [(case, constructs[case.id]) for case in listed if case.target == target]
        known = [(case, each) for case, each in asked if each is not None]
        if target in WITHOUT_NULL:
            known = [(case, kept) for case, each in known if (kept := _without_null(each)).valid]
        theirs = [judged(each, _recorded(case)) for case, each in known]
        mine = [_ours(case, each) for case, each in known]
        rows += [_row(f"oh-my-pi, {target}", theirs), _row(f"toolcast, `{profile}`", mine)]
    return rows


def _construct(tool: Tool) -> Construct:
    if not tool.values:
        return Construct(tool.name, tool.parameters, (), ())
    declared = _Oracle(closed(tool.parameters))
    taken = [json.loads(value.text) for value in tool.values if value.accepted and not value.bent]
    valid = [value for value in taken if declared.accepts(value)][:VALID]
    invalid = [json.loads(value.text) for value in tool.values if not value.allowed][:INVALID]
    return Construct(tool.name, tool.parameters, tuple(valid), tuple(invalid))


def _apart(provider: str, transform: _Transform, construct: Construct) -> Judged:
    try:
        schema, strict = transform(deepcopy(construct.schema))
    except Exception as fault:  # whatever a transformer raises is its verdict
        return Judged("raises", f"{type(fault).__name__}: {str(fault)[:120]}")
    made = Normalized(schema=schema, strict=strict, ledger=())
    tool = tool_object(TOOL, load_profile(provider), made)
    return judged(construct, Output(profile=provider, tool=tool, schema=schema, strict=strict))


_Transform = Callable[[dict[str, Any]], tuple[dict[str, Any], bool | None]]


def _openai(schema: dict[str, Any]) -> tuple[dict[str, Any], bool | None]:
    walk = OpenAIJsonSchemaTransformer(schema, strict=None)
    made = walk.walk()
    return made, walk.is_strict_compatible


_TRANSFORMS: Mapping[str, _Transform] = {
    "openai": _openai,
    "anthropic": lambda schema: (AnthropicJsonSchemaTransformer(schema, strict=None).walk(), None),
    "gemini-json-schema": lambda schema: (GoogleJsonSchemaTransformer(schema, strict=None).walk(), None),
}


def _drawn(case: Case) -> Construct | None:
    """The input with values on both sides; None where nothing fits it, or no judge can read it."""
    if _LONG_NUMBER.search(case.words):
        return None
    try:
        oracle = Oracle(case.given)
    except OracleError:
        return None
    values = [v for v in instances(oracle, random.Random(case.id), _DRAWN) if isinstance(v, dict)]
    declared = Oracle(closed(case.given))
    valid = tuple(value for value in values if oracle.accepts(value) and declared.accepts(value))[:VALID]
    invalid = tuple(value for value in values if not oracle.accepts(value))[:INVALID]
    return Construct(case.id, case.given, valid, invalid) if valid else None


def _without_null(construct: Construct) -> Construct:
    """The construct without values that have a null, which such a provider has no word for."""
    kept = tuple(value for value in construct.valid if b"null" not in msgspec.json.encode(value))
    return Construct(construct.name, construct.schema, kept, construct.invalid)


def _recorded(case: Case) -> Output:
    tool = case.tool(case.theirs)
    return Output(profile=case.profile.id, tool=tool, schema=case.theirs, strict=None)


def _ours(case: Case, construct: Construct) -> Judged:
    made = case.ours
    if made is None:
        return Judged("raises", "refused")
    output = Output(
        profile=case.profile.id, tool=case.tool(made.schema), schema=made.schema, strict=None,
        wire_forms=made.wire_forms, ledger=made.ledger,
    )  # fmt: skip
    return judged(construct, output)


def _row(output: str, found: list[Judged]) -> Row:
    return Row(output, dict(Counter(each.verdict for each in found)))
