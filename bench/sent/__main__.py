"""Arguments decoded in one pass, against the general way: undone, judged by the contract, converted.

    python -m bench.sent --seconds 300
    python -m bench.sent --seed 7 --start 41 --rounds 1

Both must come to the same value, of the same types throughout (5 is not 5.0), or to the same refusal. A round
takes one composed schema, and providers by chance. It depends on the seed and its number alone. The exit
status is 1 after a finding.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import secrets
import sys
import time
from collections.abc import Sequence

from .rounds import Finding, Round, one

SECONDS = float(os.environ.get("TOOLWRIGHT_FUZZ_SECONDS", "300"))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.sent", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"stop after so long (default: {SECONDS:g}, or $TOOLWRIGHT_FUZZ_SECONDS)",
    )
    parser.add_argument("--rounds", type=int, help="stop after so many rounds")
    parser.add_argument("--seed", default="fresh", help="any text; 'fresh' takes a new one, and prints it")
    parser.add_argument("--start", type=int, default=0, help="the number of the first round (default: 0)")
    given = parser.parse_args(arguments)
    seed = str(secrets.randbelow(2**32)) if given.seed == "fresh" else given.seed
    seconds = SECONDS if given.seconds is None and given.rounds is None else given.seconds
    print(f"seed {seed}", flush=True)  # first of all: a run that is cut short can be repeated
    begun = time.monotonic()
    total, done = Round(), 0
    for number in itertools.count(given.start):
        if done == given.rounds or (seconds is not None and time.monotonic() - begun > seconds):
            break
        found = one(seed, number)
        done += 1
        total.add(found)
        for finding in found.findings:
            print(show(seed, finding), flush=True)
    spent = time.monotonic() - begun
    print(
        f"seed {seed}: {done} rounds, {total.tools} tools, {total.texts} texts ({total.refused} refused), "
        f"{total.forms} forms with a type of their own, {total.taken} texts decoded in one pass, "
        f"{len(total.findings)} findings; {spent:.0f} s, {total.texts / spent:.0f} texts/s"
    )
    return int(bool(total.findings))


def show(seed: str, finding: Finding) -> str:
    """A finding in lines, with the command that makes it again."""
    return (
        f"round {finding.round}: provider {finding.provider}\n"
        f"  parameters: {json.dumps(finding.parameters)}\n  arguments:  {finding.arguments}\n"
        f"  decoded:    {finding.found}\n  meant:      {finding.meant}\n"
        f"  again: python -m bench.sent --seed {seed} --start {finding.round} --rounds 1"
    )


if __name__ == "__main__":
    sys.exit(main())
