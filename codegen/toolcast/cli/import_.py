"""`toolcast import`: specs from what others declare."""

import importlib
from typing import TYPE_CHECKING

import click

from .options import examples

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

KINDS = {
    "decide": ("import_kinds", "decide_command", "Decide what imported specs leave open."),
    "mcp": ("import_kinds", "mcp_command", "Specs from a running MCP server: a command, or an address."),
    "openapi": ("import_kinds", "openapi_command", "Specs from the operations of an OpenAPI document."),
    "python": ("import_kinds", "python_command", "Specs from functions, classes, and tools of frameworks."),
    "sample": ("import_kinds", "sample_command", "Infer one spec from samples of a tool's arguments."),
    "tools": ("import_kinds", "tools_command", "Specs from files that list tools."),
}
"""Kind → module, name of the command in it, and short help, so that listing the kinds imports none."""


class _Kinds(click.Group):
    """Loads the command of a kind on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in KINDS:
            return None
        module, name, _ = KINDS[cmd_name]
        command = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Kinds from the table, so that none is imported for their names; and this group's options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=KINDS[name][2]) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Kinds of source, and what follows an import"):
            formatter.write_dl([(name, KINDS[name][2]) for name in self.list_commands(ctx)])


@click.group(
    "import",
    cls=_Kinds,
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
