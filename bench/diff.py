"""`python -m bench.diff`: how long `toolcast diff` takes, by how many of the tools differ.

python -m bench.diff                                  1,000 tools
python -m bench.diff --tools 200 --rounds 1
python -m bench.diff --write docs/reports/performance.md
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from .marked import write
from .speed.material import Tool, changed, spec_path, spec_text, tools, write_project
from .speed.timing import BenchError, environment, median, timed

ROOT = Path(__file__).resolve().parents[1]
_PART = "diff"
_PROGRAM = "import sys; from toolcast.cli.main import run; sys.exit(0 if run(sys.argv[1:]) in (0, 1) else 3)"


def _reworded(tool: Tool) -> Tool:
    return Tool(tool.name, f"{tool.description} Reworded.", tool.parameters)


def _widened(tool: Tool) -> Tool:
    return changed(tool, 1)


def _broken(tool: Tool) -> Tool:
    properties = {**tool.parameters.get("properties", {}), "needed": {"type": "boolean"}}
    required = [*tool.parameters.get("required", ()), "needed"]
    return Tool(
        tool.name, tool.description, {**tool.parameters, "properties": properties, "required": required}
    )


EDITS: Sequence[tuple[str, Callable[[Tool], Tool]]] = (
    ("another description", _reworded),
    ("a further parameter", _widened),
    ("a further parameter that is required", _broken),
)


def rows(listed: Sequence[Tool], rounds: int, folder: Path) -> Iterator[tuple[str, int, float, float]]:
    """What was done to how many tools, and the median of seconds by the clock and of processors."""
    project = folder / "project"
    write_project(list(listed), project)
    git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "state")):
        subprocess.run((*git, *words), cwd=project, check=True, capture_output=True)
    env = environment(folder / "bytecode")
    command = (os.fspath(ROOT / ".venv/bin/python"), "-c", _PROGRAM, "diff", "--level", "error")

    def measured() -> tuple[float, float]:
        timed(command, project, "toolcast: HEAD", env=env)  # modules are compiled, files are in memory
        taken = median([timed(command, project, "toolcast: HEAD", env=env) for _ in range(rounds)])
        return taken.wall, taken.cpu

    yield ("nothing", 0, *measured())
    for title, edit in EDITS:
        for count in dict.fromkeys(min(number, len(listed)) for number in (10, 100, len(listed))):
            chosen = range(0, len(listed), len(listed) // count)[:count]
            for number in chosen:
                path = spec_path(project, number, listed[number])
                path.write_text(spec_text(edit(listed[number])), encoding="utf-8")
            yield (title, count, *measured())
            subprocess.run((*git, "checkout", "-q", "."), cwd=project, check=True)


def table(listed: Sequence[tuple[str, int, float, float]]) -> str:
    """The rows as Markdown."""
    lines = ["| what changed | tools that differ | seconds | of processors |", "|---|--:|--:|--:|"]
    lines += [f"| {title} | {count:,} | {wall:.2f} | {cpu:.2f} |" for title, count, wall, cpu in listed]
    return "\n".join(lines)


@click.command()
@click.option(
    "--tools", "count", type=click.IntRange(10, 20_000), default=1000, help="Tools (default: 1000)."
)
@click.option("--rounds", type=click.IntRange(min=1), default=3, help="Runs of each step (default: 3).")
@click.option(
    "--write", "target", type=click.Path(dir_okay=False, path_type=Path), help="Put the table in this page."
)
def main(count: int, rounds: int, target: Path | None) -> None:
    """Time `toolcast diff` against the last commit."""
    listed, origin = tools(Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora", count)
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = list(rows(listed, rounds, Path(folder)))
    except BenchError as error:
        raise click.ClickException(str(error)) from None
    text = f"{count:,} tools ({origin}), 5 providers, median of {rounds}:\n\n{table(found)}"
    click.echo(text)
    if target is not None:
        write(target, _PART, text)


if __name__ == "__main__":
    main()
