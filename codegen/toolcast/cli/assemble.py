"""`toolcast assemble`: the last step of a build that another engine runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..config import show
from ..console import Format, write_line
from ..spec.tool_names import shown
from .build_step import expanded, setting_of
from .building import stale_lines
from .options import (
    config_option,
    configuration,
    disk_problem,
    examples,
    format_option,
    print_diagnostics,
    refuse,
)

if TYPE_CHECKING:
    from ..project.state.cache import Cache


@click.command(
    "assemble",
    epilog=examples(
        "toolcast assemble build/* --out generated                  the whole output folder",
        "toolcast assemble @shards.txt --only-whole --out whole     registry, manifest",
    ),
)
@click.argument("shards", nargs=-1, required=True, metavar="DIR…")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The output folder, which may hold an earlier set.",
)
@click.option(
    "--only-whole",
    is_flag=True,
    help="Leave the files of the steps where they are, and write those that speak of all tools.",
)
@click.option(
    "--stamp",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there a line for each file with its digest; it is left alone if nothing changed.",
)
@format_option
@config_option
def command(
    shards: Sequence[str],
    out: Path,
    only_whole: bool,
    stamp: Path | None,
    form: Format,
    config_file: Path | None,
) -> int:
    """Put together what `compile` made: the files about all tools, and conflicts.

    For build engines. A DIR is the `--out` of a compile step (or the `units.json` in it); @FILE stands for
    the lines of FILE. Whatever the steps were, the outcome is what `generate` leaves: a spec with errors
    keeps what is in the output folder of it. The stamp is written only if all went well. The exit status is 1
    if a spec has an error.
    """
    config = configuration(config_file, form, staged=True)
    setting = setting_of(config, form)

    from ..project.former import stale_outputs
    from ..project.steps.assemble import DamagedError, assemble, fingerprint_of, open_output, publish_set
    from ..project.steps.shard import output_files, write_alone

    folders = _folders(expanded(shards))
    read = {folder: _read(folder, form) for folder in folders}
    assembled = assemble(
        {show(folder): units for folder, units in read.items()},
        setting.kit,
        shown_root=show(config.specs),
        out=None if only_whole else open_output(out),
    )

    compiled = output_files(assembled.units, read)

    problems = assembled.diagnostics
    failed = assembled.failed
    try:
        if assembled.files:
            found = publish_set(
                assembled,
                None if only_whole else compiled,
                out,
                shown_output=show(out),
                config=config,
                waiting=lambda message: write_line(message, err=True),
            )
            problems = (*problems, *found)
            failed |= any(problem.severity == "error" for problem in found)
        if stamp is not None and not failed:
            write_alone(stamp, fingerprint_of(assembled))
    except DamagedError as error:
        print_diagnostics(problems, form)
        message = "is gone, or not what the compile step wrote"
        raise refuse(compiled[str(error)], "damaged", message, "run that step again", form=form) from None
    except OSError as error:
        print_diagnostics(problems, form)
        raise disk_problem(error, out, form) from None
    print_diagnostics(sorted(problems), form)
    if form == "text":
        root = show(config.specs)
        for line in stale_lines(stale_outputs(assembled.former, lambda path: shown(root, path))):
            write_line(line, err=True)
    return int(failed)


def _folders(arguments: Sequence[str]) -> list[Path]:
    from ..project.steps.shard import UNITS

    paths = [Path(argument) for argument in dict.fromkeys(arguments)]
    return [path.parent if path.name == UNITS else path for path in paths]


def _read(folder: Path, form: Format) -> "Cache":
    from ..project.state.cache import CacheError
    from ..project.steps.shard import UNITS, read_shard

    try:
        return read_shard(folder)
    except CacheError as error:
        hint = "name the folders that `toolcast compile` wrote, and run that step again"
        raise refuse(folder / UNITS, "no-records", str(error), hint, form=form) from None
