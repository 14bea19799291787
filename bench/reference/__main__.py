"""Writes the pages of docs/reference that are made from the source, data of what providers take, and skills/.

    python -m bench.reference --write

Without `--write` it lists what is out of date. In both cases it lists what a public docstring
lacks: a parameter, the return value, an exception that the body raises, a field of a Struct.
"""

import argparse
import sys

from . import agent_skill, rule_data
from .all_pages import FOLDER, NAMES, all_pages, differing, write
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
    act = write if options.write else differing
    found = [f"docs/reference/{each}" for each in act(FOLDER, all_pages(), NAMES)]
    data = act(rule_data.FOLDER, rule_data.data_files(), rule_data.VECTORS)
    found += [f"codegen/toolcast/providers/{each}" for each in data]
    skills = act(agent_skill.FOLDER, agent_skill.agent_skill(), agent_skill.ALL)
    found += [f"skills/{each}" for each in skills]
    sys.stdout.write("".join(f"{each}\n" for each in found))
    return int(bool(lacking) or (bool(found) and not options.write))


if __name__ == "__main__":
    sys.exit(main())
