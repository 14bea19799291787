"""L7: whatever happened before, `generate` leaves what a clean build would leave, for every spec that
compiles; a spec with an error keeps its former output."""

import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from toolcast.project import pool
from toolcast.project.generate import build
from toolcast.project.state.index import up_to_date

from tests.project.fake import FAKE, config_of, project, put, tree
from tests.project.law import hold_lines, lawful
from tests.sampled import sampled

NAMES = [f"{group}{name}.yaml" for group in ("", "a/", "b/c/") for name in ("x", "y", "z")]
TYPES = ["_types/t.yaml", "_types/u.yaml"]


class Life:
    """A project, and a twin that is built from nothing after every step."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.base, self.twin, self.random = folder / "one", folder / "two", random.Random(seed)
        specs = {name: f"name: {name[:-5].replace('/', '_')}\n" for name in NAMES[::2]}
        self.config = project(self.base, {**specs, TYPES[0]: "t"})

    def specs(self) -> list[Path]:
        return sorted((self.base / "specs").rglob("*.yaml"))

    def outputs(self) -> list[Path]:
        found = sorted((self.base / "generated").rglob("*"))
        return [path for path in found if path.is_file() and path.name != "manifest.txt"]

    def write(self) -> None:
        path = self.random.choice([*NAMES, *TYPES])
        lines = [f"name: {path[:-5].replace('/', '_')}", f"v{self.random.randrange(3)}"]
        lines += [f"uses: {name}" for name in TYPES if self.random.random() < 0.4]
        lines += [f"loss: {self.random.randrange(3)}"] if self.random.random() < 0.4 else []
        if self.random.random() < 0.15:
            lines.insert(0, "bad")
        if self.random.random() < 0.1:
            lines[0] = "name: same"
        put(self.base / "specs" / path, "\n".join(lines))

    def delete(self) -> None:
        if specs := self.specs():
            self.random.choice(specs).unlink()

    def rename(self) -> None:
        if specs := self.specs():
            target = self.base / "specs" / self.random.choice(NAMES)
            target.parent.mkdir(parents=True, exist_ok=True)
            self.random.choice(specs).replace(target)

    def touch(self) -> None:
        for path in self.specs()[:2]:
            os.utime(path)

    def damage(self) -> None:
        if outputs := self.outputs():
            self.random.choice(outputs).write_bytes(self.random.choice([b"", b"hand edited"]))

    def damage_quietly(self) -> None:
        """Same size, same mtime."""
        if outputs := self.outputs():
            path = self.random.choice(outputs)
            state, content = path.stat(), path.read_bytes()
            path.write_bytes(content[:-2] + b"?\n")
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    def lose(self) -> None:
        if outputs := self.outputs():
            self.random.choice(outputs).unlink()

    def lose_folder(self) -> None:
        shutil.rmtree(self.base / "generated" / self.random.choice(["a", "schemas", "."]), ignore_errors=True)

    def lose_cache(self) -> None:
        shutil.rmtree(self.base / ".toolcast", ignore_errors=True)

    def lose_index(self) -> None:
        (self.base / ".toolcast" / "index").unlink(missing_ok=True)

    def lose_manifest(self) -> None:
        (self.base / "generated" / "manifest.txt").unlink(missing_ok=True)

    def garble_cache(self) -> None:
        for path in (self.base / ".toolcast").glob("*"):
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2])

    def configure(self) -> None:
        chosen = self.random.choice(['["openai"]', '["openai", "mcp"]', '["anthropic", "gemini", "mcp"]'])
        put(self.base / "pyproject.toml", f"[tool.toolcast]\nproviders = {chosen}\n")

    def check(self) -> None:
        before, stale = tree(self.base / "generated"), ()
        if up_to_date(str(self.base)) is None:
            report = build(config_of(self.base), FAKE)
            stale = report.stale
            for problem in report.diagnostics:
                if problem.code == "kept-file":  # hand-written by now, so a person must remove it
                    Path(os.path.relpath(problem.file)).unlink()
        shutil.rmtree(self.twin, ignore_errors=True)
        self.twin.mkdir()
        shutil.copytree(self.base / "specs", self.twin / "specs")
        shutil.copy(self.base / "pyproject.toml", self.twin)
        config = config_of(self.twin)
        build(config, FAKE)
        after, clean = tree(self.base / "generated"), tree(self.twin / "generated")
        specs = [path.relative_to(self.base / "specs").as_posix() for path in self.specs()]
        expected = lawful(
            before,
            clean,
            stale,
            specs=specs,
            frontend=FAKE,
            providers=config.providers or (),
            trusted="manifest.txt" in before,
        )
        if stale:
            hold_lines(before, clean, after, stale)
            del after["manifest.txt"]
        assert after == expected


STEPS = [
    *[Life.write] * 5,
    Life.delete,
    Life.rename,
    Life.rename,
    Life.touch,
    Life.damage,
    Life.damage_quietly,
    Life.lose,
    Life.lose_folder,
    Life.lose_cache,
    Life.lose_index,
    Life.garble_cache,
    Life.configure,
]


@pytest.mark.parametrize("seed", sampled(range(8), range(2)))
def test_any_sequence_of_edits_ends_in_a_clean_build(tmp_path: Path, seed: int) -> None:
    life = Life(tmp_path, seed)
    for _ in range(8):
        for _ in range(life.random.randrange(1, 4)):
            life.random.choice(STEPS)(life)
        life.check()


def test_a_lost_manifest_is_made_up_for_by_the_cache(tmp_path: Path) -> None:
    life = Life(tmp_path, 0)
    life.check()
    life.lose_manifest()
    life.delete()
    life.check()


def test_a_damaged_manifest_is_made_up_for_by_the_cache(tmp_path: Path) -> None:
    life = Life(tmp_path, 1)
    life.check()
    manifest = life.base / "generated/manifest.txt"
    manifest.write_bytes(manifest.read_bytes()[:200])
    for path in life.specs():
        path.write_text(path.read_text() + "v9\n")
    life.specs()[0].unlink()
    life.check()


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


def test_warnings_are_reported_again_by_later_runs(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "odd"})
    first = build(config, FAKE)
    assert [problem.code for problem in first.diagnostics] == ["odd"]
    assert up_to_date(str(tmp_path)) is None
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
        assert up_to_date(str(tmp_path)) == 1
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
