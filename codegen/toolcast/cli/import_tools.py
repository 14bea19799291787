"""`toolcast import tools` and `toolcast import sample`: specs from files."""

from pathlib import Path

import click

from .import_options import ImportOptions, common_options
from .import_writing import write_imported, write_specs
from .options import examples

_FILES = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    "tools",
    epilog=examples(
        "toolcast import tools tools.json --into specs/github",
        "toolcast import tools tools.json --into specs --permission 'get_*=read' --secrets none",
    ),
)
@click.argument("files", nargs=-1, required=True, type=_FILES)
@common_options
def command(files: tuple[Path, ...], options: ImportOptions) -> None:
    """Write one spec per tool found in FILES.

    Each file is a JSON array, JSON lines or a tools/list answer; each tool as MCP, OpenAI, Anthropic
    or Gemini write it. Without --permission or --trust-hints a person decides what each tool may do.
    """
    from ..importers.import_tools import read_tools

    write_specs(read_tools(files), options)


@click.command(
    "sample",
    epilog=examples(
        "toolcast import sample calls.jsonl --name weather --into specs    parameters of recorded arguments",
    ),
)
@click.argument("files", nargs=-1, required=True, type=_FILES)
@click.option("--name", required=True, help="Name of the tool.")
@common_options
def sample(files: tuple[Path, ...], name: str, options: ImportOptions) -> None:
    """Infer one spec from samples of a tool's arguments in FILES (JSON objects)."""
    from ..importers.import_tools import import_sample

    write_imported(import_sample(files, options.choices, name=name, group=options.group), options)
