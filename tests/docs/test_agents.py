"""The files for coding agents are followed to the letter: the skill of `skills/`, and `AGENTS.md`."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from bench.reference.agent_skill import ALL, FOLDER, agent_skill
from bench.reference.all_pages import differing
from tests.optional import load

from .pages import ROOT, run_page

SKILL = FOLDER / "toolcast"
AGENTS = (ROOT / "AGENTS.md").read_text("utf-8")


def test_the_skill_is_up_to_date() -> None:
    """After a change: `make reference`."""
    assert differing(FOLDER, agent_skill(), ALL) == []


def test_the_skill_is_valid() -> None:
    assert load("skills_ref").validate(SKILL) == []


def test_the_skill_is_short_and_links_its_references() -> None:
    text = (SKILL / "SKILL.md").read_text("utf-8")
    assert len(text.splitlines()) < 120
    linked = set(re.findall(r"\]\((references/[^)]+)\)", text))
    assert linked == {path.relative_to(SKILL).as_posix() for path in (SKILL / "references").iterdir()}


def test_the_skill_holds_where_it_is_followed(tmp_path: Path) -> None:
    """From an empty folder to a tool that is called; then each refusal that is named, and its remedy."""
    run_page(SKILL / "SKILL.md", tmp_path)
    spec = tmp_path / "specs/weather/forecast.yaml"
    before = spec.read_text("utf-8")
    ran = run_page(SKILL / "references/refusals.md", tmp_path)
    assert [each.status for each in ran] == [1, 0, 1, 0, 0, 1, 0]
    assert spec.read_text("utf-8") == before.replace("maximum: 7", "maximum: 5")


def test_the_keys_of_the_skill_are_those_of_specs() -> None:
    """Each key that the published schema has, and no other."""
    text = (SKILL / "references/specs.md").read_text("utf-8")
    command = [sys.executable, "-m", "toolcast", "schema"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    keys = yaml.safe_load(printed.stdout)["properties"].keys()
    assert set(re.findall(r"^\| `(.+?)` \|", text, re.MULTILINE)) == keys


def test_agents_md_is_short() -> None:
    assert len(AGENTS.splitlines()) <= 60


def test_the_commands_of_agents_md_exist() -> None:
    """Make itself says what it would run for each target."""
    targets = {word for line in re.findall(r"\bmake ([a-z -]+)", AGENTS) for word in line.split()}
    assert {"generate", "test", "lint", "types", "check", "reference", "ci"} <= targets
    done = subprocess.run(
        ["make", "--dry-run", *sorted(targets)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_paths_of_agents_md_exist() -> None:
    paths = set(re.findall(r"`((?:[\w.]+/)+[\w.]*|\w+\.md)`|ARGS=(\S+)", AGENTS))
    found = {path or argument for path, argument in paths}
    assert {"codegen/toolcast/", "tests/lint", "CHANGELOG.md"} <= found
    assert [path for path in sorted(found) if not (ROOT / path).exists()] == []
