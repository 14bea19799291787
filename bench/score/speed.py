"""What the score of a set costs."""

from __future__ import annotations

import tempfile
import time
from datetime import date
from pathlib import Path

from toolcast.config import load_config
from toolcast.lint.project_tools import load_project
from toolcast.score.scoring import score

from ..speed.material import tools as material
from ..speed.material import write_project


def speed_part(corpora: Path, rounds: int = 3) -> str:
    """What a score of sets of several sizes costs, as Markdown."""
    lines = ["| tools | providers | to load and normalise, s | to score, s |", "|--:|--:|--:|--:|"]
    for count in (100, 300, 1_000):
        listed, _ = material(corpora, count)
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder) / "project"
            write_project(listed, project)
            config, _ = load_config(project)
            assert config is not None
            loads: list[float] = []
            scores: list[float] = []
            for _ in range(rounds):
                start = time.process_time()
                loaded = load_project(config, (), _quiet)
                middle = time.process_time()
                score(loaded.subjects, loaded.profiles, config.lint, date(2026, 11, 23))
                loads.append(middle - start)
                scores.append(time.process_time() - middle)
        load, made = (sorted(each)[rounds // 2] for each in (loads, scores))
        lines.append(f"| {count:,} | {len(loaded.profiles)} | {load:.2f} | {made:.2f} |")
    return "\n".join(lines)


def _quiet(done: int, total: int) -> None:
    """No progress is shown."""
