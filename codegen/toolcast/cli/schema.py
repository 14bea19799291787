"""`toolcast schema`, and what else editors read: the line that names the schema, VS Code's settings."""

from pathlib import Path

import click

from ..config import Config, show
from ..console import inert_json, write_line
from ..jsonschema.json_values import JsonObject
from ..spec.discovery import EDITOR_SCHEMA
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
    text, known = project_schema(config)
    if not write:
        click.echo(inert_json(text), nl=False)
        return int(not known)
    path = schema_path(config)
    try:
        changed = write_schema(path, text)
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"{'written  ' if changed else 'kept     '} {show(path)}")
    return int(not known)


def project_schema(config: Config) -> tuple[str, bool]:
    """Return the schema with the providers of a project, and whether no problem of theirs was printed."""
    from ..project.profiles import profiles_of
    from ..spec.editor_schema import format_text

    profiles, problems = profiles_of(config)
    print_diagnostics(problems)
    return format_text(frozenset(profiles.known)), not problems


def write_schema(path: Path, text: str) -> bool:
    """Write the schema where it differs, and return whether it did. Raises OSError."""
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


_UP = 30  # folders of specs within each other


def schema_path(config: Config) -> Path:
    return config.specs / EDITOR_SCHEMA


def modeline(spec: Path) -> str:
    """Return the first line of a new YAML spec, which names the schema; empty where the project has none."""
    for depth, folder in enumerate(list(spec.absolute().parents)[:_UP]):
        if (folder / EDITOR_SCHEMA).is_file():
            return f"# yaml-language-server: $schema={'../' * depth or './'}{EDITOR_SCHEMA}\n"
        if (folder / "pyproject.toml").is_file():
            break
    return ""


def settings_of(specs: str) -> JsonObject:
    """Return VS Code's settings that name the schema for a folder of specs (posix, from the workspace)."""
    schema, types = f"./{specs}/{EDITOR_SCHEMA}", f"!{specs}/_types/**"
    match = [f"/{specs}/**/*.json", f"!/{specs}/_types/**", f"!/{specs}/{EDITOR_SCHEMA}"]
    return {
        "yaml.schemas": {schema: [f"{specs}/**/*.yaml", f"{specs}/**/*.yml", types]},
        "json.schemas": [{"fileMatch": match, "url": schema}],
    }
