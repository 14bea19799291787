"""The specs that pages of docs/reference show compile; what pages say of keys, specs may say."""

import json
import re
from typing import Any

import pytest
import toolcast
import yaml
from toolcast.runtime.result_text import result_text

from .links import DOCS

PAGE = (DOCS / "reference" / "specs.md").read_text("utf-8")
BLOCKS: list[dict[str, Any]] = [
    yaml.safe_load(each) for each in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
]
MADE = "spec-keys.md"  # from the source; its examples are parts of one spec
OTHERS = [
    yaml.safe_load(each)
    for page in sorted((DOCS / "reference").glob("*.md"))
    if page.name not in ("specs.md", MADE)
    for each in re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    if re.search(r"^(description|lint|diff|verify):", each, re.MULTILINE)
]
BASE: dict[str, Any] = {"description": "Does what it is asked for.", "permission": "read", "secrets": []}


@pytest.mark.parametrize("block", [*BLOCKS, *OTHERS], ids=lambda block: "-".join(block))
def test_the_blocks_compile(block: dict[str, Any]) -> None:
    """A block is a spec, or some keys of one."""
    spec = yaml.safe_dump({**BASE, **block}, sort_keys=False).encode()
    compiled = toolcast.compile({"files/edit.yaml": spec})
    assert compiled.diagnostics == ()


def test_members_of_keys_stand_within_their_keys() -> None:
    """In code within a line, too: `annotations: {idempotent: true}`; `idempotent` is no key of a spec."""
    text = (DOCS / "reference" / MADE).read_text("utf-8")
    members = {*re.findall(r"^\| `\w+\.(\w+)` \| true or false", text, re.MULTILINE)}
    members -= {*re.findall(r"^## (\w+)", text, re.MULTILINE)}
    assert {"idempotent", "destructive", "open_world"} <= members
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        written = re.findall(r"`(\w+): (?:true|false)`", page.read_text("utf-8"))
        assert members.isdisjoint(written), page


def test_the_texts_of_a_result_are_what_the_page_shows() -> None:
    shown = {*re.findall(r"^```(?:json|text)\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)}
    rows = [{"id": 1, "name": "one", "etag": "a"}, {"id": 2, "name": "two", "etag": "b"}]
    made = [
        result_text(block["text"]).write({"title": "Orders", "rows": rows})
        for block in BLOCKS
        if "text" in block
    ]
    assert len(made) == 2
    assert shown.issuperset(made)


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
