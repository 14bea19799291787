"""`toolcast ninja`."""

import os
import shlex
from pathlib import Path

import click

from ..config import show
from ..console import Format, write_line
from .disk import disk_problem
from .options import config_option, configuration, examples, format_option, print_diagnostics, refuse


@click.command(
    "ninja",
    epilog=examples(
        "toolcast ninja && ninja",
        "toolcast ninja --command='.venv/bin/toolcast' --dir out/tools",
    ),
)
@click.option(
    "--file", default="build.ninja", show_default=True, metavar="FILE", help="The build file to write."
)
@click.option(
    "--dir",
    "folder",
    default="build/toolcast",
    show_default=True,
    metavar="DIR",
    help="Folder for what the steps leave; it can be deleted at any time.",
)
@click.option(
    "--shard-size",
    "size",
    type=click.IntRange(min=1),
    default=128,
    show_default=True,
    metavar="N",
    help="About how many specs one step compiles.",
)
@click.option(
    "--command",
    "words",
    default="toolcast",
    show_default=True,
    metavar="WORDS",
    help="What runs toolcast, as the shell reads it.",
)
@format_option
@config_option
def command(file: str, folder: str, size: int, words: str, form: Format, config_file: Path | None) -> int:
    """Write a build.ninja that compiles the specs in shards and puts them together.

    Run it, and Ninja, in one folder. The file renews itself when a spec comes or goes.
    """
    command_words = _words(words)
    config = configuration(config_file, form)

    from ..integrations.ninja import CONFIGURED, MARK, Layout, lists_of, render_ninja, shards_of
    from ..project.steps.inputs import render_depfile
    from ..project.steps.shard import write_alone
    from ..project.type_packages import find_types
    from ..spec.discovery import discover
    from ..spec.type_folders import file_of

    if not _is_ours(Path(file), MARK):
        message = "is no build file that this command wrote, so it stays"
        hint = "name another one with --file; yours can read it with `subninja`"
        raise refuse(Path(file), "foreign-file", message, hint, form=form)
    shown_root = show(config.specs)
    outside, problems = find_types(config)
    found = discover(config.specs, shown_root=shown_root, folders=outside)
    print_diagnostics((*problems, *found.diagnostics), form)
    if problems or found.diagnostics:
        return 1
    layout = Layout(
        command=command_words,
        file=Path(file).as_posix(),
        folder=Path(folder).as_posix(),
        output=show(config.output),
        config=None if config_file is None else config_file.as_posix(),
        size=size,
    )
    files = [file_of(str(config.specs), path, outside) for path in (*found.types, *found.tools)]
    shards = shards_of([show(Path(file)) for file in files if file is not None], size)
    folders = (config.specs, *(Path(each.folder) for each in outside))
    inputs = [show(Path(here)) for folder in folders for here in _folders(folder)]
    if config.file is not None:
        inputs.append(show(config.file))
    try:
        build_file = render_ninja(shards, layout)
    except ValueError as error:
        raise refuse(
            Path(file), "bad-name", str(error), "give that file or folder another name", form=form
        ) from None
    try:
        for path, content in lists_of(shards, layout).items():
            write_alone(Path(path), content)
        write_alone(Path(folder, CONFIGURED), render_depfile(layout.file, inputs))
        write_alone(Path(file), build_file)
    except OSError as error:
        raise disk_problem(error, Path(file), form) from None
    specs = len(found.tools) + len(found.types)
    summary = f"{specs} spec{'s'[: specs != 1]} in {len(shards)} shard{'s'[: len(shards) != 1]}"
    write_line(f"toolcast: {summary}: {file}")
    return 0


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}: {text}", param_hint="--command") from None
    if not words:
        raise click.BadParameter("it names no program", param_hint="--command")
    return words


def _is_ours(file: Path, mark: str) -> bool:
    """Whether a build file may be written there: over none, or over an earlier one."""
    try:
        with file.open("rb") as load_project:
            return load_project.read(len(mark)) == mark.encode()
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _folders(root: Path) -> list[str]:
    """The folders in which a spec may come or go."""
    found: list[str] = []
    for here, folders, _ in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found.append(here)
    return found
