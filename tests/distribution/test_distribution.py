"""The name and version under which toolcast is installed, and what other files install."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import toolcast
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PINNED = f"toolcast[build]=={toolcast.__version__}"
FORMER_NAME = "tool" + "wright"


def version(**environment: str) -> str:
    command = (sys.executable, "-m", "toolcast", "--version")
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_version_names_the_distribution_that_runs() -> None:
    line = version(PYTHONPATH="")
    named = f"toolcast {toolcast.__version__}"
    assert line == f"{named} (distribution {named}, editable install of {ROOT})"


def test_version_tells_that_another_distribution_is_installed(tmp_path: Path) -> None:
    """A package of the same name, found before ours: its metadata does not describe what runs."""
    about = tmp_path / "toolcast-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toolcast\nVersion: 9.9\n", "utf-8")
    line = version(PYTHONPATH=str(tmp_path))
    expected = (
        f"run from {ROOT / 'codegen/toolcast'}; not the distribution toolcast 9.9, installed in {tmp_path}"
    )
    assert line == f"toolcast {toolcast.__version__}, {expected}"


@pytest.mark.parametrize(
    "file",
    [
        "action.yml",
        "docs/how-to/hatchling.md",
        "docs/how-to/setuptools.md",
        "codegen/toolcast/project/integrations/hatch.py",
        "codegen/toolcast/project/integrations/setuptools.py",
    ],
)
def test_what_a_build_installs_is_pinned_to_this_version(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert set(re.findall(r"toolcast\[build\][=<>~!]*[0-9.]*[0-9]|toolcast\[build\]", text)) == {PINNED}


@pytest.mark.parametrize(("name", "expected"), [("acme", PINNED), ("toolcast", ".[build]")])
def test_the_generated_workflow_installs_one_version(name: str, expected: str, tmp_path: Path) -> None:
    """A project installs the version that wrote the workflow; a checkout of toolcast installs itself."""
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n', "utf-8")
    command = (sys.executable, "-m", "toolcast", "init", "--add", "github")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    workflow = yaml.safe_load((tmp_path / ".github/workflows/toolcast.yml").read_text("utf-8"))
    (install,) = (
        step["run"] for step in workflow["jobs"]["tools"]["steps"] if "pip install" in step.get("run", "")
    )
    assert install.endswith(f' "{expected}"')


@pytest.mark.parametrize("place", ["the checkout", "a clone elsewhere"])
@pytest.mark.skipif(os.name == "nt", reason="composite actions run their steps with bash")
def test_the_action_installs_its_checkout_or_the_pinned_version(place: str, tmp_path: Path) -> None:
    """`uses: ./` runs from within the workspace; `uses: owner/repository@ref` from a clone outside of it."""
    workspace, bin_folder = tmp_path / "work", tmp_path / "bin"
    action = workspace if place == "the checkout" else tmp_path / "_actions/toolcast"
    for folder in (workspace, bin_folder, action):
        folder.mkdir(parents=True, exist_ok=True)
    (bin_folder / "python").write_text('#!/bin/sh\nfor last; do :; done\necho "$last"\n', "utf-8")
    (bin_folder / "python").chmod(0o755)
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    (step,) = (each for each in steps["runs"]["steps"] if "pip install" in each["run"])
    environment = {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "REQUIREMENT": steps["inputs"]["requirement"]["default"],
        "PINNED": step["env"]["PINNED"],
        "GITHUB_ACTION_PATH": str(action),
        "GITHUB_WORKSPACE": str(workspace),
    }
    done = subprocess.run(
        ("bash", "-e", "-c", step["run"]), env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == (f"{workspace}[build]" if place == "the checkout" else PINNED)


def test_nothing_bears_the_former_name() -> None:
    """The former name belongs to another package: an alias would install or import it."""
    done = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout: the files of the project are not known")
    files = [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    assert files
    found = [
        name
        for name in files
        if FORMER_NAME in f"{name}\n{(ROOT / name).read_text('utf-8', 'replace')}".lower()
    ]
    assert found == []


def test_the_toolset_is_pinned_to_this_version() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    tools = tomllib.loads((ROOT / "codegen/toolcast_tools/pyproject.toml").read_text("utf-8"))["project"]
    assert extras["tools"] == [f"toolcast-tools=={toolcast.__version__}"]
    assert tools["version"] == toolcast.__version__
    assert tools["dependencies"][0] == f"toolcast=={toolcast.__version__}"


def test_every_client_is_pinned_as_its_group_allows() -> None:
    """`make pins` was run after the last change of a group."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    text = (ROOT / "tests/clients/requirements.txt").read_text("utf-8")
    pins = {
        canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.M)
    }
    wanted = [Requirement(each) for group in groups.values() for each in group]
    wrong = [
        str(each)
        for each in wanted
        if not each.specifier.contains(pins.get(canonicalize_name(each.name), "0"))
    ]
    assert wrong == []
    assert "--hash=sha256:" in text
    assert "://" not in text


def test_nothing_in_toolcast_imports_the_toolset() -> None:
    modules = (ROOT / "codegen/toolcast").rglob("*.py")
    assert [path.name for path in modules if "toolcast_tools" in path.read_text("utf-8")] == []


def test_the_checkout_has_no_symbolic_links() -> None:
    """Windows makes them for administrators only."""
    listed = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line for line in listed.stdout.splitlines() if line.startswith("120000")] == []
