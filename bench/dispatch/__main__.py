"""`python -m bench.dispatch`: calls, and a thousand tools, beside others; figures for
docs/reports/performance.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import msgspec

from ..marked import write
from ..speed.timing import BenchError
from . import fresh, thousand
from .calls import Calls
from .page import page
from .project import compiled
from .tools import SPECS

_ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.dispatch", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the page's marks")
    parser.add_argument("--rounds", type=int, default=60, metavar="N", help="rounds of calls (default: 60)")
    parser.add_argument("--processes", type=int, default=3, metavar="N", help="and of processes (default: 3)")
    parser.add_argument("--quick", action="store_true", help="few rounds of each")
    parser.add_argument(
        "--python",
        type=Path,
        default=_ROOT / ".venv-peers" / "bin" / "python",
        metavar="FILE",
        help="of the environment of `make peers` (default: .venv-peers/bin/python)",
    )
    given = parser.parse_args()
    rounds, processes = (8, 1) if given.quick else (given.rounds, given.processes)
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
            folder = Path(temporary)
            compiled(folder / "two", SPECS)
            tools = [*thousand.tools()]
            compiled(folder / "thousand", [thousand.spec(tool) for tool in tools])
            (folder / "thousand" / "functions.py").write_text(thousand.module(), encoding="utf-8")
            load = f"{os.getloadavg()[0]:.1f}"
            answer = fresh.asked(given.python, "bench.dispatch.calls", str(folder / "two"), str(rounds))
            calls = msgspec.json.decode(answer, type=Calls)
            costs = fresh.measured(given.python, folder / "thousand", len(tools), processes)
    except BenchError as problem:
        print(problem, file=sys.stderr)
        return 1
    text = page(calls, costs, rounds, processes, load)
    if given.write is None:
        sys.stdout.write(text)
    else:
        write(given.write, "dispatch", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
