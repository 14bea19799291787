"""Composed schemas, the whole way: contract, module, import, decode; judged by an independent validator.

    python -m bench.fuzz --schemas 20000 --instances 50 --seed 1
    python -m bench.fuzz --seconds 120 --seed fresh

Each schema depends on the seed and its number alone. A disagreement is made small, the instance and then the
schema, and printed with both verdicts; the exit status is then 1. Refusals are counted by their code.
"""

import argparse
import secrets
import sys
import time

from toolcast.project.pool import processors
from toolcast.providers import available

from .finding import Tally, show
from .run import run


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fuzz", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--schemas", type=int, help="how many (default: 20000, or as many as fit --seconds)")
    parser.add_argument("--instances", type=int, default=50, help="for each schema (default: 50)")
    parser.add_argument("--seed", default="1", help="any text; 'fresh' takes a new one (default: 1)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first schema (default: 0)")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=processors(), help="processes (default: all processors)")
    parser.add_argument("--providers", action="store_true", help="hold all laws, for every built-in provider")
    given = parser.parse_args(arguments)
    seed = str(secrets.randbelow(2**32)) if given.seed == "fresh" else given.seed
    schemas = given.schemas or (None if given.seconds else 20_000)
    started = time.monotonic()
    print(f"seed {seed}", flush=True)  # first of all: a run that is cut short can be repeated

    def told(part: Tally, total: Tally) -> None:
        for finding in part.findings:
            print(show(finding), flush=True)
        if sys.stderr.isatty():
            print(
                f"\r{total.schemas} schemas, {len(total.findings)} findings",
                end="",
                file=sys.stderr,
                flush=True,
            )

    total = run(
        seed=seed,
        start=given.start,
        schemas=schemas,
        seconds=given.seconds,
        count=given.instances,
        jobs=given.jobs,
        providers=available() if given.providers else (),
        told=told,
    )
    seconds = time.monotonic() - started
    refused = ", ".join(f"{count} {code}" for code, count in sorted(total.refused.items())) or "none"
    print(
        f"seed {seed}: {total.schemas} schemas, {total.compiled} compiled, {total.instances} instances "
        f"({total.valid} valid; {total.barren} schemas without one), {len(total.findings)} disagreements; "
        f"refusals: {refused}; {seconds:.0f} s, {total.schemas / seconds:.1f} schemas/s"
    )
    return int(bool(total.findings))


if __name__ == "__main__":
    sys.exit(main())
