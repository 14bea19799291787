"""`python -m bench.peers`: other transformers' outputs beside ours, in the environment of `make peers`."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec

from ..marked import write
from .constructs import CONSTRUCTS
from .ours import ours
from .table import failures, page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the page's marks")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write each verdict, with its reason, here")
    given = parser.parse_args()

    from .outputs import peers
    from .transforms import PEERS

    mine, others = ours(CONSTRUCTS), peers(CONSTRUCTS)
    packages = sorted({peer.package for peer in PEERS})
    text = page(mine, others, ", ".join(f"{package} {version(package)}" for package in packages))
    if given.json is not None:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode({"ours": mine, "peers": others})))
    if given.write is None:
        sys.stdout.write(text)
    else:
        write(given.write, "peers", text)
    wrong = failures(mine)
    for each in wrong:
        sys.stderr.write(f"not as wanted: {each}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
