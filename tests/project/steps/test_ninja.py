"""Ninja runs the steps: what it builds, and what it leaves alone."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.project.steps.helper import CONFIG, HEAD, SPECS, TOOLCAST, generated, put, run, tree

NINJA = next(
    (
        path
        for path in (Path(sys.executable).with_name("ninja"), shutil.which("ninja"))
        if path and Path(path).exists()
    ),
    None,
)
pytestmark = pytest.mark.skipif(NINJA is None, reason="ninja is not installed (pip install ninja)")
EDITED = SPECS["files/edit.yaml"].replace("Edits", "Changes")


class Project:
    """A folder that Ninja builds; `steps` runs it and tells what was done."""

    def __init__(self, base: Path) -> None:
        self.base = base
        put(base, SPECS)
        run(base, TOOLCAST, "ninja", f"--command={TOOLCAST}", "--shard-size", "2")

    def steps(self, *words: str, ok: bool = True) -> list[str]:
        reported = run(self.base, str(NINJA), *words, ok=ok).stdout
        return [line.split(maxsplit=2)[1] for line in reported.splitlines() if line.startswith("[")]

    def write(self, path: str, text: str) -> None:
        place = self.base / "specs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        later(place)

    def shards(self, spec: str) -> set[str]:
        """The lists in which a spec stands."""
        lists = (self.base / "build" / "toolcast").glob("*.list")
        return {path.name for path in lists if spec in path.read_text(encoding="utf-8").splitlines()}

    @property
    def output(self) -> dict[str, bytes]:
        return tree(self.base / "generated")


def later(path: Path) -> None:
    """Let a change show up in the time of the file: a clock may stand still for some milliseconds.

    Never a time to come: Ninja would take it for a change during the build.
    """
    time.sleep(0.02)
    os.utime(path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "p")


def test_it_builds_then_rests_and_compiles_one_shard_for_one_change(project: Project, tmp_path: Path) -> None:
    assert project.steps().count("assemble") == 1
    assert project.output == generated(tmp_path / "g", SPECS)
    assert project.steps() == []
    assert not (project.base / ".toolcast").exists()
    project.write("files/edit.yaml", EDITED)
    assert project.steps() == ["compile", "assemble"]
    assert project.output == generated(tmp_path / "e", {**SPECS, "files/edit.yaml": EDITED})


@pytest.mark.thorough
def test_a_build_file_of_somebody_else_stays_and_can_read_ours(tmp_path: Path) -> None:
    put(tmp_path / "p", SPECS)
    own = tmp_path / "p" / "build.ninja"
    own.write_text("subninja toolcast.ninja\n", encoding="utf-8")
    words = (f"--command={TOOLCAST}", "--shard-size", "2")
    reported = run(tmp_path / "p", TOOLCAST, "ninja", *words, ok=False).stderr
    assert "build.ninja: error[foreign-file]" in reported
    assert "--file" in reported
    assert own.read_text(encoding="utf-8") == "subninja toolcast.ninja\n"
    assert not (tmp_path / "p" / "build").exists()
    run(tmp_path / "p", TOOLCAST, "ninja", *words, "--file", "toolcast.ninja")
    run(tmp_path / "p", str(NINJA))
    assert tree(tmp_path / "p" / "generated") == generated(tmp_path / "g", SPECS)


@pytest.mark.thorough
def test_a_change_of_a_type_compiles_its_users(project: Project) -> None:
    project.steps()
    project.write("_types/place.yaml", SPECS["_types/place.yaml"].replace("0", "1"))
    steps = project.steps()
    shards = {
        line
        for name in ("_types/place", "geo/go", "geo/stay")
        for line in project.shards(f"specs/{name}.yaml")
    }
    assert steps == ["compile"] * len(shards) + ["assemble"]


@pytest.mark.thorough
def test_what_changes_no_output_stops_there(project: Project) -> None:
    """restat: other line endings are other bytes, but the same records and files."""
    project.steps()
    before = {path: path.stat().st_mtime_ns for path in (project.base / "generated").rglob("*")}
    place = project.base / "specs" / "files" / "edit.yaml"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    later(place)
    assert project.steps() == ["compile"]
    assert project.steps() == []
    assert {path: path.stat().st_mtime_ns for path in (project.base / "generated").rglob("*")} == before


@pytest.mark.thorough
def test_a_spec_that_is_deleted_disappears(project: Project, tmp_path: Path) -> None:
    project.steps()
    (project.base / "specs" / "files" / "read.yaml").unlink()
    later(project.base / "specs" / "files")
    steps = project.steps()
    assert steps[0] == "list"
    assert steps[-1] == "assemble"
    left = {path: text for path, text in SPECS.items() if path != "files/read.yaml"}
    assert project.output == generated(tmp_path / "g", left)
    assert project.steps() == []


@pytest.mark.thorough
def test_a_new_spec_in_a_new_folder_is_found(project: Project, tmp_path: Path) -> None:
    project.steps()
    project.write("new one/a b.yaml", "name: fresh\n" + HEAD.format("Comes."))
    later(project.base / "specs")
    run(project.base, str(NINJA), ok=False)  # no package can be called so: the step says it, and fails
    (project.base / "specs" / "new one" / "a b.yaml").unlink()
    (project.base / "specs" / "new one").rmdir()
    project.write("new/a b$#.yaml", "name: fresh\n" + HEAD.format("Comes."))
    later(project.base / "specs")
    project.steps()
    text = "name: fresh\n" + HEAD.format("Comes.")
    assert project.output == generated(tmp_path / "g", {**SPECS, "new/a b$#.yaml": text})
    assert project.steps() == []
    project.write("new/a b$#.yaml", text.replace("Comes", "Goes"))
    assert project.steps() == ["compile", "assemble"]


@pytest.mark.thorough
def test_other_providers_compile_everything(project: Project, tmp_path: Path) -> None:
    project.steps()
    config = CONFIG.replace("mcp", "gemini")
    put(project.base, {}, config)
    later(project.base / "pyproject.toml")
    assert project.steps().count("compile") > 1
    assert project.output == generated(tmp_path / "g", SPECS, config)


@pytest.mark.thorough
def test_an_error_stops_the_build_and_its_correction_resumes_it(project: Project, tmp_path: Path) -> None:
    project.steps()
    project.write("files/edit.yaml", "permission: read\n")
    assert "assemble" not in project.steps(ok=False)
    assert project.output == generated(tmp_path / "g", SPECS)
    project.write("files/edit.yaml", EDITED)
    assert project.steps() == ["compile", "assemble"]


@pytest.mark.thorough
def test_make_reads_the_depfile(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    put(tmp_path, SPECS)
    (tmp_path / "Makefile").write_text(
        "b/go/units.json: specs/geo/go.yaml\n"
        f"\t{TOOLCAST} compile $< --out b/go --depfile b/go.d\n"
        "-include b/go.d\n",
        encoding="utf-8",
    )
    run(tmp_path, "make")
    assert "up to date" in run(tmp_path, "make").stdout
    (tmp_path / "specs" / "_types" / "place.yaml").write_text("type: string\n", encoding="utf-8")
    later(tmp_path / "specs" / "_types" / "place.yaml")
    assert "compile" in run(tmp_path, "make").stdout


def test_the_version_is_new_enough() -> None:
    version = subprocess.run([str(NINJA), "--version"], capture_output=True, text=True, check=True).stdout
    assert tuple(map(int, version.split(".")[:2])) >= (1, 10)
