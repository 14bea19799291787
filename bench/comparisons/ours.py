"""The tools compiled by toolcast, as `toolcast import tools` and `toolcast generate` make them."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.runtime import ArgumentError

from ..corpora.compile import compile_corpus
from .contestant import Contestant, Made, contest
from .values import Tool


class Definitions(Struct, frozen=True):
    """What is sent of each tool, as compact JSON."""

    openai: dict[str, str]
    mcp: dict[str, str]


def toolcast(
    tools: list[Tool], records: list[dict[str, Any]], folder: Path
) -> tuple[Contestant, Definitions]:
    """Compile all of them in a project in `folder`, and answer."""
    file = folder / "tools.jsonl"
    lines = (json.dumps({**record, "name": tool.name}) for tool, record in zip(tools, records, strict=True))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    outcome = compile_corpus(file, folder / "project")
    if outcome.faults:
        raise RuntimeError("; ".join(outcome.faults))
    sys.path.insert(0, str(folder / "project"))
    bindings = importlib.import_module("generated.registry").BINDINGS

    def make(tool: Tool) -> Made:
        binding = bindings[tool.name]
        schema = json.loads(binding.definition("mcp"))["inputSchema"]
        return Made(binding.decode, _refusal_text, schema, binding.definition("openai").decode())

    sent = {
        provider: {name: bindings[name].definition(provider).decode() for name in outcome.compiled}
        for provider in ("openai", "mcp")
    }
    return contest("toolcast", tools, make), Definitions(**sent)


def _refusal_text(refused: Exception) -> str:
    if not isinstance(refused, ArgumentError):
        raise refused
    return str(refused)
