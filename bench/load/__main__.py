"""`python -m bench.load`: many conversations at once against a scripted model on loopback.

    python -m bench.load --conversations 1000 --seconds 60 --write docs/reports/load.md

Each loop runs in a process of its own, one after another. The exit status is 1 where a result was mixed up,
lost, or sent twice.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from .conversations import LOOPS
from .measure import Load, measure
from .page import page


def _apart(loop: str, many: int, seconds: float) -> Load:
    """Measure in a process of its own, so that no loop pays for another's memory."""
    command = [sys.executable, "-m", "bench.load", "--loop", loop, "--conversations", str(many)]
    done = subprocess.run([*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Load)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the page.

    Args:
        arguments: of the command line.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--conversations", type=int, default=1000, help="conversations at once")
    parser.add_argument("--seconds", type=float, default=60, help="of the clock, for each loop")
    parser.add_argument("--loop", choices=[*LOOPS], help="measure one, in this process, and print JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page")
    options = parser.parse_args(arguments)
    if options.loop is not None:
        load = measure(options.loop, options.conversations, options.seconds)
        sys.stdout.buffer.write(msgspec.json.encode(load))
        return 0
    loads = []
    for loop in LOOPS:
        print(f"{loop}: {options.conversations} conversations, {options.seconds:g} s", file=sys.stderr)
        loads += [_apart(loop, 1, 3), _apart(loop, options.conversations, options.seconds)]
    text = page(loads)
    if options.write is None:
        sys.stdout.write(text)
    else:
        options.write.write_text(text, "utf-8")
    wrong = [load.counts.mixed + load.counts.lost + load.counts.surplus for load in loads]
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
