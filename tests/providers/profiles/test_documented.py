"""The profiles that CONTRIBUTING.md and docs/reference/providers.md show do what is said of them."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND
from toolcast.providers import load_profile_file

ROOT = Path(__file__).resolve().parents[3]
SPEC = """
permission: read
secrets: []
description: Looks something up.
parameters:
  type: object
  required: [key]
  properties:
    key: {anyOf: [{type: string, minLength: 2}, {type: string, pattern: "^x"}]}
    page: {type: [integer, "null"]}
"""


def example() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return textwrap.dedent("   " + found[1].lstrip(" "))


def test_one_file_is_a_provider(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/look.yaml").write_text(SPEC, "utf-8")
    (tmp_path / "acme.toml").write_text(example(), "utf-8")
    table = '[tool.toolcast]\nprofiles = ["acme.toml"]\nproviders = ["acme"]\n'
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    config, problems = load_config(tmp_path)
    assert config is not None, problems
    assert build(config, FRONTEND).diagnostics == ()
    tool = json.loads((config.output / "schemas/acme/look.json").read_text("utf-8"))
    properties = tool["schema"]["properties"]
    assert (properties["key"]["type"], properties["page"]["type"]) == ("string", "integer")
    assert load_profile_file(tmp_path / "acme.toml").answers == {
        "tools": "too many tools: {length} (at most {limit})"
    }


def test_the_example_of_the_docs_is_a_profile(tmp_path: Path) -> None:
    text = (ROOT / "docs/reference/providers.md").read_text("utf-8")
    found = re.search(r"## A profile\n\n```toml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    (tmp_path / "acme.toml").write_text(found[1], "utf-8")
    profile = load_profile_file(tmp_path / "acme.toml")
    assert (profile.id, profile.limits.tools, profile.limits.depth) == ("acme", 64, None)
