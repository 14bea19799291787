"""The least that noticing a change can cost: list and stat every spec and every output, import nothing."""

import os
import sys


def look(folder: str) -> int:
    """Stat everything below `folder`; how many files there are."""
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            os.lstat(entry.path)
            if entry.is_dir(follow_symlinks=False):
                count += look(entry.path)
            else:
                count += 1
    return count


if __name__ == "__main__":
    print(f"{sum(look(folder) for folder in sys.argv[1:])} files")
