"""The official clients that pages use, a server that they ask, and the project that how-to pages share."""

import shutil
from pathlib import Path

import pytest

from tests.clients.conftest import client, collected
from tests.docs.model_server import model_server
from tests.docs.pages import DOCS, run_page

__all__ = ["client", "collected", "model_server"]


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
