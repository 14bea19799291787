"""`toolcast diff`."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from .complete_values import complete_providers, complete_tools
from .options import calls_option, config_option, configuration, examples, read_calls, takes

if TYPE_CHECKING:
    from ..command_settings import Level
    from .diff_text import Form

_FORMS = ("text", "json", "github", "markdown", "changelog", "sarif")
AUDIENCES = ("calls", "results", "code", "model", "provider", "trust", "cache")


def _state_options(function: Any) -> Any:
    """Add `--against` and `--to`."""
    against = click.option(
        "--against",
        metavar="REF|DIR|FILE",
        help="The old state: a commit (where this branch left it; REF.. for itself), a project or its specs "
        "folder, or a saved list of tools. Default: as configured, else HEAD.",
    )
    to = click.option(
        "--to", metavar="REF|DIR|FILE", help="The new state, likewise. Default: the specs as they are."
    )
    return against(to(function))


class _Options(Struct, frozen=True, kw_only=True):
    specs: tuple[str, ...]
    against: str | None
    to: str | None
    audiences: tuple[Any, ...]
    providers: tuple[str, ...]
    level: "Level"
    form: "Form"
    calls: tuple[Path, ...]
    listing: bool
    version: bool
    config_file: Path | None


@click.command(
    "diff",
    epilog=examples(
        "toolcast diff                          the specs against the last commit",
        "toolcast diff --against origin/main    what this branch changes",
        "toolcast diff --against v1.4.. --to v2.0",
        "toolcast diff --against tools.json     against a saved answer of tools/list",
        "toolcast diff edit --audience calls    one tool, one audience",
        "toolcast diff --format markdown        a comment for a review",
        "toolcast diff --format changelog --against v1.4..   for the people who use the tools",
        "toolcast diff --version --against v1.4..   what it asks of the next version",
        "toolcast diff --calls calls.jsonl      how many recorded calls break",
        "toolcast diff --list                   every rule, and what it means",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@_state_options
@click.option(
    "--audience", "audiences", multiple=True, type=click.Choice(AUDIENCES),
    help="Tell only of changes for this audience (repeatable; of cache only where it is named).",
)  # fmt: skip
@click.option(
    "--provider", "providers", multiple=True, metavar="P", shell_complete=complete_providers,
    help="Compare definitions for this provider (repeatable; default: those configured).",
)  # fmt: skip
@click.option(
    "--level", type=click.Choice(["error", "warning", "note"]), default="note", show_default=True,
    help="The least level that is told.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(_FORMS), default="text", show_default=True,
    help="For people, for programs, as CI annotations, for a review, for a changelog, or as SARIF 2.1.0.",
)  # fmt: skip
@calls_option
@click.option("--version", is_flag=True, help="Tell the next version alone: major, minor, patch or none.")
@click.option("--list", "listing", is_flag=True, help="Explain every rule, and do nothing else.")
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Tell what changed in the tools between two states, for whom, and what breaks.

    SPEC is a path or a tool's name; all tools without one. Specs are compared, by what they mean; what would
    change in generated files is `toolcast generate --diff`. Nothing is written, and nothing of the old state
    is run. The exit status is 1 if a change is an error in this project or a spec does not compile, 2 if a
    state cannot be read.

    `--format changelog` writes, by tool, what was removed, renamed, broken, deprecated, added and changed,
    without definitions of providers and prompt caches; what specs suppress is among it. The exit status is
    then 1 only if a tool cannot be compared.
    """
    from ..analysis.diff.outcome import Choice
    from .diff_text import compared, list_rules, plain_format, print_changelog, print_outcome, print_versions

    if options.listing:
        list_rules(options.form)
        return 0
    config = configuration(options.config_file, plain_format(options.form))
    choice = Choice(
        today=date.today(),
        tools=options.specs,
        audiences=options.audiences,
        level=options.level,
        calls=read_calls(options.calls, plain_format(options.form)),
    )
    outcome = compared(config, (options.against, options.to), choice, options.providers, options.form)
    if options.version:
        print_versions(outcome)
    elif options.form == "changelog":
        return print_changelog(outcome)
    else:
        print_outcome(outcome, options.form)
    return int(outcome.failed)
