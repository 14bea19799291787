"""What was measured, as Markdown and as JSON."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from toolcast.project.pool import processors

from .steps import (
    BAML_COLD,
    BAML_NOTHING,
    BAML_ONE,
    BARE,
    COLD,
    LISTING,
    NOTHING,
    ONE,
    RIVAL_ALL,
    RIVAL_ONE,
    RIVAL_ONE_BARE,
    STEPS,
)
from .timing import Time, median
from .whole import MEMORY

Measured = Mapping[int, Mapping[str, Sequence[Time]]]
"""By number of specs, by step: one time per round."""

RATIOS: tuple[tuple[str, str, float | None], ...] = (
    (NOTHING, BARE, None),
    (NOTHING, LISTING, 1.5),
    (ONE, RIVAL_ONE, 0.6),
    (ONE, RIVAL_ONE_BARE, None),
    (COLD, RIVAL_ALL, 0.4),
    (NOTHING, BAML_NOTHING, None),
    (ONE, BAML_ONE, None),
    (COLD, BAML_COLD, None),
)
"""Step, what it is compared with, and the ratio that is wanted with 1,000 specs."""
_WANTED_AT = 1000


def machine() -> str:
    """The machine and the versions, in neutral words."""
    return (
        f"{processors()} processors, Python {platform.python_version()}, "
        f"datamodel-code-generator {version('datamodel-code-generator')}"
    )


def page(measured: Measured, origin: str, rounds: int) -> str:
    """Two tables: seconds, and ratios against what is wanted."""
    return "\n".join(
        [
            f"{machine()}; {origin}; medians of {rounds} interleaved rounds.",
            "datamodel-codegen wrote msgspec models for every file: each of its modules was parsed.",
            "",
            *_seconds(measured),
            "",
            *_ratios(measured),
        ]
    )


def as_json(measured: Measured, origin: str, rounds: int) -> dict[str, Any]:
    """Everything, with each single time."""
    return {
        "machine": machine(),
        "material": origin,
        "rounds": rounds,
        "specs": {
            str(size): {
                step: {
                    "median": _plain(median(times)),
                    "rounds": [_plain(each) for each in times],
                }
                for step, times in steps.items()
                if times
            }
            for size, steps in measured.items()
        },
        "ratios": [
            {
                "step": step,
                "beside": beside,
                "wanted": wanted,
                "specs": size,
                "ratio": ratio(steps, step, beside),
            }
            for step, beside, wanted in RATIOS
            for size, steps in measured.items()
            if steps.get(step) and steps.get(beside)
        ],
    }


def ratio(steps: Mapping[str, Sequence[Time]], step: str, beside: str) -> float:
    """How many times the median of `beside` the median of `step` is, by the clock."""
    return median(steps[step]).wall / median(steps[beside]).wall


def _seconds(measured: Measured) -> list[str]:
    head = ["seconds (of processors)", *(f"{size:,} specs" for size in measured)]
    shown = [step for step in STEPS if all(steps.get(step) for steps in measured.values())]
    rows = [[step, *(_cell(median(steps[step])) for steps in measured.values())] for step in shown]
    return table([head, *rows])


def _ratios(measured: Measured) -> list[str]:
    head = ["ratio", *(f"{size:,} specs" for size in measured), "wanted with 1,000"]
    rows = [head]
    for step, beside, wanted in RATIOS:
        if not all(steps.get(step) and steps.get(beside) for steps in measured.values()):
            continue
        cells = [f"{ratio(steps, step, beside):.2f}" for steps in measured.values()]
        goal = "" if wanted is None else f"≤ {wanted:g}"
        if wanted is not None and _WANTED_AT in measured:
            goal += ": " + ("met" if ratio(measured[_WANTED_AT], step, beside) <= wanted else "missed")
        rows.append([f"{step} / {beside}", *cells, goal])
    return table(rows)


def stages(found: Mapping[str, Sequence[float]]) -> list[str]:
    """Where the time of one cold run goes."""
    rows = [["stage of a cold run", "clock", "first process", "workers"]]
    rows += [[stage, *(f"{each:.3f}" for each in spent)] for stage, spent in found.items() if stage != MEMORY]
    rows.append([MEMORY, "", *(f"{each:.0f}" for each in found[MEMORY])])
    return table(rows)


def _cell(time: Time) -> str:
    return f"{time.wall:.3f} ({time.cpu:.3f})"


def _plain(time: Time) -> dict[str, float]:
    return {"wall": round(time.wall, 4), "cpu": round(time.cpu, 4)}


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; the first row is its head, the first column is text, the others are numbers."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "| "
        + " | ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(r, widths, strict=True)))
        + " |"
        for r in rows
    ]
    rule = "|" + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)) + "|"
    return [lines[0], rule, *lines[1:]]
