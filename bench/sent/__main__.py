"""Arguments decoded in one pass, against the general way: undone, judged by the contract, converted.

    python -m bench.sent --seconds 300
    python -m bench.sent --seed 7 --start 41 --rounds 1

Both must come to the same value, of the same types throughout (5 is not 5.0), or to the same refusal. A round
takes one composed schema, and providers by chance. It depends on the seed and its number alone. The exit
status is 1 after a finding.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Sequence

from ..turns import turns
from .rounds import Finding, Round, one


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    seed, start, rounds, seconds = turns("bench.sent", __doc__, arguments)
    begun = time.monotonic()
    total, done = Round(), 0
    for number in itertools.count(start):
        if done == rounds or (seconds is not None and time.monotonic() - begun > seconds):
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
