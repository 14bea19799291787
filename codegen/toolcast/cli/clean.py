"""`toolcast clean`."""

from pathlib import Path

import click

from ..config import show
from ..console import write_line
from .options import config_option, configuration, examples, print_diagnostics


@click.command(
    "clean",
    epilog=examples(
        "toolcast clean --dry-run",
        "toolcast clean",
    ),
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@config_option
def command(dry_run: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark. The
    exit status is 1 if there is an error.
    """
    config = configuration(config_file)

    from ..project.clean import clean

    report = clean(
        config,
        dry_run=dry_run,
        waiting=lambda message: write_line(message, err=True),
    )
    print_diagnostics(report.diagnostics)
    count = len(report.files)
    if dry_run:
        for path in report.files:
            write_line(f"would remove  {show(config.output)}/{path}")
        write_line(f"toolcast: {_files(count)} would be removed, and {show(config.state)}/")
    else:
        write_line(f"toolcast: {_files(count)} removed")
    return int(any(problem.severity == "error" for problem in report.diagnostics))


def _files(count: int) -> str:
    return f"{count} file{'s'[: count != 1]}"
