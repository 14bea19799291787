"""`toolcast schema`."""

from pathlib import Path

import click
import msgspec

from ..console import inert_json
from .options import config_option, configuration, examples, print_diagnostics


@click.command(
    "schema",
    epilog=examples(
        "toolcast schema > .toolcast-spec.json",
        "then, at the head of a spec:  # yaml-language-server: $schema=../.toolcast-spec.json",
    ),
)
@config_option
def command(config_file: Path | None) -> int:
    """Print the JSON Schema of the spec format, for editors."""
    config = configuration(config_file)

    from ..project.profiles import profiles_of
    from ..spec.editor_schema import format_schema

    profiles, problems = profiles_of(config)
    print_diagnostics(problems)
    schema = format_schema(frozenset(profiles.known))
    click.echo(inert_json(msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()))
    return int(bool(problems))
