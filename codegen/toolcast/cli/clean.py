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
        "toolcast clean --former     only what lies where `output` was before",
    ),
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--former", is_flag=True, help="Leave the present output; remove what lies in former ones.")
@config_option
def command(dry_run: bool, former: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark. Folders
    that the configuration named as `output` before are looked at, too. The exit status is 1 if there is
    an error.
    """
    config = configuration(config_file)

    from ..project.clean import clean

    report = clean(
        config,
        dry_run=dry_run,
        only_former=former,
        waiting=lambda message: write_line(message, err=True),
    )
    print_diagnostics(report.diagnostics)
    folders = (*report.former, (config.output, report.files))
    count = sum(len(files) for _, files in folders)
    if dry_run:
        for folder, files in folders:
            for path in files:
                write_line(f"would remove  {show(folder)}/{path}")
        state = "" if former else f", and {show(config.state)}/"
        write_line(f"toolcast: {_files(count)} would be removed{state}")
    else:
        write_line(f"toolcast: {_files(count)} removed")
    return int(any(problem.severity == "error" for problem in report.diagnostics))


def _files(count: int) -> str:
    return f"{count} file{'s'[: count != 1]}"
