"""The specs that docs/reference/specs.md shows compile."""

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
    assert [each for each in compiled.diagnostics if each.severity == "error"] == []


def test_the_first_block_is_a_spec() -> None:
    spec = yaml.safe_dump(BLOCKS[0], sort_keys=False).encode()
    assert toolcast.compile({"files/edit.yaml": spec}).diagnostics == ()
