"""`toolcast compile` and `toolcast assemble`, the steps of a build that another engine runs."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from ..config import Config, show
from ..console import Format, write_line
from ..diagnostics import has_errors
from ..spec.discovery import kind_of
from ..spec.tool_names import shown
from ..spec.type_folders import is_outside
from .building import stale_lines
from .options import (
    config_option,
    configuration,
    disk_problem,
    examples,
    format_option,
    print_diagnostics,
    refuse,
    takes,
)

if TYPE_CHECKING:
    from ..project.state.cache import Cache
    from ..project.steps.shard import Folders, Setting


def _expanded(arguments: Sequence[str]) -> list[str]:
    """Replace each `@FILE` by the lines of FILE."""
    found: list[str] = []
    for argument in arguments:
        if not argument.startswith("@"):
            found.append(argument)
            continue
        try:
            text = Path(argument[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"{argument[1:]} cannot be read: {error}") from None
        found += [line for line in text.splitlines() if line]
    return found


def _setting_of(config: Config, form: Format) -> "Setting":
    from ..project.steps.shard import read_setting

    setting, problems = read_setting(config)
    if setting is None:
        print_diagnostics(problems, form)
        raise click.exceptions.Exit(1)
    return setting


class _CompileOptions(Struct, frozen=True, kw_only=True):
    specs: Sequence[str]
    out: Path
    depfile: Path | None
    types: Sequence[str]
    unused: Path | None
    roots: Sequence[Path]
    form: Format
    config_file: Path | None


@click.command(
    "compile",
    epilog=examples(
        "toolcast compile specs/files/*.yaml --out build/files",
        "toolcast compile @shard.txt --out build/shard --depfile build/shard.d",
        "toolcast assemble build/* --out generated",
    ),
)
@click.argument("specs", nargs=-1, required=True, metavar="SPEC…")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder for records and files; it belongs to this step, and what else is in it is deleted.",
)
@click.option(
    "--depfile",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there, as a rule for Make and Ninja, every file that was read.",
)
@click.option(
    "--root",
    "roots",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="The specs folder (default: that of the configuration). Several make up one.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="FILE",
    help="A shared type that may be read, or @FILE for several; what counts is --unused.",
)
@click.option(
    "--unused",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there each --type that was not read, a line for each.",
)
@format_option
@config_option
@takes(_CompileOptions)
def compile_command(options: _CompileOptions) -> int:
    """Compile just these specs, and no file about all of them.

    For build engines: a pure function of the files that it reads, in one process, with no cache. A SPEC is a
    tool or a shared type below the specs folder; @FILE stands for the lines of FILE. Of a tool's shared types
    only what it needs is read; the types themselves are SPECs of this step or of another one. The exit status
    is 1 if a SPEC has an error.
    """
    config = configuration(options.config_file, options.form, staged=True)
    setting = _setting_of(config, options.form)

    from ..project.core.pure import Made, compile_specs
    from ..project.profiles import find_types
    from ..project.steps.shard import (
        UNITS,
        Folders,
        ForeignFolderError,
        generator_files,
        render_depfile,
        write_alone,
        write_shard,
    )

    types_outside, problems = find_types(config, staged=True)
    if problems:
        print_diagnostics(problems, options.form)
        return 1
    folders = Folders(options.roots or (config.specs,), types_outside)
    paths = _paths(_expanded(options.specs), folders, options.form)
    read: set[str] = set()

    def outcomes() -> Iterator[Made]:
        for made in compile_specs(paths, folders, setting.kit, shown_root=show(config.specs)):
            read.update(made.reads)
            yield made

    try:
        records = write_shard(options.out, outcomes(), setting.kit)
        if options.depfile is not None:
            files = [*setting.reads, *(Path(folders.place(path)) for path in read)]
            files += generator_files(models=bool(config.models))
            inputs = (str(file).removeprefix(f"{Path.cwd()}{os.sep}") for file in files)
            write_alone(options.depfile, render_depfile(f"{options.out.as_posix()}/{UNITS}", inputs))
        if options.unused is not None:
            idle = [name for name in _expanded(options.types) if folders.below(name) not in read]
            write_alone(options.unused, "".join(f"{name}\n" for name in idle).encode())
    except ForeignFolderError as error:
        raise refuse(
            options.out, "foreign-folder", str(error), "name a new folder with --out", form=options.form
        ) from None
    except OSError as error:
        raise disk_problem(error, options.out, options.form) from None
    # Whether any tool refers to a type outside is known to `assemble`, which then reports its errors.
    own = [unit for path, unit in records.items() if not (unit.failed and is_outside(path))]
    print_diagnostics(sorted({problem for unit in own for problem in unit.diagnostics}), options.form)
    return int(any(unit.failed for unit in own))


def _paths(specs: Sequence[str], folders: "Folders", form: Format) -> list[str]:
    paths: list[str] = []
    for spec in specs:
        path = folders.below(spec)
        if path is None or kind_of(path) is None:
            message = "is not a spec: no file of a specs folder that `generate` would compile"
            raise refuse(
                spec, "no-spec", message, "name files below the specs folder, or set --root", form=form
            )
        if path not in folders:
            message = "there is no such file, or it cannot be read"
            raise refuse(spec, "cannot-read", message, "check the path", form=form)
        paths.append(path)
    return sorted(set(paths))


class _AssembleOptions(Struct, frozen=True, kw_only=True):
    shards: Sequence[str]
    out: Path
    only_whole: bool
    stamp: Path | None
    form: Format
    config_file: Path | None


@click.command(
    "assemble",
    epilog=examples(
        "toolcast assemble build/* --out generated                  the whole output folder",
        "toolcast assemble @shards.txt --only-whole --out whole     registry, manifest",
    ),
)
@click.argument("shards", nargs=-1, required=True, metavar="DIR…")
@click.option(
    "-o",
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
@takes(_AssembleOptions)
def assemble_command(options: _AssembleOptions) -> int:
    """Put together what `compile` made: the files about all tools, and conflicts.

    For build engines. A DIR is the `--out` of a compile step (or the `units.json` in it); @FILE stands for
    the lines of FILE. Whatever the steps were, the outcome is what `generate` leaves: a spec with errors
    keeps what is in the output folder of it. The stamp is written only if all went well. The exit status is 1
    if a spec has an error.
    """
    config = configuration(options.config_file, options.form, staged=True)
    setting = _setting_of(config, options.form)

    from ..project.former import stale_outputs
    from ..project.state.cache import CacheError
    from ..project.steps.assemble import DamagedError, assemble, fingerprint_of, open_output, publish_set
    from ..project.steps.shard import UNITS, output_files, read_shard, write_alone

    paths = map(Path, dict.fromkeys(_expanded(options.shards)))
    read: dict[Path, Cache] = {}
    for folder in (path.parent if path.name == UNITS else path for path in paths):
        try:
            read[folder] = read_shard(folder)
        except CacheError as error:
            hint = "name the folders that `toolcast compile` wrote, and run that step again"
            raise refuse(folder / UNITS, "no-records", str(error), hint, form=options.form) from None
    assembled = assemble(
        {show(folder): units for folder, units in read.items()},
        setting.kit,
        shown_root=show(config.specs),
        out=None if options.only_whole else open_output(options.out),
    )

    compiled = output_files(assembled.units, read)

    problems = assembled.diagnostics
    failed = assembled.failed
    try:
        if assembled.files:
            found = publish_set(
                assembled,
                None if options.only_whole else compiled,
                options.out,
                config=config,
                waiting=lambda message: write_line(message, err=True),
            )
            problems = (*problems, *found)
            failed |= has_errors(found)
        if options.stamp is not None and not failed:
            write_alone(options.stamp, fingerprint_of(assembled))
    except DamagedError as error:
        print_diagnostics(problems, options.form)
        message = "is gone, or not what the compile step wrote"
        raise refuse(
            compiled[str(error)], "damaged", message, "run that step again", form=options.form
        ) from None
    except OSError as error:
        print_diagnostics(problems, options.form)
        raise disk_problem(error, options.out, options.form) from None
    print_diagnostics(sorted(problems), options.form)
    if options.form == "text":
        root = show(config.specs)
        for line in stale_lines(stale_outputs(assembled.former, lambda path: shown(root, path))):
            write_line(line, err=True)
    return int(failed)
