"""Real tools of published servers: none is too large, too slow or too odd to be taken."""

import json
from pathlib import Path

import pytest
from toolcast.mcp import Limits, LiveTool
from toolcast.mcp.live.offered_tools import bind
from toolcast.mcp.live.server_tool import schema_size, usable
from toolcast.providers import Normalizer

PROVIDERS = ("openai", "anthropic", "gemini", "mcp")


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["github-mcp-server", "mcp-servers"])
def test_real_tools_are_taken_and_take_their_own_calls(corpus: str, shared_dir: Path) -> None:
    limits, normalizer = Limits(), Normalizer(1000)
    heaviest = calls = 0
    lines = (shared_dir / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        reported = json.loads(line)
        tool = LiveTool(
            server="s",
            name=reported["name"],
            description=reported["description"] or "",
            input_schema=reported["parameters"],
        )
        heaviest = max(heaviest, schema_size(tool.input_schema, limits.parts))
        found = usable(tool, normalizer, limits)  # raises where the tool would be refused
        assert (found.tool, found.left_out) == (tool, ())
        binding = bind(found.tool, "s__tool", "mcp/s", "execute", (), normalizer)
        for provider in PROVIDERS:
            assert binding.definition(provider)
        for call in reported.get("calls") or ():
            assert binding.decode(call) == call
            calls += 1
    assert len(lines) > 20
    assert heaviest < limits.parts / 10  # room for others
