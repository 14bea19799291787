"""Compiled specs as JavaScript packages on disk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcast.project.core.compiled import Options
from toolcast.targets.target import built_in_target

from tests.python.compiled import compile_files

from .tools import MODULES, tsc

TYPESCRIPT = Options(providers=(), targets=(built_in_target("typescript"),))
NODE = ("--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "false")


def package(folder: Path, tools: Mapping[str, Any], types: Mapping[str, Any] | None = None) -> Path:
    """The folder `typescript` of what specs (path → spec) compile to, below `folder`."""
    files, _, _ = compile_files(tools, types, TYPESCRIPT)
    for path, content in files.items():
        if path.startswith("typescript/"):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return folder / "typescript"


def type_problems(*files: Path) -> list[str]:
    """What the TypeScript compiler says of files, as a program for Node.js has them."""
    assert MODULES
    return tsc(*files, options=NODE)
