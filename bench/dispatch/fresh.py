"""A thousand tools in fresh processes: each contestant in turn, round after round."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..speed.timing import BenchError

_ROOT = Path(__file__).resolve().parents[2]
OURS = ("toolcast", "toolcast, every module imported")
NAMES = (*OURS, "pydantic-ai", "openai-agents", "FastMCP", "LangChain")


class Cost(Struct, frozen=True):
    """Seconds and MiB for importing the library, and for a thousand tools after that."""

    library: float
    tools: float
    library_mib: float
    tools_mib: float

    @property
    def whole(self) -> float:
        return self.library + self.tools

    @property
    def whole_mib(self) -> float:
        return self.library_mib + self.tools_mib


def environment() -> dict[str, str]:
    """Ours and this repository on the path; compiled modules are kept, as on any user's machine."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_ROOT / "codegen"), str(_ROOT)])}


def asked(python: Path, *arguments: str) -> bytes:
    """What a module of this package prints, run by `python`. Raises BenchError where it fails."""
    process = subprocess.run(
        [str(python), "-m", *arguments], cwd=_ROOT, env=environment(), capture_output=True, check=False
    )
    if process.returncode != 0:
        raise BenchError(f"{' '.join(arguments)}: {process.stderr.decode(errors='replace')[-2000:]}")
    return process.stdout


def measured(python: Path, folder: Path, count: int, rounds: int) -> Mapping[str, Cost]:
    """Medians, by contestant. `folder` holds the compiled tools, and the functions of the others."""
    found: dict[str, list[Cost]] = {name: [] for name in NAMES}
    for number in range(rounds + 1):
        for name, costs in found.items():
            took = json.loads(asked(python, "bench.dispatch.define", str(folder), name))
            if took["count"] != count:
                raise BenchError(f"{name} defined {took['count']} tools, not {count}")
            if number:  # the first round writes what Python keeps of its modules
                costs.append(Cost(took["import"], took["tools"], took["import_mib"], took["tools_mib"]))
    return {name: _median(costs) for name, costs in found.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        *(statistics.median(getattr(cost, name) for cost in costs) for name in Cost.__struct_fields__)
    )
