"""The rule for Make in docs/how-to/make.md: what it makes again, and what it leaves alone."""

import os
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import blocks
from tests.project.steps.helper import SPECS, TOOLCAST, put, run

DOC = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "make.md"
MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not installed")


class Project:
    def __init__(self, base: Path) -> None:
        self.base = base
        (rule,) = (block.text for block in blocks(DOC) if block.title == "steps.mk")
        specs = dict(SPECS)
        specs["files/go.yaml"] = specs.pop("geo/go.yaml")  # the one that uses a shared type
        put(base, specs)
        (base / "Makefile").write_text(rule.replace("text", "files"), encoding="utf-8")

    def makes(self) -> bool:
        path = f"{TOOLCAST.parent}{os.pathsep}{os.environ['PATH']}"
        return (
            "toolcast compile"
            in run(self.base, "make", "build/files/units.json", PATH=path, MAKEFLAGS="").stdout
        )

    def later(self, path: str) -> None:
        """Date `path` after all that has been made; the clock of a file system may be coarse."""
        made = self.base / "build" / "files" / "units.json"
        stamp = made.stat().st_mtime_ns
        os.utime(made, ns=(stamp - 10**9, stamp - 10**9))
        os.utime(self.base / path, ns=(stamp, stamp))


@pytest.mark.thorough
def test_a_step_runs_when_something_it_read_is_newer_and_only_then(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.makes()
    assert not project.makes()
    for path in ("specs/files/edit.yaml", "specs/_types/place.yaml", "pyproject.toml"):
        project.later(path)  # touched, with nothing new in it
        assert project.makes(), path
        assert not project.makes(), path
    assert (tmp_path / "build/files/files/files/go.py").is_file()


def test_a_deleted_spec_goes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.makes()
    (tmp_path / "specs/files/edit.yaml").unlink()
    project.later("specs/files")
    assert project.makes()
    assert not (tmp_path / "build/files/files/files/edit.py").exists()
    assert not project.makes()
