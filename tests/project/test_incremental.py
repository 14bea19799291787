"""L7 in single steps; `machine.py` holds it over random edits."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from toolcast.config import Config
from toolcast.console import render
from toolcast.project import pool
from toolcast.project.generate import build
from toolcast.project.state.index import up_to_date

from tests.project.fake import FAKE, config_of, project, put, tree


def hold_clean(config: Config) -> None:
    """Build; the outputs must be those of a build from nothing."""
    assert not build(config, FAKE).failed
    twin = config.base.with_name("twin")
    shutil.copytree(config.specs, twin / "specs")
    shutil.copy(config.base / "pyproject.toml", twin)
    clean = config_of(twin)
    build(clean, FAKE)
    assert tree(config.output) == tree(clean.output)


@pytest.fixture
def built(tmp_path: Path) -> Config:
    config = project(tmp_path / "p", {"a.yaml": "uses: _types/t.yaml", "g/b.yaml": "1", "_types/t.yaml": "t"})
    build(config, FAKE)
    return config


def test_a_lost_manifest_is_made_up_for_by_the_cache(built: Config) -> None:
    (built.output / "manifest.txt").unlink()
    (built.specs / "a.yaml").unlink()
    hold_clean(built)


def test_a_damaged_manifest_is_made_up_for_by_the_cache(built: Config) -> None:
    manifest = built.output / "manifest.txt"
    manifest.write_bytes(manifest.read_bytes()[:200])
    put(built.specs / "g/b.yaml", "2")
    put(built.specs / "_types/t.yaml", "v")
    (built.specs / "a.yaml").unlink()
    hold_clean(built)


def test_a_ledger_changes_without_the_registry(tmp_path: Path) -> None:
    made: list[str] = []

    def compile_package(entries: Any, *arguments: Any) -> dict[str, bytes]:
        made.extend(["registry"] if entries else [])
        return FAKE.compile_package(entries, *arguments)

    frontend = structs.replace(FAKE, compile_package=compile_package)
    config = project(tmp_path, {"a.yaml": "loss: pattern", "b.yaml": ""})
    build(config, frontend)
    put(tmp_path / "specs/a.yaml", "loss: maximum")
    plan = build(config, frontend).plan
    assert made == ["registry"]
    assert {"a.py", "ledger/a.json"} <= {write.path for write in plan.writes}
    assert b"maximum" in (config.output / "ledger/a.json").read_bytes()
    put(tmp_path / "specs/c.yaml", "")
    build(config, frontend)
    assert made == ["registry", "registry"]


def test_a_new_generator_or_template_rebuilds_all(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    config = project(tmp_path, {"a.yaml": ""}, 'templates = "mine"\n')
    build(config, FAKE)
    assert build(config, FAKE).rebuilt == 0
    put(tmp_path / "mine/stub.py.jinja", "x")
    assert up_to_date(str(tmp_path)) is None
    assert build(config, FAKE).rebuilt == 1


def test_warnings_are_reported_again_by_later_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = project(tmp_path, {"a.yaml": "odd"})
    first = build(config, FAKE)
    assert [problem.code for problem in first.diagnostics] == ["odd"]
    assert up_to_date(str(tmp_path)) == (1, render(first.diagnostics, "text", colour=True))
    again = build(config, FAKE)
    assert again.diagnostics == first.diagnostics
    assert again.rebuilt == 0


def test_job_count_changes_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MANY", 12)
    specs = {f"g{n % 3}/t{n}.yaml": f"uses: _types/t.yaml\n{n}" for n in range(12)} | {"_types/t.yaml": ""}
    for jobs in (1, 3):
        report = build(project(tmp_path / str(jobs), specs), FAKE, jobs=jobs)
        assert report.rebuilt == 12
    assert tree(tmp_path / "1/generated") == tree(tmp_path / "3/generated")


@pytest.mark.parametrize("delay", [0, 0.001, 0.005])
def test_an_edit_right_after_a_run_is_noticed(tmp_path: Path, delay: float) -> None:
    """Same size and same mtime, as soon as the run has ended."""
    config = project(tmp_path, {"a.yaml": "one"})
    for text in ("two", "six", "ten"):
        build(config, FAKE)
        assert up_to_date(str(tmp_path)) == (1, "")
        spec = tmp_path / "specs/a.yaml"
        state = spec.stat()
        time.sleep(delay)
        spec.write_text(text)
        os.utime(spec, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert up_to_date(str(tmp_path)) is None
        assert build(config, FAKE).rebuilt == 1


def test_each_source_is_digested_before_it_is_read(tmp_path: Path) -> None:
    """Else an edit in between would be remembered as what was compiled."""

    def load_tool(root: Path, path: str, **named: Any) -> Any:
        loaded = FAKE.load_tool(root, path, **named)
        put(root / path, "edited")
        return loaded

    config = project(tmp_path, {"a.yaml": "1"})
    build(config, structs.replace(FAKE, load_tool=load_tool))
    assert build(config, FAKE).rebuilt == 1
    assert build(config, FAKE).rebuilt == 0
