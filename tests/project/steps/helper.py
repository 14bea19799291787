"""A small project that an engine builds, and what `generate` makes of it."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from toolcast.cli.main import run as command
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

TOOLCAST = Path(sys.executable).with_name("toolcast")
HEAD = "description: {}\npermission: read\nsecrets: []\n"
AT = "parameters:\n  type: object\n  properties:\n    at: {$ref: '../_types/place.yaml'}\n"
SPECS = {
    "_types/place.yaml": "type: object\nproperties: {x: {type: integer, minimum: 0}}\n",
    "files/edit.yaml": HEAD.format("Edits."),
    "files/read.yaml": HEAD.format("Reads.")
    + "parameters:\n  type: object\n  properties: {id: {type: integer}}\n",
    "geo/go.yaml": HEAD.format("Goes.") + AT,
    "geo/stay.yaml": HEAD.format("Stays.") + AT.replace("at:", "there:"),
    "top.yaml": HEAD.format("Tops."),
}
CONFIG = '[tool.toolcast]\nproviders = ["openai", "mcp"]\n'


def put(folder: Path, specs: dict[str, str], config: str = CONFIG) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(config, encoding="utf-8")
    for path, text in specs.items():
        place = folder / "specs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for here, _, names in os.walk(folder, followlinks=True):
        for name in names:
            path = Path(here, name)
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def generated(folder: Path, specs: dict[str, str], config: str = CONFIG) -> dict[str, bytes]:
    put(folder, specs, config)
    found, problems = load_config(folder)
    assert found is not None, problems
    assert not build(found, FRONTEND, jobs=1).failed
    return tree(found.output)


def toolcast(folder: Path, *words: str | Path, ok: bool = True) -> str:
    """Run a command line in this process, with `folder` as the working directory; all that it prints."""
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = command([str(word) for word in words])
    assert (status == 0) == ok, printed.getvalue()
    return printed.getvalue()


def run(
    folder: Path, *words: str | Path, ok: bool = True, timeout: int = 120, **more: str
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **more},
    )
    assert (done.returncode == 0) == ok, f"{done.stdout}\n{done.stderr}"
    return done
