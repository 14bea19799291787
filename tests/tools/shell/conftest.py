"""Shells in an empty workspace."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast_tools.shell import Shell
from toolcast_tools.workspace import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def make(folder: Path) -> Iterator[Callable[..., Shell]]:
    made: list[Shell] = []
    with Workspace(folder) as workspace:

        def make(**options: Any) -> Shell:
            made.append(Shell(workspace, **{"grace": 0.3, **options}))
            return made[-1]

        yield make
        for shell in made:
            shell.close()


@pytest.fixture
def shell(make: Callable[..., Shell]) -> Shell:
    return make()
