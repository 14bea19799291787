"""Tools as a project of specs, compiled by `toolcast generate`: the two of `tools`, and a thousand."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..speed.timing import timed

PACKAGE = "compiled"  # not the name of the package that this repository holds
PROVIDERS = ("openai", "gemini")


def compiled(folder: Path, specs: Sequence[Mapping[str, Any]], group_size: int = 50) -> None:
    """Compile `specs` into the package `compiled` in `folder`. Raises BenchError where that fails."""
    folder.mkdir(parents=True)
    listed = ", ".join(f'"{name}"' for name in PROVIDERS)
    (folder / "pyproject.toml").write_text(
        f'[tool.toolcast]\noutput = "{PACKAGE}"\nproviders = [{listed}]\nmodels = []\n', encoding="utf-8"
    )
    for number, spec in enumerate(specs):
        path = folder / "specs" / f"group_{number // group_size:02}" / f"{spec['name']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"permission": "read", "secrets": [], **spec}), encoding="utf-8")
    timed((str(Path(sys.executable).parent / "toolcast"), "generate"), folder, f"{len(specs)} rebuilt")
