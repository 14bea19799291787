"""`python -m bench.baseline`: compare what the program puts out with the recorded digests.

    python -m bench.baseline                     compare; the exit status is 1 where a digest differs
    python -m bench.baseline --write             record the digests of now
    python -m bench.baseline --keep DIR          also write every output below DIR; two such folders show a
                                                 difference with `diff -r`
    python -m bench.baseline --section fuzz      only this section (repeatable)

A line of the record is a group of outputs, how many there are, and the digest of their names and bytes.
"""

import argparse
import difflib
import hashlib
import os
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from .sections import SECTIONS, Output

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("digests.txt")
_DIGITS = 16


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status: 0 equal, 1 different, 2 the shared corpora are missing."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.baseline", description="Compare outputs with a record."
    )
    parser.add_argument("--write", action="store_true", help="record the digests of now")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write every output below this new folder")
    parser.add_argument(
        "--section", action="append", choices=sorted(SECTIONS), help="only this one (repeatable)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all)")
    options = parser.parse_args(arguments)
    shared = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    if not shared.is_dir():
        print(f"the shared corpora are not at {shared}; set TOOLCAST_SHARED", file=sys.stderr)
        return 2
    sections = options.section or list(SECTIONS)
    lines = _digests(sections, shared, options.keep, options.jobs)
    if options.write:
        others = [line for line in _recorded() if line.split("/", 1)[0] not in sections]
        RECORD.write_text("".join(f"{line}\n" for line in sorted([*others, *lines])), "utf-8", newline="\n")
        return 0
    expected = [line for line in _recorded() if line.split("/", 1)[0] in sections]
    different = list(difflib.unified_diff(expected, lines, "recorded", "now", n=0, lineterm=""))
    print("\n".join(different) if different else f"{len(lines)} digests are equal")
    return int(bool(different))


def _recorded() -> list[str]:
    return RECORD.read_text("utf-8").splitlines() if RECORD.is_file() else []


def _digests(sections: list[str], shared: Path, keep: Path | None, jobs: int) -> list[str]:
    """The lines of the record, sorted."""
    lines: list[str] = []
    with ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(_section, name, shared, keep): name for name in sections}
        for done in as_completed(running):
            found, seconds = done.result()
            lines += found
            print(f"{running[done]}: {len(found)} digests, {seconds:.0f} s", file=sys.stderr, flush=True)
    return sorted(lines)


def _section(name: str, shared: Path, keep: Path | None) -> tuple[list[str], float]:
    """One section's lines, and how many seconds they took."""
    started = time.monotonic()
    groups: dict[str, list[Output]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="baseline-") as temporary:
        for output in SECTIONS[name](Path(temporary), shared):
            groups[f"{name}/{output.group}"].append(output)
            if keep is not None:
                path = keep / name / output.group / output.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(output.content)
    lines = [f"{group} {len(outputs)} {_digest(outputs)}" for group, outputs in groups.items()]
    return lines, time.monotonic() - started


def _digest(outputs: list[Output]) -> str:
    found = hashlib.sha256()
    for output in sorted(outputs, key=lambda each: each.name):
        for part in (output.name.encode(), output.content):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
    return found.hexdigest()[:_DIGITS]


if __name__ == "__main__":
    sys.exit(main())
