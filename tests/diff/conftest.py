"""A project with git in the working directory."""

from pathlib import Path

import pytest

from tests.diff.projects import Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    made = Repository(tmp_path / "project")
    monkeypatch.chdir(made.folder)
    return made
