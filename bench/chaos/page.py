"""The report, as Markdown."""

from __future__ import annotations

from collections import Counter

from .held import slope
from .run import Tally

RESIDENT = 40.0
"""Bytes of resident memory by which a call may let the process grow: 4 MB in 100,000 calls."""
BLOCKS = 0.05
"""Blocks of Python's memory by which a call may let it grow."""
ENOUGH = 20
"""Rounds from which on a slope says something."""
OUTCOMES = ("succeeded", "refused", "timed out", "cancelled")

HEAD = """\
# Calls under faults

**Whatever fails around calls, nothing is left behind, and no call ends in an internal error.**

<!-- Written by `make chaos`; do not edit. -->

"""
METHOD = """\
`python -m bench.chaos` calls every tool of the reference toolset, 24 calls at once, while the system fails
around them. Arguments are plausible (72 %), composed from the contracts (12 %), broken (9 %) or hostile (7
%).

After each {each} calls the registry is closed, at times during calls. Then no descriptor, process, task,
thread, temporary file or lock may remain. jsonschema-rs validates each success by the contract of its
results; every other result must be a failure with a reason, and none an internal error.

Besides the faults of the table, servers close, cut, delay and garble their answers, names have no address
or a private one, and a third of the tools of most registries has a limit of 1 ms to 1 s.
"""


def growth(tally: Tally, each: int) -> tuple[float, float]:
    """Bytes and blocks that a call has added, over the second half of the rounds."""
    resident = slope([memory.resident for memory in tally.memory], each)
    return resident, slope([memory.blocks for memory in tally.memory], each)


def problems(tally: Tally, each: int) -> list[str]:
    """What is wrong, one line each, findings of one kind counted."""
    kinds = Counter(finding.trace.rpartition("\n")[2] or finding.what[:160] for finding in tally.findings)
    found = [f"{count} × {kind}" for kind, count in kinds.most_common()]
    resident, blocks = growth(tally, each)
    if len(tally.memory) >= ENOUGH and (resident > RESIDENT or blocks > BLOCKS):
        found.append(f"memory grows: {resident:.1f} bytes and {blocks:.3f} blocks per call")
    return found


def summary(tally: Tally, seconds: float) -> str:
    """The run in a line."""
    calls, last = sum(tally.calls.values()), tally.memory[-1]
    return (
        f"{calls} calls, {sum(tally.faults.values())} faults, {len(tally.findings)} findings; "
        f"{last.resident / 1e6:.1f} MB, {last.blocks} blocks; {seconds:.0f} s, {calls / seconds:.0f} calls/s"
    )


def page(tally: Tally, seed: str, each: int, seconds: float) -> str:
    """The report of a run."""
    calls = sum(tally.calls.values())
    resident, blocks = growth(tally, each)
    left = sum("left: " in finding.what for finding in tally.findings)
    sizes = [memory.resident / 1e6 for memory in tally.memory]
    half = sizes[len(sizes) // 2 :]
    lines = [
        f"{HEAD}{calls:,} calls with seed {seed}, {len(tally.memory)} registries, "
        f"{sum(tally.faults.values()):,} faults, {seconds / 60:.0f} minutes:",
        "",
        "| held after a registry was closed | |",
        "|---|---:|",
        f"| descriptors, processes, tasks, threads, temporary files and locks, beyond the first | {left} |",
        f"| internal errors, wrong results, exceptions in the background | {len(tally.findings) - left} |",
        f"| resident memory, first and last round | {sizes[0]:.1f} MB, {sizes[-1]:.1f} MB |",
        f"| the same over the second half, least and most | {min(half):.1f} MB, {max(half):.1f} MB |",
        f"| growth per call over the second half (at most {RESIDENT:g} bytes) | {resident:.1f} bytes |",
        f"| blocks of Python's memory per call (at most {BLOCKS:g}) | {blocks:.3f} |",
        f"| files that writes could not remove, and that the next write did | {tally.removed} |",
        f"| descriptors at most, when calls were over and the registry open | {tally.peak} |",
        "",
        "| tool | calls | " + " | ".join(OUTCOMES) + " |",
        "|---|---:|" + "---:|" * len(OUTCOMES),
    ]
    for tool in sorted({tool for tool, _ in tally.calls}):
        counts = [tally.calls[tool, outcome] for outcome in OUTCOMES]
        total = sum(count for (name, _), count in tally.calls.items() if name == tool)
        lines.append(f"| `{tool}` | {total:,} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    lines += ["", "| fault | times |", "|---|---:|"]
    lines += [f"| {name} | {count:,} |" for name, count in tally.faults.most_common()]
    lines += [f"| registry made over a damaged database, and refused | {tally.refused} |"]
    lines += ["", METHOD.format(each=f"{each:,}")]
    return "\n".join(lines)
