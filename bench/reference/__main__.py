"""Writes the pages of docs/reference that are made from the source, and the data of what providers take.

    python -m bench.reference --write

Without `--write` it lists what is out of date. In both cases it lists what a public docstring
lacks: a parameter, the return value, an exception that the body raises, a field of a Struct.
"""

import argparse
import sys

from . import rule_data
from .all_pages import FOLDER, differing, write
from .public_names import problems


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reference",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="write what is out of date")
    options = parser.parse_args()
    lacking = list(problems())
    sys.stderr.write("".join(f"{each}\n" for each in lacking))
    found = write(FOLDER) if options.write else differing(FOLDER)
    data = rule_data.write() if options.write else rule_data.outdated()
    sys.stdout.write("".join(f"docs/reference/{each}\n" for each in found))
    sys.stdout.write("".join(f"codegen/toolcast/providers/{each}\n" for each in data))
    return int(bool(lacking) or (bool(found or data) and not options.write))


if __name__ == "__main__":
    sys.exit(main())
