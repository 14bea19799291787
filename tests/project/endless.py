"""`make machine`: random edits for as long as you like, with other examples in every turn."""

import argparse
import random
import time

from hypothesis import seed

from tests.project import machine_subject
from tests.project.machine import Machine, run
from tests.project.real_machine import RealMachine


def main() -> None:
    """Raises, with the shortest way to it, what a law raises."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None, help="makes the same turns again")
    arguments = parser.parse_args()
    Machine.really = 0.5
    started, turn, seeds = time.monotonic(), 0, random.Random(arguments.seed)
    while time.monotonic() - started < arguments.seconds:
        turn += 1
        kind, number = RealMachine if turn % 5 == 0 else Machine, seeds.randrange(2**32)
        print(f"{kind.__name__}, seed {number}; {machine_subject.held} builds held so far", flush=True)
        run(seed(number)(kind), examples=10 if kind is RealMachine else 40, length=40)
    print(f"{machine_subject.held} builds were as clean ones, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
