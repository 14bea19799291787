"""`toolcast list`."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec
from msgspec import Struct

from ..colours import wants_colour
from ..config import show
from ..console import count, json_text, table, write_line
from ..diagnostics import did_you_mean, has_errors
from ..jsonschema.json_values import JsonObject
from ..permissions import PERMISSIONS
from .complete_values import complete_groups, complete_providers, complete_tools
from .options import config_option, configuration, examples, json_option, print_diagnostics, refuse, takes
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.lint.tool_list import Listing, Row


class _Options(Struct, frozen=True, kw_only=True):
    patterns: tuple[str, ...]
    groups: tuple[str, ...]
    permissions: tuple[str, ...]
    undecided: bool
    providers: tuple[str, ...]
    form: Literal["text", "json"]
    config_file: Path | None


@click.command(
    "list",
    epilog=examples(
        "toolcast list                            every tool: group, permission, cost, summary",
        "toolcast list 'cron_*' --group schedule  those whose name or path fits, in one group",
        "toolcast list --undecided                those that wait for a person's decision",
        "toolcast list --provider gemini --format json",
    ),
)
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...", shell_complete=complete_tools)
@click.option(
    "--group", "groups", multiple=True, metavar="G", shell_complete=complete_groups,
    help="Only of this group, and of those below it (repeatable).",
)  # fmt: skip
@click.option(
    "--permission", "permissions", multiple=True, type=click.Choice(PERMISSIONS),
    help="Only with this permission (repeatable).",
)  # fmt: skip
@click.option("--undecided", is_flag=True, help="Only those that a person has still to decide on.")
@click.option(
    "--provider", "providers", multiple=True, metavar="ID", shell_complete=complete_providers,
    help="Count tokens for this provider (repeatable; default: the dearest configured).",
)  # fmt: skip
@json_option()
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """List the tools: names, groups, permissions, and what each costs in a request.

    PATTERN is a tool's name or the path of its spec, with `*` and `?`. Tools whose specs do not compile are
    listed, too: what a person has to decide is named. Nothing is written. The exit status is 1 if a spec has
    an error, or if PATTERN fits no tool.
    """
    config = configuration(options.config_file)
    from ..analysis.lint.tool_list import Filter, SpecsFolder, list_tools
    from ..project.profiles import find_types, profiles_of, unknown_providers
    from ..providers import load_profile

    found, problems = profiles_of(config)
    ids = tuple(options.providers) or found.chosen
    problems = (*problems, *unknown_providers(config, ids, found.known, option=bool(options.providers)))
    if problems:
        print_diagnostics(problems)
        return 1
    profiles = [found.own.get(id) or load_profile(id) for id in dict.fromkeys(ids)]
    folders, problems = find_types(config)
    print_diagnostics(problems)
    place = SpecsFolder(
        root=config.specs,
        shown_root=show(config.specs),
        known_providers=frozenset(found.known),
        folders=folders,
    )
    chosen = Filter(
        patterns=options.patterns,
        groups=options.groups,
        permissions=options.permissions,
        undecided=options.undecided,
    )
    with Bar("reading") as bar:
        listing = list_tools(place, profiles, chosen, bar)
    print_diagnostics(listing.problems)
    if not listing.rows and listing.names and (options.patterns or options.groups):
        raise _nothing(place.shown_root, options.patterns, options.groups, listing)
    if options.form == "json":
        _print_json(listing)
    else:
        _print_table(listing, options.providers or [each.provider for each in listing.tokens.totals[:1]])
    return int(has_errors(listing.problems))


def _nothing(
    shown_root: str, patterns: Sequence[str], groups: Sequence[str], listing: "Listing"
) -> click.exceptions.Exit:
    wanted = patterns[0] if patterns else groups[0]
    there = listing.names if patterns else listing.groups
    kind = "tools" if patterns else "groups"
    hint = did_you_mean(wanted, there, f"{kind} here: {', '.join(there[:20]) or 'none'}")
    asked = ", ".join(map(repr, (*patterns, *groups)))
    return refuse(shown_root, "unknown-tool", f"no tool fits {asked}", hint)


def _print_json(listing: "Listing") -> None:
    rows: list[JsonObject] = []
    for row in listing.rows:
        costs = {id: {"full": cost.full, "brief": cost.brief} for id, cost in listing.cost(row.name).items()}
        rows.append({**msgspec.to_builtins(row), "tokens": costs})
    click.echo(json_text({"tools": rows, "note": listing.tokens.note}))


def _print_table(listing: "Listing", providers: Sequence[str]) -> None:
    colour = wants_colour(sys.stdout)
    cells = [("TOOL", "GROUP", "PERMISSION", "SECRETS", *(f"TOKENS {id}" for id in providers), "SUMMARY")]
    for row in listing.rows:
        cost = listing.cost(row.name)
        tokens = [f"{cost[id].full:,}" if id in cost else "-" for id in providers]
        cells.append((row.name, row.group or "-", _permission(row), _secrets(row), *tokens, _summary(row)))
    styles = ["", *("error" if row.problems else "warning" if row.undecided else "" for row in listing.rows)]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in table(cells, styles, colour, right=range(4, 4 + len(providers)), width=width):
        click.echo(line, color=colour)
    write_line(_total(listing, providers), err=True)


def _permission(row: "Row") -> str:
    return row.permission or ("undecided" if "permission" in row.undecided else "-")


def _secrets(row: "Row") -> str:
    if row.secrets is not None:
        return ",".join(row.secrets) or "-"
    return "undecided" if "secrets" in row.undecided else "-"


def _summary(row: "Row") -> str:
    """Return the summary, or what keeps the spec from being compiled."""
    if row.problems:
        return f"{count(row.problems, 'error')} in {row.file}"
    return f"to decide: {', '.join(row.undecided)}" if row.undecided else row.summary


def _total(listing: "Listing", providers: Sequence[str]) -> str:
    parts = [count(len(listing.rows), "tool")]
    shown = [total for total in listing.tokens.totals if total.provider in providers and total.full]
    parts += [f"{count(total.full, 'token')} for {total.provider}" for total in shown]
    others = len(listing.tokens.totals) - len(shown)
    parts += [f"the dearest of {others + 1} providers"] if shown and others else []
    parts += [listing.tokens.note] if shown else []
    undecided = sum(bool(row.undecided) for row in listing.rows)
    wrong = sum(bool(row.problems) for row in listing.rows)
    if undecided:
        parts.append(f"{undecided} undecided")
    if wrong:
        parts.append(f"{wrong} with errors")
    ways = ["to decide: toolcast import decide"] if undecided else []
    ways += ["toolcast generate names the errors"] if wrong else []
    return f"toolcast: {', '.join(parts)}{''.join(f'; {way}' for way in ways)}"
