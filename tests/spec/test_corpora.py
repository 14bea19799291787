"""Real tool definitions as specs, in both formats."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_names import NAME

from tests.spec.helper import PROVIDERS, read

pytestmark = pytest.mark.corpora


class Dumper(yaml.CSafeDumper):
    """Quotes every text: PyYAML's own rules are YAML 1.1's."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  (PyYAML's signature)
        return True


Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def records(shared: Path) -> Iterator[dict[str, Any]]:
    for file in sorted((shared / "corpora").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def test_real_tools_read_the_same_from_both_formats(shared_dir: Path) -> None:
    count = 0
    for index, record in enumerate(records(shared_dir)):
        spec = {
            "name": record["name"] if NAME.fullmatch(record["name"]) else "tool",
            "description": record.get("description") or "None given.",
            "permission": "network",
            "secrets": [],
            "parameters": {**record["parameters"], "type": "object"},
        }
        as_json = read(json.dumps(spec, indent=2), "json")
        assert as_json.data == spec
        tool, found, _ = read_tool(as_json, "g/tool.json", PROVIDERS)
        assert found == ()
        assert tool is not None
        assert tool.summary
        assert "\n" not in tool.summary
        if index % 10 == 0:  # dumping YAML is slow
            text = yaml.dump(spec, Dumper=Dumper, allow_unicode=True, sort_keys=False)
            assert json.dumps(read(text).data) == json.dumps(spec)
        count += 1
    assert count > 1000


def test_json_reads_as_the_standard_library_reads_it(shared_dir: Path) -> None:
    lines = [
        line
        for file in sorted((shared_dir / "suites" / "json-schema-test-suite").glob("*.jsonl"))
        for line in file.read_bytes().splitlines()
    ]
    assert len(lines) > 100
    for line in lines:
        assert read(line, "json").data == json.loads(line)
