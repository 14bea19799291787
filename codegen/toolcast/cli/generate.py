"""`toolcast generate` and `toolcast clean`."""

from pathlib import Path

import click
from msgspec import Struct

from ..config import show
from ..console import Format, count, write_line
from ..diagnostics import has_errors
from .building import Wanted, generate
from .options import config_option, configuration, examples, format_option, print_diagnostics, takes


class _Options(Struct, frozen=True, kw_only=True):
    check: bool
    diff: bool
    dry_run: bool
    watch: bool
    jobs: int | None
    form: Format
    config_file: Path | None


@click.command(
    "generate",
    epilog=examples(
        "toolcast generate                    write what differs",
        "toolcast generate --check            fail if the output is out of date (for CI)",
        "toolcast generate --diff | less -R   show what would change",
        "toolcast generate --dry-run          list what would be written and deleted",
        "toolcast generate --watch            build after every save",
        "toolcast generate --format github    problems as CI annotations",
    ),
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the output is not what the specs say.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change in generated files.")
@click.option("--dry-run", is_flag=True, help="Write nothing; list what would be written and deleted.")
@click.option("--watch", is_flag=True, help="Build again after every save, until interrupted.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes to compile in (default: all processors).",
)
@format_option
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Compile the specs into the output folder.

    Only what differs is written, and only what an earlier run wrote is deleted. A spec with errors keeps its
    former output; all others are compiled all the same. The exit status is 1 if there is an error, and with
    --check if the output is out of date; --watch ends with 0.
    """
    if options.check + options.diff + options.dry_run > 1:
        raise click.UsageError("--check, --diff and --dry-run exclude each other.")
    if options.watch:
        if options.check or options.diff or options.dry_run:
            raise click.UsageError("--watch writes: it goes with neither --check, --diff nor --dry-run.")
        from .watch import watch

        return watch(options.config_file, options.form, options.jobs)
    wanted: Wanted = (
        "check" if options.check else "diff" if options.diff else "dry-run" if options.dry_run else "write"
    )
    return generate(options.config_file, wanted=wanted, jobs=options.jobs, form=options.form)


@click.command(
    "clean",
    epilog=examples(
        "toolcast clean --dry-run",
        "toolcast clean",
    ),
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@config_option
def clean_command(dry_run: bool, config_file: Path | None) -> int:
    """Remove everything generated, and the local cache.

    Only files that stand in the manifest are removed, and Python files only while they bear our mark. The
    exit status is 1 if there is an error.
    """
    config = configuration(config_file)

    from ..project.output.publish import clean

    report = clean(
        config,
        dry_run=dry_run,
        waiting=lambda message: write_line(message, err=True),
    )
    print_diagnostics(report.diagnostics)
    files = count(len(report.files), "file")
    if dry_run:
        for path in report.files:
            write_line(f"would remove  {show(config.output)}/{path}")
        write_line(f"toolcast: {files} would be removed, and {show(config.state)}/")
    else:
        write_line(f"toolcast: {files} removed")
    return int(has_errors(report.diagnostics))
