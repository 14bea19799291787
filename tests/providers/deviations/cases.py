"""The cases of another normaliser, each with what we make of the same input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcast.providers import (
    Normalized,
    Profile,
    SchemaError,
    ToolInfo,
    load_profile,
    normalize,
    tool_object,
)

from tests.providers.rules import CHECKERS

Schema = dict[str, Any]
INFO = ToolInfo(name="tool", description="A tool.")
TARGETS: Mapping[str, tuple[str, bool | None]] = {
    "google": ("gemini", None),
    "cca": ("cloud-code-assist", None),
    "mcp": ("mcp", None),
    "openai_responses": ("openai-responses", False),
    "openai_strict": ("openai", None),
    "anthropic": ("anthropic-strict", None),
    "moonshot": ("moonshot", None),
    "ollama": ("ollama", None),
    "grammar": ("llama-cpp", None),
}
"""The nearest profile of each of its targets, and what `strict` is asked of it."""


@dataclass(frozen=True)
class Case:
    """One input with both answers. `ours` is `None` where we refuse the input."""

    id: str
    target: str
    given: Any
    theirs: Any
    their_strict: bool | None
    ours: Normalized | None

    @property
    def profile(self) -> Profile:
        return load_profile(TARGETS[self.target][0])

    @cached_property
    def words(self) -> str:
        return json.dumps(self.given, sort_keys=True, ensure_ascii=False)

    def tool(self, schema: Any) -> dict[str, Any]:
        strict = self.ours.strict if self.ours else None
        return tool_object(INFO, self.profile, Normalized(schema=schema, strict=strict, ledger=()))

    @cached_property
    def answers(self) -> str:
        """What the provider would say to their output: refusals, then what it would not enforce."""
        checker, tool = CHECKERS[self.profile.id], self.tool(self.theirs)
        return "\n".join((*checker.reject(tool), *checker.ignored(tool), *checker.doubts(tool)))

    @cached_property
    def reported(self) -> frozenset[str]:
        """Keywords that our ledger says are not in the output as they were."""
        entries = self.ours.ledger if self.ours else ()
        return frozenset(entry.keyword for entry in entries)


def cases(shared: Path) -> list[Case]:
    path = shared / "suites" / "normalizer-cases" / "oh-my-pi-18.0.0.jsonl"
    found = []
    for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        record = json.loads(line)
        provider, strict = TARGETS[record["target"]]
        try:
            ours = normalize(record["input"], load_profile(provider), strict=strict)
        except SchemaError:
            ours = None
        theirs, their_strict = record["output"], None
        if record["target"] == "openai_strict":
            theirs, their_strict = theirs["schema"], theirs["strict"]
        found.append(Case(record["id"], record["target"], record["input"], theirs, their_strict, ours))
    return found
