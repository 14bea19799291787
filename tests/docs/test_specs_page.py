"""The specs that docs/reference/specs.md shows compile."""

import json
import re
from typing import Any

import pytest
import toolcast
import yaml

from .links import DOCS

PAGE = (DOCS / "reference" / "specs.md").read_text("utf-8")
BLOCKS: list[dict[str, Any]] = [
    yaml.safe_load(each) for each in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
]
BASE: dict[str, Any] = {"description": "Does what it is asked for.", "permission": "read", "secrets": []}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: "-".join(block))
def test_the_blocks_compile(block: dict[str, Any]) -> None:
    """A block is a spec, or some keys of one."""
    spec = yaml.safe_dump({**BASE, **block}, sort_keys=False).encode()
    compiled = toolcast.compile({"files/edit.yaml": spec})
    assert compiled.diagnostics == ()


def test_the_first_block_is_a_spec() -> None:
    spec = yaml.safe_dump(BLOCKS[0], sort_keys=False).encode()
    assert toolcast.compile({"files/edit.yaml": spec}).diagnostics == ()


def test_the_cases_of_the_larger_spec_are_told_apart_by_a_tag_and_sent_in_strict_mode() -> None:
    spec = yaml.safe_dump(BLOCKS[1], sort_keys=False).encode()
    files = toolcast.compile({"github/write_comment.yaml": spec}, providers=("openai",)).files
    module = files["github/write_comment.py"].decode()
    assert "Add | Edit | Delete" in module
    assert module.count('tag_field="method"') == 3
    assert "class WriteCommentResult(" in module
    definition = json.loads(files["schemas/openai/write_comment.json"])
    assert definition["function"]["strict"] is True
