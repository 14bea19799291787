"""Every tool of the shared corpora under a profile, judged by that provider's rules."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcast.providers import Profile, SchemaError, ToolInfo, normalize, tool_object

from . import CHECKERS

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
SUITE = "json-schema-test-suite"
"""Every keyword in every form: hardly a real tool, but what a walk may meet."""


@dataclass
class Survey:
    """What one corpus gave under one profile. Counts are of tools; `rejected` has one line per finding."""

    provider: str
    corpus: str
    tools: int = 0
    unreadable: int = 0
    strict: int = 0
    encoded: int = 0
    rejected: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def constructs(shared: Path) -> list[dict[str, Any]]:
    """Schemas of the official suite as tools: as they are, or as the one parameter of a tool."""
    found: list[dict[str, Any]] = []
    for draft in ("draft2020-12", "draft7"):
        path = shared / "suites" / "json-schema-test-suite" / f"{draft}.jsonl"
        for number, line in enumerate(path.read_text(encoding="utf-8").rstrip("\n").split("\n")):
            record = json.loads(line)
            schema = record["parameters"]
            if record.get("needs_remote"):
                continue
            if not isinstance(schema, dict) or schema.get("type") != "object":
                if '"$ref": "#' in json.dumps(schema):
                    continue  # a pointer from the root would lead elsewhere
                schema = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
            found.append({"name": f"{draft} {number}", "description": "", "parameters": schema})
    return found


def tools(shared: Path, corpus: str, every: int = 1) -> list[dict[str, Any]]:
    if corpus == SUITE:
        return constructs(shared)[::every]
    lines = (shared / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line) for line in lines[::every]]


def survey(shared: Path, corpus: str, profile: Profile, every: int = 1) -> Survey:
    """Normalise raw schemas, wrap them, and ask the provider's checker."""
    checker, out = CHECKERS[profile.id], Survey(profile.id, corpus)
    for i, record in enumerate(tools(shared, corpus, every)):
        out.tools += 1
        try:
            result = normalize(record["parameters"], profile)
        except SchemaError:
            out.unreadable += 1
            continue
        info = ToolInfo(name=f"tool_{i}", description=record["description"] or "A tool.")
        tool = tool_object(info, profile, result)
        out.strict += bool(result.strict)
        out.encoded += result.wire_forms is not None
        out.rejected += [f"{corpus} {record['name']}: {finding}" for finding in checker.reject(tool)]
        out.counts["over limit"] += bool(checker.over_limit(tool))
        out.counts["doubted"] += bool(checker.doubts(tool))
        out.counts["partly ignored"] += bool(checker.ignored(tool))
    return out
