"""`toolcast show` and `toolcast lint --tokens` for a language: the declaration, and what it costs."""

import json
import subprocess
import sys
from pathlib import Path

SPEC = """
name: look
description: Looks something up.
permission: read
secrets: []
parameters:
  type: object
  additionalProperties: false
  properties:
    limit: {type: integer, minimum: 1, default: 3}
"""


def run(folder: Path, *arguments: str) -> str:
    (folder / "specs" / "find").mkdir(parents=True, exist_ok=True)
    (folder / "specs" / "find" / "look.yaml").write_text(SPEC, "utf-8")
    (folder / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai", "python"]\n', "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "toolcast", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_show_prints_the_declaration(tmp_path: Path) -> None:
    assert run(tmp_path, "show", "look", "--provider", "typescript") == (
        "// Looks something up.\n"
        "declare function look(args?: {\n"
        "  limit?: integer; // Must be at least 1. Default: 3.\n"
        "}): Promise<string>;\n"
    )
    assert run(tmp_path, "show", "look", "--provider", "python") == (
        "async def look(\n"
        " *,\n"
        " limit: int = 3, # Must be at least 1.\n"
        ") -> str:\n"
        ' """Looks something up."""\n'
    )


def test_show_prints_the_definition_as_json(tmp_path: Path) -> None:
    shown = json.loads(run(tmp_path, "show", "look", "--provider", "python", "--format", "json"))
    assert shown["parameters"]["properties"]["limit"]["description"] == "Must be at least 1."


def test_lint_counts_the_tokens_of_the_declaration(tmp_path: Path) -> None:
    counted = json.loads(run(tmp_path, "lint", "--tokens", "--format", "json"))
    full = {one["provider"]: one["full"] for one in counted["tokens"]["totals"]}
    assert full["python"] < full["openai"]
