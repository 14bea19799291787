"""`python -m bench.watch`: from a saved spec to its published module, while `generate --watch` runs."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from .speed.material import changed, spec_path, spec_text, tools, write_project

_ROOT = Path(__file__).resolve().parents[1]
_SIZES = (20, 200, 1000)
_LIMIT = 60.0
_PAUSE = 0.25
"""Seconds between two saves of a person: after the first is published, all else is looked at."""


def saves(size: int, rounds: int, folder: Path) -> list[float]:
    """Seconds from the end of each of `rounds` saves until the module and a provider's JSON are replaced."""
    corpora = Path(os.environ.get("TOOLCAST_SHARED", _ROOT.parent / "shared")) / "corpora"
    listed, _ = tools(corpora, size)
    project = folder / str(size)
    write_project(listed, project)
    command = [sys.executable, "-m", "toolcast", "generate", "--watch", "--format", "json"]
    taken: list[float] = []
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            first = json.loads(process.stdout.readline())
            if first["summary"]["rebuilt"] != size:
                raise click.ClickException(f"of {size} specs only {first['summary']['rebuilt']} were built")
            time.sleep(0.5)
            for turn in range(1, rounds + 2):
                number = turn * 7 % size
                tool = changed(listed[number], turn)
                outputs = _outputs(project, number, tool.name)
                before = [path.stat().st_ino for path in outputs]
                spec_path(project, number, tool).write_text(spec_text(tool), encoding="utf-8")
                saved = time.perf_counter()
                while any(path.stat().st_ino == inode for path, inode in zip(outputs, before, strict=True)):
                    if time.perf_counter() - saved > _LIMIT:
                        raise click.ClickException("a save was never published")
                    time.sleep(0.001)
                taken.append(time.perf_counter() - saved)
                process.stdout.readline()
                time.sleep(_PAUSE)
        finally:
            process.kill()
    return taken[1:]  # the first one loads what only an edit needs


def _outputs(project: Path, number: int, name: str) -> list[Path]:
    generated = project / "generated"
    return [
        generated / f"group_{number // 50:02}" / f"{name}.py",
        generated / "schemas" / "openai" / f"{name}.json",
    ]


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=15, show_default=True, help="Saves per size.")
def main(rounds: int) -> None:
    """Print milliseconds from save to published outputs, for several numbers of specs."""
    click.echo("| specs | median ms | worst ms | wanted |\n|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory(prefix="bench-watch-") as folder:
        for size in _SIZES:
            taken = saves(size, rounds, Path(folder))
            middle, worst = statistics.median(taken) * 1000, max(taken) * 1000
            verdict = "met" if middle < 100 else "**not met**"
            click.echo(f"| {size:,} | {middle:.0f} | {worst:.0f} | under 100: {verdict} |")


if __name__ == "__main__":
    main()
