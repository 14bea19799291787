"""`toolcast diff`."""

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click
from msgspec.structs import asdict

from ..console import FORMATS, Format, json_text, paint, render, wants_colour
from ..diagnostics import has_errors
from .complete_values import complete_providers, complete_tools
from .options import config_option, configuration, examples, print_diagnostics
from .terminal import Bar

if TYPE_CHECKING:
    from ..config import Config
    from ..diagnostics import Diagnostic
    from ..diff.change import Level
    from ..diff.compare_states import Choice, Outcome

Form = Literal["text", "json", "github", "markdown", "changelog", "sarif"]
FORMS = ("text", "json", "github", "markdown", "changelog", "sarif")
AUDIENCES = ("calls", "results", "code", "model", "provider", "trust", "cache")
UNUSABLE = 2
"""Exit status where nothing could be compared."""


def state_options(function: Any) -> Any:
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
        "toolcast diff --list                   every rule, and what it means",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@state_options
@click.option(
    "--audience", "audiences", multiple=True, type=click.Choice(AUDIENCES),
    help="Tell only of changes for this audience (repeatable).",
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
    "--format", "form", type=click.Choice(FORMS), default="text", show_default=True,
    help="For people, for programs, as CI annotations, for a review, for a changelog, or as SARIF 2.1.0.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Explain every rule, and do nothing else.")
@config_option
def command(
    specs: tuple[str, ...],
    against: str | None,
    to: str | None,
    audiences: tuple[Any, ...],
    providers: tuple[str, ...],
    level: "Level",
    form: Form,
    listing: bool,
    config_file: Path | None,
) -> int:
    """Tell what changed in the tools between two states, for whom, and what breaks.

    SPEC is a path or a tool's name; all tools without one. Specs are compared, by what they mean; what would
    change in generated files is `toolcast generate --diff`. Nothing is written, and nothing of the old state
    is run. The exit status is 1 if a change is an error in this project or a spec does not compile, 2 if a
    state cannot be read.

    `--format changelog` writes, by tool, what was removed, renamed, broken, deprecated, added and changed,
    without definitions of providers and prompt caches; what specs suppress is among it. The exit status is
    then 1 only if a tool cannot be compared.
    """
    if listing:
        _list(form)
        return 0
    from ..diff.compare_states import Choice

    config = configuration(config_file, _plain(form))
    choice = Choice(tools=specs, audiences=audiences, level=level)
    outcome = compared(config, against, to, choice, providers=providers, form=form)
    if form == "changelog":
        return _changelog(outcome)
    _print(outcome, form)
    return int(outcome.failed)


def _plain(form: Form) -> Format:
    return "json" if form == "sarif" else form if form in FORMATS else "text"


def compared(
    config: "Config",
    against: str | None,
    to: str | None,
    choice: "Choice",
    *,
    providers: tuple[str, ...] = (),
    form: Form = "text",
) -> "Outcome":
    """Compare, or end the command where a state or the configuration cannot be read."""
    outcome, problems = try_compare(config, against, to, choice, providers)
    if outcome is None:
        _stop(problems, form)
    return outcome


def try_compare(
    config: "Config", against: str | None, to: str | None, choice: "Choice", providers: tuple[str, ...] = ()
) -> "tuple[Outcome | None, tuple[Diagnostic, ...]]":
    """Compare, or return why a state or the configuration cannot be read."""
    from ..diff.compare_states import compare_states
    from ..diff.settings import diff_profiles, setting_problems
    from ..diff.states import UnreadableStateError
    from ..diff.targets import open_states

    profiles, known, problems = diff_profiles(config, providers)
    problems = (*problems, *setting_problems(config))
    if problems:
        return None, problems
    with Bar("comparing") as bar:
        try:
            states = open_states(config, against, to, known)
            return compare_states(config, profiles, states, choice, date.today(), bar), ()
        except UnreadableStateError as error:
            return None, (error.problem,)


def _stop(problems: Any, form: Form) -> NoReturn:
    print_diagnostics(problems, _plain(form))
    raise click.exceptions.Exit(UNUSABLE)


def _list(form: Form) -> None:
    from ..diff.rules import RULES

    if form != "text":
        rows: Any = [{"rule": id, **asdict(rule)} for id, rule in RULES.items()]
        click.echo(json_text(rows))
        return
    colour = wants_colour(sys.stdout)
    for id, rule in RULES.items():
        style = "plain" if rule.level == "off" else rule.level
        click.echo(
            f"{paint(id, 'bold', colour)} ({rule.audience}): {paint(rule.level, style, colour)}",
            color=colour,
        )
        click.echo(f"  {rule.title}. {rule.about}")


def _print(outcome: "Outcome", form: Form) -> None:
    if form == "sarif":
        from .sarif import diff_sarif

        click.echo(json_text(diff_sarif(outcome.findings, outcome.diagnostics)))
        return
    from .diff_text import as_diagnostic, markdown, text

    if form == "json":
        click.echo(json_text(as_data(outcome)))
    elif form == "github":
        sys.stdout.write(render([*outcome.diagnostics, *map(as_diagnostic, outcome.findings)], "github"))
    elif form == "markdown":
        print_diagnostics([each for each in outcome.diagnostics if each.severity == "error"])
        click.echo("\n".join(markdown(outcome)))
    else:
        print_diagnostics(outcome.diagnostics)
        colour = wants_colour(sys.stdout)
        for line in text(outcome, colour):
            click.echo(line, color=colour)


def _changelog(outcome: "Outcome") -> int:
    from ..diff.changelog import entries_of
    from .diff_text import changelog

    entries = entries_of(outcome)
    print_diagnostics(outcome.diagnostics)
    incomplete = has_errors(outcome.diagnostics)
    click.echo("\n".join(changelog(entries, incomplete=incomplete)))
    return int(incomplete or any(each.kind == "not compared" for each in entries))


def as_data(outcome: "Outcome") -> dict[str, Any]:
    """Return the comparison for programs."""

    def rows(findings: Any) -> list[dict[str, Any]]:
        return [
            {
                "level": each.level,
                **asdict(each.change),
                **({"suppression": each.suppression} if each.suppression is not None else {}),
            }
            for each in findings
        ]

    return {
        "old": outcome.old,
        "new": outcome.new,
        "tools": len(outcome.pairs),
        "unchanged": outcome.unchanged,
        "failed": outcome.failed,
        "changes": rows(outcome.findings),
        "suppressed": rows(outcome.suppressed),
        "diagnostics": outcome.diagnostics,
    }
