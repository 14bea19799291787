"""How long a fuzzer that goes by rounds goes on, and where it begins."""

import argparse
import os
import secrets
from collections.abc import Sequence
from typing import NamedTuple

SECONDS = float(os.environ.get("TOOLCAST_FUZZ_SECONDS", "300"))


class Turns(NamedTuple):
    """`rounds` and `seconds` are bounds; None is no bound."""

    seed: str
    start: int
    rounds: int | None
    seconds: float | None


def turns(module: str, page: str | None, arguments: Sequence[str] | None) -> Turns:
    """What `python -m MODULE` was asked for; `page` is its documentation. Prints the seed, first of all: a
    run that is cut short can be repeated."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=(page or "").partition("\n")[0])
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"stop after so long (default: {SECONDS:g}, or $TOOLCAST_FUZZ_SECONDS)",
    )
    parser.add_argument("--rounds", type=int, help="stop after so many rounds")
    parser.add_argument("--seed", default="fresh", help="any text; 'fresh' takes a new one, and prints it")
    parser.add_argument("--start", type=int, default=0, help="the number of the first round (default: 0)")
    given = parser.parse_args(arguments)
    seed = str(secrets.randbelow(2**32)) if given.seed == "fresh" else given.seed
    seconds = SECONDS if given.seconds is None and given.rounds is None else given.seconds
    print(f"seed {seed}", flush=True)
    return Turns(seed, given.start, given.rounds, seconds)
