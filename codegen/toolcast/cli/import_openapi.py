"""`toolcast import openapi`: one spec for each operation of an OpenAPI document."""

from pathlib import Path

import click

from ..http.operation import METHODS
from .import_options import ImportOptions, common_options
from .import_writing import write_nothing, write_specs
from .options import examples

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    "openapi",
    epilog=examples(
        "toolcast import openapi api.yaml --into specs/shop",
        "toolcast import openapi https://api.example.com/openapi.json --into specs/shop --check    (in CI)",
        "toolcast import openapi api.yaml --into specs/shop --tag orders --method get --method post",
        "toolcast import openapi api.yaml --into specs/shop --permission network --secrets none",
    ),
)
@click.argument("source", metavar="FILE|URL")
@click.option("--tag", "tags", multiple=True, help="Only operations with this tag.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths like '/pets*'.")
@click.option(
    "--operation", "operations", multiple=True, metavar="GLOB", help="Only operation ids like 'get*'."
)
@click.option(
    "--method", "methods", multiple=True, type=click.Choice(METHODS, case_sensitive=False),
    help="Only operations with this method. May be repeated.",
)  # fmt: skip
@click.option("--no-deprecated", is_flag=True, help="Without deprecated operations.")
@click.option("--no-results", is_flag=True, help="Without response schemas.")
@click.option("--names", type=_FILE, help="Names of tools: YAML or JSON, operation id → name.")
@click.option("--write-names", type=_NEW_FILE, help="Write such a file with the present names, and no spec.")
@common_options
def command(
    source: str,
    options: ImportOptions,
    names: Path | None,
    write_names: Path | None,
    no_deprecated: bool,
    no_results: bool,
    **selected: tuple[str, ...],
) -> None:
    """Write one spec per operation of an OpenAPI document, 3.0 to 3.2, in YAML or JSON.

    What is selected fits one of each option: `--tag pets --method get` are the GET operations with the tag
    pets. --trust-hints gives GET and HEAD the permission network and all others write.
    """
    from ..importers.openapi.operation_names import names_text, read_names
    from ..importers.openapi.operations import Selection
    from ..importers.openapi.read_openapi import OpenApiChoices, read_openapi

    chosen, problems = ({}, ()) if names is None else read_names(names)
    if problems:
        write_nothing(problems, options)
    choices = OpenApiChoices(
        selection=Selection(deprecated=not no_deprecated, **selected), names=chosen, results=not no_results
    )
    declarations = read_openapi(source, choices)
    if write_names is None:
        write_specs(declarations, options)
        return
    try:
        with write_names.open("w" if options.settling.force else "x", encoding="utf-8", newline="\n") as file:
            file.write(names_text(declarations))
    except FileExistsError:
        raise click.ClickException(
            f"{write_names.as_posix()} is there already; --force overwrites it"
        ) from None
    except OSError as error:
        raise click.ClickException(f"{write_names.as_posix()} cannot be written: {error.strerror}") from None
    write_nothing(declarations.diagnostics, options)
