"""`generate` with nothing changed, as its own process: what it says, and what it does not import."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.project.fake import project, put

ROOT = Path(__file__).parents[2]
BUILD = """
import os, pathlib, sys, tests.project.fake as fake
from toolcast.project.generate import build
for folder in sys.argv[1:] or ["."]:
    os.chdir(folder)
    assert not build(fake.config_of(pathlib.Path.cwd()), fake.FAKE).failed
"""
UP_TO_DATE = """
import os, sys
from toolcast.project.state.index import up_to_date
for folder in sys.argv[1:] or ["."]:
    os.chdir(folder)
    print((up_to_date(os.getcwd()) or [None])[0])
"""
ENTRY = (
    "import sys; sys.argv = ['toolcast', 'generate']; before = set(sys.modules); import atexit, os\n"
    "def told(code): print(sorted(set(sys.modules) - before)); sys.stdout.flush(); end(code)\n"
    "end, os._exit = os._exit, told\n"
    "from toolcast.cli.entry import main; main()"
)
PLAIN = "import sys; sys.argv = ['', 'generate']; from toolcast.cli.entry import main; sys.exit(main())"

OWN = {
    "toolcast",
    "toolcast.project",
    "toolcast.project.state",
    "toolcast.project.state.index",
    "toolcast.cli",
    "toolcast.cli.entry",
    "toolcast.version",
    "_struct",
    "atexit",
    "gc",
    "struct",
}


def python(code: str, cwd: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def built(base: Path) -> Path:
    done = python(BUILD, base)
    assert done.returncode == 0, done.stderr
    return base


def test_nothing_heavy_is_imported(built: Path) -> None:
    done = python(ENTRY, built)
    line, modules = done.stdout.splitlines()
    assert line.startswith("toolcast: 2 tools: 0 rebuilt, 2 unchanged; 0 files written, 0 deleted (")
    assert done.returncode == 0
    assert set(ast.literal_eval(modules)) <= OWN


def test_warnings_cost_no_import(tmp_path: Path) -> None:
    """A set with warnings, shared types and several folders is looked through as any other."""
    specs = {"a.yaml": "odd", "g/b.yaml": "odd\nuses: _types/t.yaml", "h/c.yaml": "1", "_types/t.yaml": ""}
    project(tmp_path, specs)
    built = python(BUILD, tmp_path)
    assert built.returncode == 0, built.stderr
    done = python(ENTRY, tmp_path, NO_COLOR="1")
    assert done.stderr == "specs/a.yaml: warning[odd]: odd\nspecs/g/b.yaml: warning[odd]: odd\n"
    line, modules = done.stdout.splitlines()
    assert line.startswith("toolcast: 3 tools: 0 rebuilt, 3 unchanged;")
    assert set(ast.literal_eval(modules)) <= OWN | {"toolcast.colours"}
    coloured = python(ENTRY, tmp_path, FORCE_COLOR="1")
    assert "\x1b[1;35mwarning[odd]\x1b[0m" in coloured.stderr


@pytest.mark.parametrize(
    "text", ["\x1b]0;title\x07", "\x1b[2J", "::error::x", "##[error]x", "a\x00", "\u202e"]
)
def test_text_that_steers_a_terminal_is_not_printed(tmp_path: Path, text: str) -> None:
    """An index from a stranger's checkout counts as none, and the run says what is so."""
    project(tmp_path, {"a.yaml": "odd"})
    assert python(BUILD, tmp_path).returncode == 0
    index = tmp_path / ".toolcast/index"
    index.write_bytes(index.read_bytes() + text.encode() + b"\n")
    done = python(PLAIN, tmp_path, NO_COLOR="1")
    assert text not in done.stderr + done.stdout


def test_from_a_folder_below(built: Path) -> None:
    assert "2 unchanged" in python(ENTRY, built / "specs" / "g").stdout


CHANGES: list[Callable[[Path], object]] = [
    lambda base: put(base / "specs/a.yaml", "2"),
    lambda base: put(base / "specs/new.yaml", "2"),
    lambda base: (base / "specs/a.yaml").unlink(),
    lambda base: (base / "specs/a.yaml").rename(base / "specs/z.yaml"),
    lambda base: put(base / "generated/a.py", "edited"),
    lambda base: (base / "generated/contracts/a.json").unlink(),
    lambda base: put(base / "generated/manifest.txt", ""),
    lambda base: put(base / "pyproject.toml", "[tool.toolcast]\n"),
    lambda base: put(base / "specs/g/pyproject.toml", "[tool.toolcast]\n"),
    lambda base: put(base / ".toolcast/index", "toolcast index 3\n"),
    lambda base: os.utime(base / "specs/a.yaml"),
]


def test_any_change_is_noticed(tmp_path: Path) -> None:
    folders = [str(tmp_path / str(number)) for number in range(len(CHANGES))]
    for folder in folders:
        project(Path(folder), {"a.yaml": "1", "g/b.yaml": "1"})
    done = python(BUILD, tmp_path, *folders)
    assert done.returncode == 0, done.stderr
    assert python(UP_TO_DATE, tmp_path, *folders).stdout == "2\n" * len(CHANGES)
    examined = []
    for folder, change in zip(folders, CHANGES, strict=True):
        change(Path(folder))
        below = Path(folder, "specs/g")
        examined.append(str(below) if (below / "pyproject.toml").exists() else folder)
    assert python(UP_TO_DATE, tmp_path, *examined).stdout == "None\n" * len(CHANGES)


def test_another_library_path_is_noticed(built: Path, tmp_path: Path) -> None:
    assert python(UP_TO_DATE, built).stdout == "2\n"
    assert python(UP_TO_DATE, built, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}").stdout == "None\n"


def test_a_file_without_a_table_above_is_not_taken_for_ours(tmp_path: Path) -> None:
    """Defaults hold for the folder they were used in, not for those below."""
    put(tmp_path / "specs/a.yaml", "")
    put(tmp_path / "below/specs/b.yaml", "")
    assert python(BUILD, tmp_path).returncode == 0
    assert python(UP_TO_DATE, tmp_path).stdout == "1\n"
    put(tmp_path / "pyproject.toml", "[project]\n")
    assert python(BUILD, tmp_path).returncode == 0
    assert python(UP_TO_DATE, tmp_path).stdout == "1\n"
    assert python(UP_TO_DATE, tmp_path / "below").stdout == "None\n"
