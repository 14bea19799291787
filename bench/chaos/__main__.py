"""Random calls of the reference toolset, with every fault of the system under them.

    python -m bench.chaos --calls 100000 --seed 1 --write docs/reports/chaos.md
    python -m bench.chaos --seed 1 --start 7 --calls 2500

Arguments are plausible, composed from the contracts, broken and hostile. Meanwhile processes are killed, the
disk is full, permissions, descriptors and processes are missing, files are replaced, databases are locked,
servers answer slowly and wrongly, calls time out and are cancelled. Each round has a registry of its own;
once it is closed nothing may be left of it. Calls and faults of a round follow from the seed and its number;
when they meet does not. The exit status is 1 after a finding.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .isolated import FLAG, run_isolated


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    given = sys.argv[1:] if arguments is None else [*arguments]
    parser = argparse.ArgumentParser(
        prog="python -m bench.chaos", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--calls", type=int, default=100_000, help="how many (default: 100000)")
    parser.add_argument("--each", type=int, default=2_500, help="calls of one round (default: 2500)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first round (default: 0)")
    parser.add_argument("--seed", default="1", help="any text; 'fresh' takes a new one (default: 1)")
    parser.add_argument("--write", metavar="PAGE", help="write the report to this file")
    parser.add_argument(FLAG, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--report", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--own-disk", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(given)
    if asked.inside is None:
        return run_isolated(given, asked.write)
    seed = str(secrets.randbelow(2**32)) if asked.seed == "fresh" else asked.seed
    print(f"seed {seed}", flush=True)  # first of all: a run that is cut short can be repeated
    return _inside(asked, seed)


def _inside(asked: argparse.Namespace, seed: str) -> int:
    from .ground import Ground
    from .page import page, problems, summary
    from .run import Tally, run

    folder = Path(asked.inside)
    (folder / "tmp").mkdir()
    begun = time.monotonic()
    shown = 0

    def told(tally: Tally) -> None:
        nonlocal shown
        for finding in tally.findings[shown:]:
            print(f"{finding.where}: {finding.what}\n{finding.trace}".rstrip(), flush=True)
        shown = len(tally.findings)
        print(summary(tally, time.monotonic() - begun), file=sys.stderr, flush=True)

    ground = Ground(folder, asked.own_disk)
    try:
        tally = asyncio.run(
            run(ground, seed=seed, calls=asked.calls, start=asked.start, each=asked.each, told=told)
        )
    finally:
        ground.close()
    wrong = problems(tally, asked.each)
    for problem in wrong:
        print(problem)
    print(summary(tally, time.monotonic() - begun))
    os.write(asked.report, page(tally, seed, asked.each, time.monotonic() - begun).encode())
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
