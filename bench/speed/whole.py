"""Where the time of one whole cold run goes, by the clock: `python -m bench.speed.whole PROJECT`.

The functions that each stage consists of are timed from outside; the build knows nothing of it. Prints one
line of JSON: stage → seconds by the clock, of this process, and of the workers; and the peak of their memory.
The time of workers is known when they have ended, and so it is told with the rest.
"""

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STAGES = {
    "what all depend on": [("generate", "_snapshot"), ("generate", "profiles_of"), ("generate", "walk")],
    "compiling, in workers": [("generate", "compile_tasks")],
    "registry and ledger": [("generate", "make_package")],
    "plan": [("generate", "plan_outputs")],
    "writing": [("generate", "publish")],
    "remembering": [("generate", "save_cache"), ("index", "Index.save")],
}
IMPORTS, REST = "imports", "the rest"
MEMORY = "peak memory, MB"
"""Of this process, and of the largest worker."""


class Clock:
    """What was spent so far: by the clock, in this process, in its children."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}

    def wrap(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            before = now()
            try:
                return function(*args, **kwargs)
            finally:
                self.add(stage, before)

        return timed

    def add(self, stage: str, before: tuple[float, float, float]) -> None:
        total = self.spent.setdefault(stage, [0.0, 0.0, 0.0])
        total[:] = [old + end - start for old, start, end in zip(total, before, now(), strict=True)]


def now() -> tuple[float, float, float]:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        time.perf_counter(),
        own.ru_utime + own.ru_stime,
        children.ru_utime + children.ru_stime,
    )


def measure(project: Path) -> dict[str, list[float]]:
    """Build `project`, which must have no output and no cache; seconds by stage."""
    os.chdir(project)
    gc.disable()  # as the command does
    clock = Clock()
    started = now()
    from toolcast.config import load_config
    from toolcast.project import generate
    from toolcast.project.state import index
    from toolcast.project.worker import FRONTEND

    clock.add(IMPORTS, started)
    modules: dict[str, Any] = {"generate": generate, "index": index}
    for stage, places in STAGES.items():
        for module, name in places:
            owner, _, last = name.rpartition(".")
            holder = getattr(modules[module], owner) if owner else modules[module]
            setattr(holder, last, clock.wrap(stage, getattr(holder, last)))
    config, problems = load_config(project)
    if config is None:
        raise SystemExit(f"{problems}")
    report = generate.build(config, FRONTEND)
    if report.failed:
        raise SystemExit(f"{report.diagnostics[:3]}")
    total = [end - start for start, end in zip(started, now(), strict=True)]
    told = [sum(each[n] for each in clock.spent.values()) for n in range(3)]
    clock.spent[REST] = [whole - part for whole, part in zip(total, told, strict=True)]
    return {**clock.spent, MEMORY: [_peak(resource.RUSAGE_SELF), _peak(resource.RUSAGE_CHILDREN)]}


def _peak(who: int) -> float:
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss / unit


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
