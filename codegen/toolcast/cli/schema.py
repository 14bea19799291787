"""`toolcast schema`."""

from pathlib import Path

import click

from ..config import show
from ..console import inert_json, write_line
from .editor_files import schema_path
from .options import config_option, configuration, disk_problem, examples, print_diagnostics


@click.command(
    "schema",
    epilog=examples(
        "toolcast schema --write    to the specs folder, where `init --editor` lets editors find it",
        "toolcast schema            print it",
    ),
)
@click.option("--write", is_flag=True, help="Write it to .toolcast.schema.json in the specs folder.")
@config_option
def command(write: bool, config_file: Path | None) -> int:
    """Print the JSON Schema of the spec format, for editors.

    It names the providers of this project. With --write a former one is replaced: after an update of
    toolcast, or of the project's own providers.
    """
    config = configuration(config_file)

    from ..project.profiles import profiles_of
    from ..spec.editor_schema import format_text

    profiles, problems = profiles_of(config)
    print_diagnostics(problems)
    text = format_text(frozenset(profiles.known))
    if not write:
        click.echo(inert_json(text), nl=False)
        return int(bool(problems))
    path = schema_path(config)
    try:
        changed = write_schema(path, text)
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"{'written  ' if changed else 'kept     '} {show(path)}")
    return int(bool(problems))


def write_schema(path: Path, text: str) -> bool:
    """Write the schema where it differs; whether it did. Raises OSError."""
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True
