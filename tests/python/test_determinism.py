"""Law L6: the same specs give the same bytes, whatever machine, place or hour they are compiled in."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
import yaml
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.project.fake import tree

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
CASE = "field_kinds"
BLACK = "\n[tool.black]\nline-length = 40\nskip-string-normalization = true\npreview = true\n"


def project(folder: Path, case: str = CASE) -> Path:
    shutil.copytree(CASES / case, folder, ignore=shutil.ignore_patterns("expected"))
    return folder


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_place_umask_time_and_formatter_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    """Modes are what the umask leaves, and no file can be executed."""
    before = os.umask(umask)
    try:
        folder = project(tmp_path / "a folder" / "ünïcode")
        settings = folder / "pyproject.toml"
        settings.write_text(settings.read_text("utf-8") + BLACK, "utf-8")
        for place in (tmp_path, folder, folder / "specs"):
            (place / ".editorconfig").write_text("root = true\n[*]\nend_of_line = crlf\nindent_style = tab\n")
            (place / "black.toml").write_text(BLACK)
        for path in folder.rglob("*"):
            os.utime(path, (0, 0))
        monkeypatch.chdir(folder / "specs")
        found = _built(folder)
    finally:
        os.umask(before)
    assert found == tree(CASES / CASE / "expected")
    for path in [folder / "generated", *(folder / "generated").rglob("*")]:
        mode = 0o777 if path.is_dir() else 0o666
        assert stat.S_IMODE(path.stat().st_mode) == mode & ~umask, path


ENDINGS = [(case, "\r\n", b"") for case in (CASE, "shared_types", "hostile_text", "results")]
ENDINGS += [("shared_types", "\r", b""), *(("shared_types", end, b"\xef\xbb\xbf") for end in ("\r", "\r\n"))]


@pytest.mark.parametrize(("case", "ending", "bom"), ENDINGS)
def test_what_editors_do_to_text(tmp_path: Path, case: str, ending: str, bom: bytes) -> None:
    """Line endings as Windows and old Macs have them, and a mark at the beginning."""
    folder = project(tmp_path / "p", case)
    for path in folder.rglob("*.yaml"):
        path.write_bytes(bom + path.read_bytes().replace(b"\n", ending.encode()))
    found, expected = _built(folder), tree(CASES / case / "expected")
    if bom:  # the manifest has a digest of every spec, and a mark is a part of it
        del found["manifest.txt"], expected["manifest.txt"]
    assert found == expected


@pytest.mark.parametrize("case", [CASE, "tagged_unions", "hostile_text", "results", "provider_overrides"])
def test_json_and_yaml_say_the_same(tmp_path: Path, case: str) -> None:
    folder = project(tmp_path / "p", case)
    for path in (folder / "specs").rglob("*.yaml"):
        path.with_suffix(".json").write_text(json.dumps(yaml.safe_load(path.read_text("utf-8"))), "utf-8")
        path.unlink()
    found, expected = _built(folder), tree(CASES / case / "expected")
    del found["manifest.txt"], expected["manifest.txt"]  # it has the digest of every spec
    assert found.keys() == expected.keys()
    for path, content in found.items():
        assert content.replace(b".json; do not edit.", b".yaml; do not edit.") == expected[path], path


def test_the_number_of_jobs_and_the_order_of_files(tmp_path: Path) -> None:
    outputs: list[dict[str, bytes]] = []
    every = sorted((ROOT / "specs").rglob("*.yaml"))
    paths = [path for number, path in enumerate(every) if "_types" in path.parts or number % 3 == 0]
    for number, order in enumerate((paths, paths[::-1])):
        folder = tmp_path / str(number)
        for path in order:  # a folder lists its files in the order in which they came, on some file systems
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        (folder / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["mcp"]\n', "utf-8")
        outputs.append(_built(folder, jobs=number + 1))
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 40


def _built(folder: Path, jobs: int = 1) -> dict[str, bytes]:
    config, problems = load_config(folder)
    assert config is not None, problems
    report = build(config, FRONTEND, jobs=jobs)
    assert not report.failed, report.diagnostics
    return tree(folder / "generated")
