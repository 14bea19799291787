"""The figures as Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from ..speed.table import table
from . import fresh
from .calls import AT_ONCE, Calls
from .fresh import Cost
from .names import FULL, OURS, PYDANTIC, RAW

MOST_OVER_RAW = 6.0  # microseconds
LEAST_FASTER = 3.0


def page(calls: Calls, costs: Mapping[str, Cost], rounds: int, processes: int, load: str) -> str:
    """All tables, with how they were made."""
    versions = ", ".join(f"{package} {version}" for package, version in calls.versions.items())
    return "\n".join(
        [
            f"Python {platform.python_version()} on {os.cpu_count()} processors, load {load}; {versions}.",
            "",
            f"Calls: medians of {rounds} alternating rounds, in microseconds of processor time.",
            "",
            *_calls(calls),
            "",
            *_held(calls),
            "",
            f"{AT_ONCE:,} calls at once, with policy and hooks: {calls.at_once:.2f} s by the clock;",
            "each got its own result.",
            "",
            f"A thousand tools in a fresh process, by the clock: medians of {processes} rounds. *Library* is",
            "its import, over bare Python; *tools* is all from the tools' modules to the bytes of every",
            "definition.",
            "",
            *_ready(costs),
            "",
            *_ready_held(costs),
            "",
        ]
    )


def _micro(nanoseconds: float) -> str:
    return f"{nanoseconds / 1000:.2f}" if nanoseconds < 1e5 else f"{nanoseconds / 1000:.0f}"


def _calls(calls: Calls) -> list[str]:
    small, nested = calls.times["forecast"], calls.times["order"]
    rows = [
        [name, _micro(small[name]), _over(small, name), _micro(nested[name]), _over(nested, name)]
        for name in small
    ]
    return table([["µs a call", "two scalars", "over raw", "nested order", "over raw"], *rows])


def _over(times: Mapping[str, float], name: str) -> str:
    return "" if name == RAW else f"{(times[name] - times[RAW]) / 1000:.2f}"


def _held(calls: Calls) -> list[str]:
    rows = []
    for tool, label in (("forecast", "two scalars"), ("order", "nested order")):
        times = calls.times[tool]
        fastest = min(FULL, key=lambda name: times[name])
        for name in OURS:
            over = (times[name] - times[RAW]) / 1000
            faster = times[fastest] / times[name]
            rows.append(
                [
                    f"{label}: {name}",
                    _met(f"{over:.2f}", over <= MOST_OVER_RAW),
                    _met(f"{faster:.1f}", faster >= LEAST_FASTER),
                    fastest,
                    f"{times[name] / times[PYDANTIC]:.2f}",
                ]
            )
    head = [
        f"wanted: ≤ {MOST_OVER_RAW:g} µs over raw, ≥ {LEAST_FASTER:g} × faster than the fastest full path",
        "over raw",
        "× faster",
        "than",
        "÷ pydantic",
    ]
    return table([head, *rows])


def _met(figure: str, met: bool) -> str:
    return f"{figure}, met" if met else f"{figure}, **not met**"


def _ready(costs: Mapping[str, Cost]) -> list[str]:
    rows = [
        [
            name,
            f"{cost.library:.3f}",
            f"{cost.tools:.3f}",
            f"{cost.whole:.3f}",
            f"{cost.library_mib:.1f}",
            f"{cost.tools_mib:.1f}",
            f"{cost.whole_mib:.1f}",
        ]
        for name, cost in costs.items()
    ]
    return table(
        [["", "library, s", "tools, s", "both, s", "library, MiB", "tools, MiB", "both, MiB"], *rows]
    )


def _ready_held(costs: Mapping[str, Cost]) -> list[str]:
    ours = costs["toolcast"]
    others = [cost for name, cost in costs.items() if name not in fresh.OURS]
    rows = []
    for label, seconds, mib in (("both", "whole", "whole_mib"), ("tools alone", "tools", "tools_mib")):
        faster = min(getattr(cost, seconds) for cost in others) / getattr(ours, seconds)
        memory = getattr(ours, mib) / min(getattr(cost, mib) for cost in others)
        rows.append(
            [
                label,
                f"{faster:.1f}",
                f"{memory:.2f}",
            ]
        )
    head = [
        "a thousand tools, beside the best of the others in each figure",
        "× faster",
        "÷ memory",
    ]
    return table([head, *rows])
