"""`generate --watch`: a save is published, errors leave what was there, renames and gaps do no harm."""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.cli.main import run

WAIT = 60.0
"""Seconds that a turn may take on a busy machine; how long one takes is a benchmark's matter."""
SPEC = """\
name: {name}
description: {description}
permission: read
secrets: []
parameters: {{type: object, properties: {{path: {{type: string}}}}}}
"""


PATIENT = """
import sys, time
from pathlib import Path
from toolcast.cli.main import run

real = time.sleep

def sleep(seconds):
    real(seconds)
    while Path("saving").exists():
        real(0.01)

time.sleep = sleep
sys.exit(run(sys.argv[1:]))
"""
"""The command. Its time for a save in two steps lasts as long as the file `saving` is there: on a busy
machine the second step comes late."""


class Watch:
    """A real `toolcast generate --watch`, whose turns are read as JSON lines."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", PATIENT, "generate", "--watch", "--format", "json"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def turn(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._lines.get(timeout=WAIT))
        return answer

    def quiet(self, seconds: float) -> bool:
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def until(self, path: Path, text: str) -> None:
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if path.is_file() and text in path.read_text("utf-8"):
                return
            time.sleep(0.01)
        raise AssertionError(f"{path} never said {text!r}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai"]\n')
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "read.yaml").write_text(SPEC.format(name="read", description="Reads."))
    return tmp_path


@pytest.fixture
def watch(project: Path) -> Iterator[Watch]:
    watch = Watch(project)
    try:
        assert watch.turn()["summary"]["rebuilt"] == 1
        yield watch
    finally:
        watch.process.kill()
        watch.process.wait()


def replace(path: Path, text: str) -> None:
    """Save in one step, so that no turn sees half of it."""
    other = path.with_name(f".{path.name}.tmp")
    other.write_text(text)
    other.replace(path)


def test_a_save_is_published_and_other_outputs_are_repaired_after_it(project: Path, watch: Watch) -> None:
    specs, generated = project / "specs", project / "generated"

    def save(name: str, description: str) -> None:
        (specs / f"{name}.yaml").write_text(SPEC.format(name=name, description=description))
        watch.until(generated / f"{name}.py", description)

    for number in range(3):
        save("read", f"Reads {number}.")
    assert settles(project)
    save("write", "Writes.")
    (generated / "write.py").write_text("edited by hand")
    (generated / "contracts" / "write.json").unlink()
    save("read", "Reads more.")
    watch.until(generated / "write.py", "Writes.")
    watch.until(generated / "contracts" / "write.json", "path")
    assert settles(project)
    shutil.rmtree(generated)
    save("read", "Reads anew.")
    watch.until(generated / "registry.py", "READ")
    assert settles(project)


def test_a_rename_save_is_one_edit(project: Path, watch: Watch) -> None:
    """As vim and others do: the old file is moved away, the new one is written, then the old one goes."""
    spec, module = project / "specs" / "read.yaml", project / "generated" / "read.py"
    saving = project / "saving"
    replace(spec, SPEC.format(name="read", description="Watched."))
    assert watch.turn()["summary"]["rebuilt"] == 1  # the watching has begun
    with module.open() as before:  # as long as it is open, no other file has its number
        for number in range(3):
            backup = spec.with_name("read.yaml~")
            saving.touch()
            spec.rename(backup)
            time.sleep(0.03)
            spec.write_text("")
            time.sleep(0.02)
            spec.write_text(SPEC.format(name="read", description=f"Renamed {number}."))
            backup.unlink()
            saving.unlink()
            turn = watch.turn()
            assert turn["diagnostics"] == []
            assert turn["summary"]["deleted"] == 0
            assert f"Renamed {number}." in module.read_text()
        replace(spec, SPEC.format(name="read", description="Replaced."))
        watch.until(module, "Replaced.")
        assert not os.path.samestat(module.stat(), os.fstat(before.fileno()))
    assert settles(project)


def test_an_error_leaves_what_was_there(project: Path, watch: Watch) -> None:
    spec, module = project / "specs" / "read.yaml", project / "generated" / "read.py"
    before = module.read_bytes()
    replace(spec, SPEC.format(name="read", description="Broken.") + "permision: read\n")
    turn = watch.turn()
    assert [each["line"] for each in turn["diagnostics"]] == [6]
    assert turn["summary"]["refused"] == 1
    assert module.read_bytes() == before
    (project / "specs" / "write.yaml").write_text(SPEC.format(name="write", description="Writes."))
    watch.until(project / "generated" / "registry.py", "WRITE")
    assert module.read_bytes() == before
    assert "READ" in (project / "generated" / "registry.py").read_text()
    spec.write_text(SPEC.format(name="read", description="Mended."))
    watch.until(module, "Mended.")
    assert settles(project)


def test_what_was_kept_stays_with_the_next_plain_run(project: Path, watch: Watch) -> None:
    spec, module = project / "specs" / "read.yaml", project / "generated" / "read.py"
    replace(spec, "name: [")
    assert watch.turn()["summary"]["refused"] == 1
    content = module.read_bytes()
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(WAIT) == 0
    assert subprocess.run([sys.executable, "-m", "toolcast", "generate"], cwd=project).returncode == 1
    assert module.read_bytes() == content


def test_new_and_deleted_specs_and_folders(project: Path, watch: Watch) -> None:
    group = project / "specs" / "files"
    group.mkdir()
    (group / "edit.yaml").write_text(SPEC.format(name="edit", description="Edits."))
    watch.until(project / "generated" / "files" / "edit.py", "Edits.")
    (group / "edit.yaml").unlink()
    assert settles(project)
    assert not (project / "generated" / "files").exists()


def test_the_configuration_is_watched(project: Path, watch: Watch) -> None:
    config = project / "pyproject.toml"
    replace(config, '[tool.toolcast]\nproviders = ["nobody"]\n')
    assert watch.turn()["diagnostics"][0]["code"] == "unknown-provider"
    replace(config, '[tool.toolcast]\nproviders = ["openai", "mcp"]\n')
    watch.until(project / "generated" / "schemas" / "mcp" / "read.json", "inputSchema")
    config.write_text('[tool.toolcast]\nspecs = "elsewhere"\nproviders = ["openai"]\n')
    (project / "specs").rename(project / "elsewhere")
    assert settles(project)
    (project / "elsewhere" / "read.yaml").write_text(SPEC.format(name="read", description="Moved."))
    watch.until(project / "generated" / "read.py", "Moved.")


def test_templates_are_watched(project: Path, watch: Watch) -> None:
    built_in = Path(__file__).resolve().parents[2] / "templates" / "package.py.jinja"
    own, marker = project / "own", project / "generated" / "__init__.py"
    own.mkdir()
    (project / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai"]\ntemplates = "own"\n')
    for word in ("first", "second"):
        (own / built_in.name).write_text(f"{built_in.read_text('utf-8')}# {word}\n", "utf-8")
        watch.until(marker, f"# {word}")
    (own / built_in.name).unlink()
    assert settles(project)
    assert "second" not in marker.read_text("utf-8")


def test_nothing_new_says_nothing(project: Path, watch: Watch) -> None:
    assert watch.quiet(0.6)  # the turn for edits made before watching began has passed
    os.utime(project / "specs" / "read.yaml")
    (project / "specs" / "notes.md~").write_text("not a spec")
    assert watch.quiet(0.6)


def settles(project: Path) -> bool:
    """Tell whether all outputs are up to date; the manifest is written after files that tests await."""
    end = time.monotonic() + WAIT
    while not (good := run(["generate", "--check", "--config", str(project / "pyproject.toml")]) == 0):
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    return good
