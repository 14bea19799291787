"""Laws L1 to L5 over real tools, for every provider.

    python -m bench.laws --write docs/reference/providers.md

Imports every tool of the shared corpora with `toolcast import tools`, and holds all of them to the laws
with `toolcast verify`, for all built-in profiles; then as many composed schemas as are asked for. Exits
with 1 if there is a counterexample, or a tool that is neither verified nor refused as malformed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.project.pool import processors
from toolcast.providers import available

from .corpora.compile import CORPORA
from .fuzz.finding import Tally, show
from .fuzz.run import run
from .marked import write
from .peers.table import table

_CORPORA = Path(os.environ.get("TOOLCAST_SHARED", Path(__file__).parents[2] / "shared")) / "corpora"
_TRUE_REFUSALS = frozenset(("malformed-schema",))
_LIMIT = 3600
"""Seconds after which a command counts as hung."""
_TEXT = """\
`make laws` holds the tools of the shared corpora to laws L1 to L5, with {examples} instances of each contract
and half as many of each provider's schema, for all {providers} profiles; then {composed:,} composed schemas.

"""


class Held(Struct, frozen=True):
    """One corpus, verified. `told` are its counterexamples and whatever else must not happen."""

    corpus: str
    tools: int
    verified: int
    refused: int
    instances: int
    told: tuple[str, ...]


def held(file: Path, project: Path, *, every: int, examples: int, seed: int, jobs: int) -> Held:
    """Import each `every`-th tool of `file` into the new folder `project` and verify all of them."""
    lines = file.read_text(encoding="utf-8").splitlines()[::every]
    project.mkdir(parents=True)
    (project / file.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (project / "pyproject.toml").write_text('[tool.toolcast]\nproviders = "all"\n', encoding="utf-8")
    decided = ("--permission", "execute", "--secrets", "none")
    imported = _run(project, "import", "tools", file.name, "--into", "specs", *decided)
    how = ("--examples", str(examples), "--seed", str(seed), "--jobs", str(jobs), "--format", "json")
    verified = _run(project, "verify", *how)
    try:
        answer = msgspec.json.decode(verified.stdout)
    except msgspec.DecodeError:
        return Held(file.stem, len(lines), 0, 0, 0, (f"no answer: {imported.stderr}{verified.stderr}",))
    wrong = [each for each in answer["diagnostics"] if each["severity"] == "error"]
    told = [
        _counterexample(tool, each) for tool in answer["tools"] for each in tool.get("counterexamples", ())
    ]
    told += [each["message"] for each in wrong if each["code"] not in _TRUE_REFUSALS]
    reports = [tool for tool in answer["tools"] if tool.get("instances")]
    refused = len({each["file"] for each in wrong if each["code"] in _TRUE_REFUSALS})
    if len(reports) + refused != len(lines):
        told.append(f"{len(lines)} tools, but {len(reports)} verified and {refused} refused")
    instances = sum(tool["instances"] for tool in reports)
    return Held(file.stem, len(lines), len(reports), refused, instances, tuple(told))


def _counterexample(tool: Any, each: Any) -> str:
    whom = f" [{each['provider']}]" if each.get("provider") else ""
    return f"{tool['tool']}: {each['law']}{whom}: {each.get('instance', '')}: {each['actual']}"


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = (sys.executable, "-m", "toolcast", *arguments)
    return subprocess.run(
        command, cwd=project, capture_output=True, encoding="utf-8", timeout=_LIMIT, check=False
    )


def page(found: Sequence[Held], composed: Tally, examples: int) -> str:
    """The table."""
    head = ["", "tools", "verified", "malformed", "instances", "counterexamples"]
    rows = [
        [
            each.corpus,
            f"{each.tools:,}",
            f"{each.verified:,}",
            str(each.refused or ""),
            f"{each.instances:,}",
            str(len(each.told)),
        ]
        for each in found
    ]
    rows.append(
        [
            "composed schemas",
            f"{composed.schemas:,}",
            f"{composed.compiled:,}",
            "",
            f"{composed.instances:,}",
            str(len(composed.findings)),
        ]
    )
    text = _TEXT.format(examples=examples, providers=len(available()), composed=composed.schemas)
    return text + "\n".join(table([head, *rows]))


def _silent(part: Tally, total: Tally) -> None:
    del part, total


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.laws", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--every", type=int, default=1, help="take each N-th tool only")
    parser.add_argument("--examples", type=int, default=40, help="instances of each contract (default: 40)")
    parser.add_argument("--composed", type=int, default=60, help="composed schemas (default: 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=processors())
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the page's marks")
    given = parser.parse_args(arguments)
    missing = [name for name in CORPORA if not (_CORPORA / f"{name}.jsonl").is_file()]
    if missing:
        sys.stderr.write(f"not found in {_CORPORA}: {', '.join(missing)}; set TOOLCAST_SHARED\n")
        return 1
    found: list[Held] = []
    with tempfile.TemporaryDirectory(prefix="laws-") as folder:
        for name in CORPORA:
            sys.stderr.write(f"{name} …\n")
            how = {"every": given.every, "examples": given.examples, "seed": given.seed, "jobs": given.jobs}
            found.append(held(_CORPORA / f"{name}.jsonl", Path(folder) / name, **how))
    composed = run(
        seed=str(given.seed), start=0, schemas=given.composed, seconds=None, count=given.examples,
        jobs=given.jobs, providers=available(), told=_silent,
    )  # fmt: skip
    told = [f"{each.corpus}: {one}" for each in found for one in each.told] + [*map(show, composed.findings)]
    sys.stdout.write("".join(f"{each}\n" for each in told))
    text = page(found, composed, given.examples)
    if given.write is None:
        sys.stdout.write(text + "\n")
    else:
        write(given.write, "laws", text)
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main())
