"""A project folder, and the commands run in it with a stand-in for the compiler."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import toolcast.project.worker
from click.testing import CliRunner, Result
from toolcast.cli.main import cli

from tests.project.fake import FAKE, project

Command = Callable[..., Result]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory; no colours are forced or forbidden from outside."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.chdir(tmp_path)


@pytest.fixture
def base(empty: Path) -> Path:
    project(empty, {"a.yaml": "1", "g/b.yaml": "1"})
    return empty


@pytest.fixture
def run() -> Command:
    def call(*arguments: str) -> Result:
        return CliRunner().invoke(cli, list(arguments), prog_name="toolcast", standalone_mode=True)

    return call


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolcast.project.worker, "FRONTEND", FAKE)
