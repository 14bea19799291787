"""`python -m bench.report`: the report of many real tools, as `toolcast report` writes it.

    python -m bench.report --tools 1000 --out report.html
    python -m bench.report --tools 1000 --project FOLDER      keep the project there

Prints the size of the page, and the seconds that a report takes before and after a build.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

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
def main(count: int, out: Path, project: Path | None, corpora: Path) -> None:
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
    print(f"report: {first:.1f} s before the first build, {second:.1f} s after it")


def _run(folder: Path, *words: str) -> float:
    """Seconds that a command takes."""
    started = time.perf_counter()
    subprocess.run(
        (sys.executable, "-m", "toolcast", *words), cwd=folder, check=True, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
