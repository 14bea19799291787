"""`toolcast import`: specs from what others declare."""

import click

from .main import LazyGroup
from .options import examples

KINDS = {
    "decide": ("import_kinds", "decide_command", "Decide what imported specs leave open."),
    "mcp": ("import_kinds", "mcp_command", "Specs from a running MCP server: a command, or an address."),
    "openapi": ("import_kinds", "openapi_command", "Specs from the operations of an OpenAPI document."),
    "python": ("import_kinds", "python_command", "Specs from functions, classes, and tools of frameworks."),
    "sample": ("import_kinds", "sample_command", "Infer one spec from samples of a tool's arguments."),
    "tools": ("import_kinds", "tools_command", "Specs from files that list tools."),
}
"""Kind → module, name of the command in it, and short help, so that listing the kinds imports none."""


@click.group(
    "import",
    cls=LazyGroup,
    table=KINDS,
    heading="Kinds of source, and what follows an import",
    subcommand_metavar="KIND SOURCE…",
    epilog=examples(
        "toolcast import tools tools.json --into specs/github",
        "toolcast import mcp --into specs/git -- uvx mcp-server-git",
        "toolcast import python server:mcp --into specs    all tools of a FastMCP server",
        "toolcast import openapi api.yaml --into specs/shop",
        "toolcast import decide --permission read --secrets none",
        "toolcast import openapi --help                    the options of one kind",
    ),
)
def import_group() -> None:
    """Turn existing definitions into specs.

    The exit status is 1 if a definition cannot be imported or is in conflict with what a person changed, and
    with --check if the source is not as it was imported.
    """
