"""Every tool of the shared corpora under every profile: nothing refused, nothing lost silently, stable."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from toolwright.providers import SchemaError, ToolInfo, available, load_profile, normalize, tool_object

from tests.providers.laws import missing_without_entry
from tests.providers.rules import CHECKS

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")


def tools(shared: Path, corpus: str) -> list[dict[str, Any]]:
    lines = (shared / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("provider", available())
def test_no_tool_of_a_corpus_would_be_refused(shared_dir: Path, corpus: str, provider: str) -> None:
    check, profile = CHECKS[provider], load_profile(provider)
    found: list[str] = []
    refused = 0
    listed = tools(shared_dir, corpus)
    for i, tool in enumerate(listed):
        schema = tool["parameters"]
        before = copy.deepcopy(schema)
        try:
            result = normalize(schema, profile)
        except SchemaError:
            refused += 1
            continue
        info = ToolInfo(name=f"tool_{i}", description=tool["description"] or "A tool.")
        where = f"{tool['name']}: "
        found += [where + finding for finding in check(tool_object(info, profile, result))]
        found += [where + finding for finding in missing_without_entry(schema, result)]
        if normalize(result.schema, profile).schema != result.schema:
            found.append(where + "normalising twice changes it")
        assert schema == before
    assert found == []
    assert refused <= len(listed) // 50
