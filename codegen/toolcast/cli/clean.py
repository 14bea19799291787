"""`toolcast clean`."""

from pathlib import Path

import click

from ..config import Config, show
from ..console import write_line
from .options import config_option, configuration, examples, print_diagnostics, refuse


@click.command(
    "clean",
    epilog=examples(
        "toolcast clean --dry-run",
        "toolcast clean",
        "toolcast clean --former     only what lies where `output` was before",
        "toolcast clean --cache      only the folder that machines share",
    ),
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--former", is_flag=True, help="Leave the present output; remove what lies in former ones.")
@click.option("--cache", is_flag=True, help="Empty the shared cache folder instead, for all who use it.")
@config_option
def command(dry_run: bool, former: bool, cache: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark. Folders
    that the configuration named as `output` before are looked at, too. The exit status is 1 if there is
    an error.
    """
    if former and cache:
        raise click.UsageError("--former and --cache exclude each other.")
    config = configuration(config_file)
    if cache:
        return _empty(config, dry_run=dry_run)

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


def _empty(config: Config, *, dry_run: bool) -> int:
    from ..project.artifacts.cache_location import locate_cache
    from ..project.artifacts.folder import Folder, clear
    from ..project.artifacts.store import StoreError

    located, problem = locate_cache(config)
    if problem is not None:
        print_diagnostics((problem,))
        return 1
    if located is None:
        raise refuse(
            "pyproject.toml", "no-cache", "no shared cache is configured", "see docs/reference/caching.md"
        )
    if not isinstance(located.store, Folder):
        hint = "its server deletes what is old, and says how to empty it"
        raise refuse(located.named, "cache-remote", f"{located.store.shown} is no folder", hint)
    try:
        files, size = clear(located.store.session().path, dry_run=dry_run)
    except (OSError, StoreError) as error:
        message = str(error) if isinstance(error, StoreError) else str(error.strerror)
        raise refuse(located.store.shown, "cache-failed", message, "correct that, then try again") from None
    verb = "would be removed" if dry_run else "removed"
    write_line(f"toolcast: {_files(files)} ({size / 1e6:.1f} MB) {verb} from {located.store.shown}")
    return 0
