"""`toolcast lock`."""

from pathlib import Path

import click

from .options import LockOptions, examples, takes

_FORMS = ("text", "json", "github", "markdown", "sarif")
_KINDS = ("mcp", "openapi", "python", "tools")


@click.command(
    "lock",
    epilog=examples(
        "toolcast lock -- uvx mcp-server-git           what a server that a command starts offers",
        "toolcast lock https://mcp.example.com/mcp --header 'Authorization: Bearer $TOKEN'",
        "toolcast lock api.yaml                        the operations of an OpenAPI document",
        "toolcast lock app.server:mcp                  a FastMCP server, a function, a list of tools",
        "toolcast lock --check                         ask all again (in CI)",
        "toolcast lock                                 ask all again, and keep what they are now",
        "toolcast lock --accept 3f1c0a9b27de --reason 'no caller sends it'",
    ),
)
@click.argument("source", nargs=-1, metavar="[SOURCE | -- COMMAND…]")
@click.option(
    "--into", "file", type=click.Path(dir_okay=False, path_type=Path), default="tools.lock",
    show_default=True, metavar="FILE", help="The lock.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a source differs from the lock.")
@click.option("--name", default="", help="Name of the source in the lock (default: its own).")
@click.option("--kind", type=click.Choice(_KINDS), help="What the source is, where it is not clear.")
@click.option(
    "--env", multiple=True, metavar="NAME[=VALUE]",
    help="A variable for COMMAND; without a value, the one that is set. May be repeated.",
)  # fmt: skip
@click.option(
    "--header", "headers", multiple=True, metavar="'NAME: VALUE'",
    help="A header for an address; $NAME in it is a variable. May be repeated.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="S",
    help="Seconds for each source.",
)  # fmt: skip
@click.option(
    "--accept", "accepted", multiple=True, metavar="FINGERPRINT",
    help="Accept a change that --check reports. May be repeated.",
)  # fmt: skip
@click.option("--reason", default="", metavar="TEXT", help="Why it is accepted.")
@click.option(
    "--format", "form", type=click.Choice(_FORMS), default="text", show_default=True,
    help="For people, for programs, as CI annotations, for a review, or as SARIF 2.1.0.",
)  # fmt: skip
@takes(LockOptions)
def command(options: LockOptions) -> int:
    """Lock the tools of a server, an API or a program of others, and tell what changed in them.

    The lock holds each tool's parameters, result, texts and hints, and how to ask its source again. With
    --check the exit status is 1 if anything that a caller, a reader of results or a model would notice
    differs, and 2 if a source cannot be asked. What each change means, `toolcast diff --list` tells.

    Sources of the lock are asked as they were first: their commands run with your rights, and modules are
    imported. No project and no spec is needed.
    """
    from .lock_sources import run_lock

    _check_usage(options)
    return run_lock(options)


def _check_usage(options: LockOptions) -> None:
    if bool(options.accepted) != bool(options.reason):
        raise click.UsageError("--accept FINGERPRINT and --reason TEXT belong together.")
    if not options.source and (options.name or options.kind or options.env or options.headers):
        raise click.UsageError("--name, --kind, --env and --header are for a SOURCE, which is missing.")
