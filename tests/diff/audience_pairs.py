"""Pairs of one tool before and after, for tests of what an audience is told."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from toolcast.analysis.diff.pairs import Context, Pair, PairSide
from toolcast.analysis.diff.states import State
from toolcast.config import load_config
from toolcast.contract.build import build_tool
from toolcast.providers import load_profile
from toolcast.spec.spec_reader import read_tool

from tests.python.compiled import document

DAY = date(2026, 11, 22)
TOOL: dict[str, Any] = {
    "description": "Finds things.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string", "description": "What to find."}},
    },
}
"""A tool that tests change one key of."""


def spec(**changes: Any) -> dict[str, Any]:
    """`TOOL` with other keys; a key that is None is left out."""
    return {key: value for key, value in {**TOOL, **changes}.items() if value is not None}


def properties(*required: str, **named: Any) -> dict[str, Any]:
    return {"type": "object", "required": [*required], "properties": named, "additionalProperties": False}


def side(
    data: Mapping[str, Any], path: str = "find.json", types: Mapping[str, Any] | None = None
) -> PairSide:
    """One state of a tool, which has to compile."""
    tool, problems, _ = read_tool(document(data, path), path, frozenset(PROVIDERS))
    assert tool is not None, problems
    built = build_tool(tool, {file: document(content, file) for file, content in (types or {}).items()})
    assert built.contract is not None, built.diagnostics
    return PairSide(tool=tool, built=built)


PROVIDERS = ("openai", "openai-responses", "anthropic", "anthropic-strict", "gemini", "mcp")


def pair(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, **changes: Any) -> Pair:
    sides = [None if data is None else side(data) for data in (old, new)]
    return Pair(old=sides[0], new=sides[1], **changes)


def context(pairs: Sequence[Pair], providers: Sequence[str] = PROVIDERS, **changes: Any) -> Context:
    """What the audiences' functions receive beside these pairs."""
    config, problems = load_config(Path("/"))
    assert config is not None, problems
    states = [
        State(
            label=label,
            tools={each.tool.name: each.tool for each in sides if each is not None},
            types={},
            **{key: changes.pop(key) for key in ("listed", "unchanged") if key in changes and label == "now"},
        )
        for label, sides in (("before", [p.old for p in pairs]), ("now", [p.new for p in pairs]))
    ]
    fields: dict[str, Any] = {"config": config, "profiles": tuple(map(load_profile, providers)), "today": DAY}
    return Context(**{**fields, "old": states[0], "new": states[1], **changes})
