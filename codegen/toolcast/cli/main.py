"""The group of commands; the module of each is imported at first use."""

import difflib
import importlib
import io
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..console import printable
from .terminal import COMPILER, end_unwritten, lacks_compiler, refuse_compiler, write_anything

COMMANDS = {
    "call": ("call", "command", "Call a tool, check a call, or read the calls in an answer."),
    "clean": ("generate", "clean_command", "Remove everything generated."),
    "diff": ("diff", "command", "Tell what changed between two states, and for whom."),
    "generate": ("generate", "command", "Compile the specs; check or show what would change."),
    "import": ("main", "import_group", "Turn existing definitions into specs."),
    "init": ("init", "command", "Set up toolcast in a project."),
    "lint": ("lint", "command", "Check the whole set: limits, names, wording, policy."),
    "list": ("list_", "command", "List the tools: groups, permissions, cost."),
    "lock": ("lock", "command", "Lock the tools of others, and tell what changed in them."),
    "new": ("init", "new_command", "Write a commented spec to start from."),
    "report": ("report", "command", "Write a page that shows all tools, for every provider."),
    "schema": ("schema", "command", "Print the JSON Schema of the spec format."),
    "serve": ("serve", "command", "Offer a registry to MCP clients."),
    "show": ("show", "command", "Print what one tool compiles to."),
    "stubs": ("stubs", "command", "Write a handler file for every tool that has none."),
    "verify": ("verify", "command", "Hold every tool to the laws, with made-up instances."),
}
"""Command → module, name in it, and short help, so that listing them imports none."""

UNLISTED = {
    "assemble": ("steps", "assemble_command", "Put together what compile steps made."),
    "compile": ("steps", "compile_command", "Compile some specs, as one step of a build."),
    "pack": ("pack", "command", "Pack an MCP bundle."),
    "probe": ("probe", "command", "Ask a provider whether its rules hold, with your key."),
}
"""The same, not listed: what build engines run (docs/reference/engines.md), what one target needs, and what
maintainers of profiles run."""

KINDS = {
    "decide": ("import_kinds", "decide_command", "Decide what imported specs leave open."),
    "format": ("import_kinds", "format_command", "A text format from the configuration of a tokenizer."),
    "mcp": ("import_kinds", "mcp_command", "Specs from a running MCP server: a command, or an address."),
    "openapi": ("import_kinds", "openapi_command", "Specs from the operations of an OpenAPI document."),
    "python": ("import_kinds", "python_command", "Specs from functions, classes, and tools of frameworks."),
    "sample": ("import_kinds", "sample_command", "Infer one spec from samples of a tool's arguments."),
    "tools": ("import_kinds", "tools_command", "Specs from files that list tools."),
}
"""Kind → the same, for the commands of `import`."""

_WITHOUT_COMPILER = frozenset({"call", "schema", "serve"})
"""Commands that work where `toolcast[build]` is not installed, as with `toolcast[mcp]`."""

_Table = Mapping[str, tuple[str, str, str]]
"""Command → module, name in it, and short help."""


def examples(*lines: str) -> str:
    """Return an epilog that keeps its lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class _LazyGroup(click.Group):
    """Imports the module of a command at its first use; those of `table` are listed."""

    def __init__(
        self,
        *arguments: Any,
        table: _Table,
        unlisted: _Table | None = None,
        heading: str = "Commands",
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self._table, self._heading = table, heading
        self._all = {**(unlisted or {}), **table}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        found = self._all.get(cmd_name)
        if found is None:
            return None
        module, name, _ = found
        command = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table, which imports no command, and this group's options."""

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self._table[name][2]) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(self._heading):
            formatter.write_dl([(name, self._table[name][2]) for name in self.list_commands(ctx)])


class _Commands(_LazyGroup):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), 1)
            hint = f" Did you mean '{near[0]}'?" if near else " See 'toolcast --help'."
            ctx.fail(f"There is no command '{name}'.{hint}")
        helped = ctx.resilient_parsing or {"-h", "--help"} & {*args}
        needs_compiler = name and not name.startswith("-") and name not in _WITHOUT_COMPILER and not helped
        if needs_compiler and lacks_compiler():
            ctx.exit(refuse_compiler())
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _parameter: click.Parameter, value: object) -> None:
    if not value or ctx.resilient_parsing:
        return
    from ..distribution import describe

    click.echo(describe())
    ctx.exit()


@click.group(
    cls=_Commands,
    table=COMMANDS,
    unlisted=UNLISTED,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start in an empty folder with 'toolcast init'. Build engines run 'toolcast compile' and "
    "'toolcast assemble'; 'toolcast pack mcpb' writes an MCP bundle; 'toolcast probe' asks a provider.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version, and the distribution that runs.",
)
def cli() -> None:
    """Compile one spec per LLM tool into typed Python and every provider's JSON."""


@click.group(
    "import",
    cls=_LazyGroup,
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


@cli.result_callback()
def _finish(status: int | None) -> None:
    """Exit with the status that a command returns."""
    if status:
        click.get_current_context().exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit status: 0 well, 1 problems found, 2 wrong usage."""
    write_anything()
    try:
        outcome = cli.main(list(arguments), prog_name="toolcast", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        words = io.StringIO()
        error.show(words)
        click.echo(printable(words.getvalue()), nl=False, err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("toolcast: stopped", err=True)
        return 130
    except ModuleNotFoundError as error:  # of a command whose options, and so its help, need the compiler
        if error.name not in COMPILER:
            raise
        return refuse_compiler()
    except OSError as error:
        end_unwritten(error)
    return outcome if isinstance(outcome, int) else 0
