"""One environment with the wheel, its compiler, and the tools that downstream projects are built with."""

import sys
from pathlib import Path

import pytest

from .support import ROOT, run

TOOLS = (
    "editables>=0.5,<1",  # hatchling's own need for editable installs
    "hatchling>=1.27,<2",
    "setuptools>=77,<90",
    "build>=1.2,<2",
    "pre-commit>=4,<5",
    "check-jsonschema>=0.37,<1",
)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--installer", "uv", "--wheel", "--outdir", out, ROOT, cwd=out)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def tools(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools") / "env"
    uv = Path(sys.executable).with_name("uv")
    run(uv, "venv", "--quiet", "--seed", "--python", sys.executable, folder, cwd=folder.parent)
    install = (uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python")
    run(*install, f"toolcast[build] @ {wheel.as_uri()}", *TOOLS, cwd=folder.parent)
    return folder / "bin"
