"""The official clients that pages use, a server that they ask, and the project that how-to pages share."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import client, collected
from tests.docs.links import ROOT
from tests.docs.model_server import model_server
from tests.docs.pages import DOCS, run_page

__all__ = ["client", "collected", "model_server"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    pytest.importorskip("material", reason="needs the group `docs` (make docs)")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="session")
def example_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page about the project of the how-to pages makes."""
    folder = tmp_path_factory.mktemp("example_project")
    run_page(DOCS / "how-to/example-project.md", folder)
    return folder


@pytest.fixture
def project(example_project: Path, tmp_path: Path) -> Path:
    """A copy of that project."""
    return Path(shutil.copytree(example_project, tmp_path / "project"))
