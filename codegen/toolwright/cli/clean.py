"""`toolwright clean`."""

from pathlib import Path

import click

from ..config import show
from .options import config_option, configuration, examples, tell


@click.command("clean", epilog=examples("toolwright clean --dry-run", "toolwright clean"))
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@config_option
def command(dry_run: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark.
    """
    config = configuration(config_file)

    from ..build.clean import clean

    report = clean(config, dry_run=dry_run, waiting=lambda message: click.echo(message, err=True))
    tell(report.diagnostics)
    if dry_run:
        for path in report.files:
            click.echo(f"would remove  {show(config.output)}/{path}")
        click.echo(f"toolwright: {len(report.files)} files would be removed, and {show(config.state)}/")
    else:
        click.echo(f"toolwright: {len(report.files)} files removed")
    return int(any(problem.severity == "error" for problem in report.diagnostics))
