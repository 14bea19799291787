"""`toolcast where`."""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..config import Config, show
from ..console import inert_json, write_line
from ..jsonschema.pointers import join
from .options import config_option, configuration, examples, json_option, print_diagnostics, refuse

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_PLACE = re.compile(r"(?s)(.+?)(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?:?")


def _complete_files(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """What the shell itself knows: files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


@click.command(
    "where",
    epilog=examples(
        "toolcast where generated/files/edit.py:41   the line of the spec that it was made from",
        "toolcast where specs/files/edit.yaml:12     every line that was made from it",
        "toolcast where specs/files/edit.yaml        every file that was made from it",
    ),
)
@click.argument("place", metavar="FILE[:LINE[:COLUMN]]", shell_complete=_complete_files)
@json_option("For people and editors, or for programs.")
@config_option
def command(place: str, form: Literal["text", "json"], config_file: Path | None) -> int:
    """Find the line of a spec that a generated line was made from, or all lines made from a spec's line.

    Nothing is stored for it: the spec is compiled, and compared with the output that is there. The exit
    status is 1 if the place is not found.
    """
    config = configuration(config_file)

    from ..places.project_places import PlaceError, output_places, spec_place

    file, line, column = _parsed(place)
    try:
        if path := _below(config.output, file):
            link = spec_place(config, path, line, column)
            rows = [(link.spec, join(link.path))]
        elif path := _below(config.specs, file) or _outside(config, file):
            rows = [(link.output, link.name) for link in output_places(config, path, line, column)]
        else:
            message = (
                f"is below neither {show(config.specs)} nor {show(config.output)}, nor a folder of `types`"
            )
            hint = "name a spec, a shared type or a generated file"
            raise refuse(show(file), "unknown-file", message, hint)
    except PlaceError as error:
        print_diagnostics(error.diagnostics)
        return 1
    if form == "json":
        found = [{"file": at.file, "line": at.line, "column": at.column, "name": name} for at, name in rows]
        click.echo(inert_json(json.dumps({"found": found}, indent=2, ensure_ascii=False)))
        return 0
    for at, name in rows:
        write_line(f"{at}  {name}".rstrip())
    return 0


def _parsed(place: str) -> tuple[Path, int, int]:
    """A file, a line and a column; 0 for what is not stated."""
    if Path(place).exists():  # its name may have colons
        return Path(place), 0, 0
    found = _PLACE.fullmatch(place)
    assert found is not None
    return Path(found[1]), int(found[2] or 0), int(found[3] or 0)


def _outside(config: Config, file: Path) -> str | None:
    """The path of a shared type in a folder that the configuration names, as the specs folder has it."""
    from ..project.type_packages import find_types

    folders, _ = find_types(config)
    found = ((each.prefix, _below(Path(each.folder), file)) for each in folders)
    return next((f"{prefix}/{below}" for prefix, below in found if below is not None), None)


def _below(folder: Path, file: Path) -> str | None:
    """The path of a file below a folder, posix; None if it is not there. Links are not followed."""
    absolute = Path(os.path.abspath(file))  # noqa: PTH100
    return absolute.relative_to(folder).as_posix() if absolute.is_relative_to(folder) else None
