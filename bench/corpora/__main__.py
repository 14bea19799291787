"""`python -m bench.corpora`: compile every shared corpus, print the page, exit 1 on any problem."""

import os
import sys
import tempfile
from pathlib import Path

import click

from .compile import CORPORA, PROVIDERS
from .measure import Measured, measure
from .report import page

_ROOT = Path(__file__).resolve().parents[2]
_WANTED = 0.9
"""The least share of tools that must compile."""


@click.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here, too.")
@click.option(
    "--check", type=click.Path(dir_okay=False, path_type=Path), help="Fail if this file is not the page."
)
@click.option("--every", type=click.IntRange(min=1), default=1, help="Take each N-th tool only.")
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), help="New folder for specs and outputs."
)
def main(write: Path | None, check: Path | None, every: int, keep: Path | None) -> None:
    """Compile every shared corpus and have the outcome judged."""
    shared = Path(os.environ.get("TOOLCAST_SHARED", _ROOT.parent / "shared")) / "corpora"
    if missing := [name for name in CORPORA if not (shared / f"{name}.jsonl").is_file()]:
        raise click.ClickException(f"not found in {shared}: {', '.join(missing)}; set TOOLCAST_SHARED")
    with tempfile.TemporaryDirectory(prefix="corpora-") as temporary:
        folder = Path(temporary) if keep is None else keep
        measured = [_measure(shared / f"{name}.jsonl", folder, every) for name in CORPORA]
    text = page(measured, len(PROVIDERS))
    if write is not None:
        write.write_text(text, encoding="utf-8", newline="\n")
    click.echo(text)
    problems = [f"{each.corpus}: {problem}" for each in measured for problem in each.problems]
    if sum(each.compiled for each in measured) < _WANTED * sum(each.tools for each in measured):
        problems.append(f"less than {_WANTED:.0%} compiled")
    if check is not None and (not check.is_file() or check.read_text(encoding="utf-8") != text):
        problems.append(f"{check} is not what was measured; run `make corpora`")
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(int(bool(problems)))


def _measure(file: Path, folder: Path, every: int) -> Measured:
    click.echo(f"{file.stem} …", err=True)
    return measure(file, folder, every=every)


if __name__ == "__main__":
    main()
