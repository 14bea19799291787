"""The tools of the shared corpora as both languages have them, and calls of them."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.importers.imported_names import unique
from toolcast.providers import Normalized, SchemaError
from toolcast.runtime import ToolBinding
from toolcast.runtime.declaration_text.names import Language
from toolcast.runtime.declarations import declare

from ..declared_view import DeclaredView, binding, normalized_for

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
LANGUAGES: tuple[Language, ...] = ("typescript", "python")


class Tool(Struct, frozen=True):
    """A tool of a corpus, as both languages have it."""

    name: str
    parameters: dict[str, Any]
    binding: ToolBinding[Any, Any]
    normalized: Mapping[str, Normalized]


class Call(Struct, frozen=True):
    """One call of a tool in a file of calls."""

    tool: Tool
    arguments: Any
    valid: bool


def read_tools(corpus: str, every: int = 1) -> list[Tool]:
    """The tools of a corpus that have a form in both languages, under distinct names; each `every`-th."""
    lines = (SHARED / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()[::every]
    records = [json.loads(line) for line in lines]
    found: list[Tool] = []
    for name, record in zip(unique([one["name"] for one in records]), records, strict=True):
        try:
            normalized = normalized_for(record["parameters"])
            made = binding(
                name,
                record["parameters"],
                group=corpus,
                description=record.get("description") or "",
                result=record.get("output_schema"),
            )
        except SchemaError:
            continue
        found.append(Tool(name, record["parameters"], made, normalized))
    return found


def openai_json(tools: Sequence[Tool]) -> str:
    """The same tools as OpenAI's API gets them, compact."""
    return "[" + ",".join(one.binding.definition("openai").decode() for one in tools) + "]"


def declared(tools: Sequence[Tool], language: Language) -> str:
    """The tools as one text."""
    return declare(DeclaredView([one.binding for one in tools]), language)


def calls_of(tools: Sequence[Tool], each: int, seed: int) -> list[Call]:
    """`each` calls of each tool: objects only, as arguments are."""
    found: list[Call] = []
    for number, tool in enumerate(tools):
        try:
            oracle = Oracle(upgraded(tool))
        except OracleError:
            continue
        rng = random.Random(f"{seed} {number} {tool.name}")
        made = [one for one in instances(oracle, rng, 3 * each) if isinstance(one, dict)]
        rng.shuffle(made)
        found += [Call(tool, one, oracle.accepts(one)) for one in made[:each]]
    return found


def upgraded(tool: Tool) -> dict[str, Any]:
    """The contract of a tool."""
    return {"type": "object", **copy.deepcopy(tool.normalized["mcp"].schema)}


def python_names(tool: Tool) -> dict[str, str]:
    """Names of properties that Python has under others."""
    forms = tool.normalized["python"].wire_forms
    if forms is None:
        return {}
    found: dict[str, str] = {}
    pending: list[Any] = [msgspec.to_builtins(forms)]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            found.update({own: sent for sent, own in (value.get("names") or {}).items()})
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
    return found
