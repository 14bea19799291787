"""git, Make, pre-commit and GitHub: the files that `init --add` puts into a project, at work."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from .support import ROOT, commit_all, copy, edit, git, run

pytestmark = pytest.mark.wheel


@pytest.fixture
def project(tools: Path, tmp_path: Path) -> Path:
    """A project in git with everything that can be added."""
    project = copy("hatch", tmp_path)
    options = [word for name in ("gitattributes", "github", "make", "pre-commit") for word in ("--add", name)]
    stated = run(tools / "toolcast", "init", *options, cwd=project)
    assert stated.count("created ") == 4
    assert run(tools / "toolcast", "init", *options, cwd=project).count("kept  ") == 6
    git("init", "--quiet", cwd=project)
    commit_all(project, "all")
    return project


def test_make(project: Path, tools: Path) -> None:
    (project / "Makefile").write_text("include toolcast.mk\n\nall: toolcast\n", "utf-8")
    word = f"TOOLCAST={tools / 'toolcast'}"
    run("make", word, "toolcast-check", cwd=project)
    edit(project)
    assert "is out of date" in run("make", word, "toolcast-check", cwd=project, fails=True)
    assert "1 rebuilt" in run("make", word, "all", cwd=project)
    run("make", word, "toolcast-check", cwd=project)


def test_pre_commit_with_the_local_hook(project: Path, tools: Path) -> None:
    path = f"{tools}:{os.environ['PATH']}"
    hook = (tools / "pre-commit", "run")
    run(*hook, cwd=project, PATH=path)
    (project / "specs" / "weather" / "forecast.yaml").unlink()  # in no list of changed files
    git("add", "--all", cwd=project)
    stated = run(*hook, cwd=project, PATH=path, fails=True)
    assert "orphaned src/acme_hatch/generated/weather/forecast.py" in stated
    run(tools / "toolcast", "generate", cwd=project)
    git("add", "--all", cwd=project)
    run(*hook, cwd=project, PATH=path)


def test_pre_commit_with_an_environment_of_its_own(project: Path, tools: Path, tmp_path: Path) -> None:
    """The hooks of this repository, installed by pre-commit from a clone of it."""
    origin = tmp_path / "origin"
    origin.mkdir()
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        (origin / name).write_bytes((ROOT / name).read_bytes())
    for name in ("codegen", "generated", "templates"):
        run("cp", "-r", ROOT / name, origin / name, cwd=tmp_path)
    git("init", "--quiet", cwd=origin)
    commit_all(origin, "all")
    revision = git("rev-parse", "HEAD", cwd=origin).strip()
    hooks = [{"id": f"toolcast-{name}"} for name in ("generate", "check", "lint")]
    config = {"repos": [{"repo": str(origin), "rev": revision, "hooks": hooks}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    edit(project)
    commit_all(project, "an edit")
    environment = {"PRE_COMMIT_HOME": str(tmp_path / "cache")}
    stated = run(tools / "pre-commit", "run", "--all-files", cwd=project, fails=True, **environment)
    assert "files were modified by this hook" in stated
    commit_all(project, "generated")
    run(tools / "pre-commit", "run", "--all-files", cwd=project, **environment)


def test_branches_that_add_tools_merge(project: Path, tools: Path) -> None:
    """Two branches that add a tool each, at the same place, and one run after that."""
    spec = (project / "specs" / "weather" / "forecast.yaml").read_text("utf-8")
    for branch in ("north", "south"):
        git("checkout", "--quiet", "-b", branch, "main", cwd=project)
        added = project / "specs" / "weather" / f"{branch}.yaml"
        added.write_text(spec.replace("name: forecast", f"name: {branch}"), "utf-8")
        run(tools / "toolcast", "generate", cwd=project)
        commit_all(project, branch)
    generated = project / "src" / "acme_hatch" / "generated"
    git("merge", "--no-edit", "north", cwd=project)
    run(tools / "toolcast", "generate", "--check", cwd=project, fails=True)
    run(tools / "toolcast", "generate", cwd=project)
    run(tools / "toolcast", "generate", "--check", cwd=project)
    registry = (generated / "registry.py").read_text("utf-8")
    assert all(name in registry for name in ("forecast", "north", "south"))


def test_outputs_are_marked_for_reviews(project: Path) -> None:
    module = "src/acme_hatch/generated/weather/forecast.py"
    stated = git("check-attr", "linguist-generated", "eol", "merge", "--", module, cwd=project)
    assert [line.rpartition(": ")[2] for line in stated.splitlines()] == ["set", "lf", "unset"]


def test_the_workflow_and_the_action_are_what_github_reads(project: Path, tools: Path) -> None:
    check = (tools / "check-jsonschema", "--builtin-schema")
    run(*check, "vendor.github-workflows", ".github/workflows/toolcast.yml", cwd=project)
    run(*check, "vendor.github-actions", ROOT / "action.yml", cwd=project)


@pytest.mark.parametrize("source", ["workflow", "action"])
def test_their_steps_fail_on_drift(source: str, project: Path, tools: Path) -> None:
    """Each `run` in turn, as a runner would: with bash, in the project."""
    steps = _workflow(project) if source == "workflow" else _action()
    assert len(steps) == 3
    for step in steps:
        run("bash", "-e", "-c", step, cwd=project, PATH=f"{tools}:{os.environ['PATH']}", AGAINST="HEAD")
    edit(project)
    stated = run("bash", "-e", "-c", steps[0], cwd=project, PATH=f"{tools}:{os.environ['PATH']}", fails=True)
    assert "::error file=specs/weather/forecast.yaml,line=1,title=drift-spec::" in stated


def _workflow(project: Path) -> list[str]:
    text = (project / ".github" / "workflows" / "toolcast.yml").read_text("utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    return _commands(job["steps"])


def _action() -> list[str]:
    return _commands(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"])


def _commands(steps: list[dict[str, Any]]) -> list[str]:
    return [step["run"] for step in steps if "run" in step and "pip install" not in step["run"]]
