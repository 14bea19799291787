"""The tools of the shared corpora, with values near the border of each schema, judged by jsonschema-rs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..corpora.compile import CORPORA
from ..corpora.oracle import Oracle, is_schema
from ..corpora.probes import bent, sample

CALLS, BENT = 4, 20
"""Recorded calls of a tool that are asked about, and variants of each of three bases."""
_DRAWN = 200
_LITERALS = frozenset(("const", "default", "enum", "examples"))


class Value(Struct, frozen=True):
    """Arguments as a model writes them. `accepted` is what the schema says, with no allowance.

    `allowed` differs from it only where all that is wrong is a null for an optional property. `bent` means
    that it was changed in one place.
    """

    text: str
    accepted: bool
    allowed: bool
    bent: bool = False


class Tool(Struct, frozen=True):
    """A published tool; `name` is an identifier."""

    name: str
    description: str
    parameters: dict[str, Any]
    values: tuple[Value, ...]


def records(corpora: Path, every: int) -> list[dict[str, Any]]:
    """Each `every`-th record of the corpora, in their order."""
    lines = [
        line
        for corpus in CORPORA
        for line in (corpora / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines[::every]]


def tools(listed: list[dict[str, Any]]) -> list[Tool]:
    """The tools of `listed` under the names `tool_0000`, …; no values where the schema is none."""
    return [
        Tool(
            f"tool_{number:04}",
            (record.get("description") or record["name"]).strip(),
            record["parameters"],
            tuple(_values(record)) if is_schema(record["parameters"]) else (),
        )
        for number, record in enumerate(listed)
    ]


def _values(record: dict[str, Any]) -> Iterator[Value]:
    schema = record["parameters"]
    oracle = Oracle(schema)
    calls = record.get("calls", [])[:CALLS]
    built = [sample(schema, full=True), sample(schema, full=False)]
    whole = [*calls, *(each["arguments"] for each in record.get("bad_calls", [])), *built]
    changed = []
    for base in (*built, *calls[:1]):
        drawn = list(bent(base, _DRAWN))
        changed += drawn[:: max(1, len(drawn) // BENT)][:BENT]
    found: dict[str, Value] = {}
    for number, value in enumerate((*whole, *changed)):
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, dict) and text not in found:
            accepted = oracle.accepts(value)
            found[text] = Value(text, accepted, oracle.allows(value), number >= len(whole))
    yield from found.values()


def closed(schema: Any) -> Any:
    """`schema` with every object closed that declares properties and says nothing of others.

    A property that is taken and not declared has no meaning, so that an output need not express it.
    """
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: child if key in _LITERALS else closed(child) for key, child in schema.items()}
    if isinstance(made.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return made
