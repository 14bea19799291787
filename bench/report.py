"""`python -m bench.report`: the report of many real tools, as `toolcast report` writes it.

    python -m bench.report --tools 1000 --out report.html
    python -m bench.report --tools 1000 --project FOLDER      keep the project there
    python -m bench.report --write docs/reports/report.md     with times in Chromium (make browser)

Prints the size of the page, and the seconds that a report takes before and after a build.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from . import marked
from .report_in_browser import Times, measure
from .speed.material import tools, write_project

ROOT = Path(__file__).resolve().parents[1]
PROVIDERS = (
    *("anthropic", "bedrock", "cohere", "gemini", "mcp", "mistral", "ollama", "openai", "openai-responses"),
    *("python", "typescript"),
)


@click.command()
@click.option("--tools", "count", default=1000, show_default=True, help="How many tools.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True)
@click.option("--project", type=click.Path(path_type=Path), help="A folder for the project; it is kept.")
@click.option("--corpora", type=click.Path(path_type=Path), default=ROOT.parent / "shared" / "corpora")
@click.option("--write", "page", type=click.Path(path_type=Path), help="Write the table of this page.")
def main(count: int, out: Path, project: Path | None, corpora: Path, page: Path | None) -> None:
    """Write a report of COUNT tools, and print what it takes."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = project or Path(scratch) / "project"
        listed, origin = tools(corpora, count)
        write_project(listed, folder, PROVIDERS)
        first = _run(folder, "report", "--out", str(out.absolute()))
        _run(folder, "generate")
        second = _run(folder, "report", "--out", str(out.absolute()))
    size = out.stat().st_size / 1e6
    print(f"{count} tools ({origin}), {len(PROVIDERS)} providers: {size:.2f} MB")
    print(f"report: {first[0]:.1f} s before the first build, {second[0]:.1f} s after it")
    if page is None:
        return
    times = measure(out.absolute(), count)
    rows = [
        (f"page of {count:,} tools ({origin}), {len(PROVIDERS)} providers", f"{size:.2f} MB", "5 MB"),
        ("`toolcast report`, nothing built before: elapsed, processor", _seconds(first), ""),
        ("`toolcast report`, all built: elapsed, processor", _seconds(second), ""),
        *_browser_rows(times),
        ("load average meanwhile, of this many cores", f"{os.getloadavg()[0]:.1f}, {os.cpu_count()}", ""),
    ]
    table = ["| | measured | aim |", "|---|--:|--:|", *(f"| {' | '.join(row)} |" for row in rows)]
    marked.write(page, "report", "\n".join(table))


def _browser_rows(times: Times) -> list[tuple[str, str, str]]:
    aims = {"first contentful paint": "2,000 ms", "search, a key until the layout is done": "50 ms"}
    return [
        (f"{name}: median, worst", f"{median:.0f} ms, {worst:.0f} ms", aims.get(name, ""))
        for name, median, worst in times.rows()
    ]


def _seconds(taken: tuple[float, float]) -> str:
    return f"{taken[0]:.1f} s, {taken[1]:.1f} s"


def _run(folder: Path, *words: str) -> tuple[float, float]:
    """Seconds that a command takes: elapsed, and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        (sys.executable, "-m", "toolcast", *words), cwd=folder, check=True, stderr=subprocess.DEVNULL
    )
    elapsed = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
