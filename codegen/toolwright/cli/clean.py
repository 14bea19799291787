"""`toolwright clean`."""

from pathlib import Path

import click

from ..config import Config, show
from .options import config_option, configuration, examples, refuse, tell


@click.command(
    "clean",
    epilog=examples(
        "toolwright clean --dry-run",
        "toolwright clean",
        "toolwright clean --cache      only the folder that machines share",
    ),
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--cache", is_flag=True, help="Empty the shared cache folder instead, for all who use it.")
@config_option
def command(dry_run: bool, cache: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark.
    """
    config = configuration(config_file)
    if cache:
        return _empty(config, dry_run=dry_run)

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


def _empty(config: Config, *, dry_run: bool) -> int:
    from ..build.artifacts.folder import Folder
    from ..build.artifacts.place import place_of
    from ..build.artifacts.store import StoreError
    from ..build.artifacts.trim import clear

    place, problem = place_of(config)
    if problem is not None:
        tell((problem,))
        return 1
    if place is None:
        raise refuse("pyproject.toml", "no-cache", "no shared cache is configured", "see docs/caching.md")
    if not isinstance(place.store, Folder):
        hint = "its server deletes what is old, and says how to empty it"
        raise refuse(place.named, "cache-remote", f"{place.store.shown} is no folder", hint)
    try:
        files, size = clear(place.store.session().path, dry_run=dry_run)
    except (OSError, StoreError) as error:
        message = str(error) if isinstance(error, StoreError) else str(error.strerror)
        raise refuse(place.store.shown, "cache-failed", message, "correct that, then try again") from None
    verb = "would be removed" if dry_run else "removed"
    click.echo(f"toolwright: {files} files ({size / 1e6:.1f} MB) {verb} from {place.store.shown}")
    return 0
