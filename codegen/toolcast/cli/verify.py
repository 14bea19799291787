"""`toolcast verify`."""

import secrets
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from ..colours import paint, wants_colour
from ..command_settings import MOST_EXAMPLES
from ..console import count, json_text, one_line
from .complete_values import complete_tools
from .options import config_option, configuration, examples, print_diagnostics, takes
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.verify.verified_tool import Counterexample, ToolReport
    from ..analysis.verify.verify_tools import VerifyOutcome


class _Options(Struct, frozen=True, kw_only=True):
    specs: tuple[str, ...]
    count: int | None
    seed: int | None
    jobs: int | None
    second_opinion: bool | None
    form: Literal["text", "json"]
    config_file: Path | None


@click.command(
    "verify",
    epilog=examples(
        "toolcast verify                       every tool, 200 instances each",
        "toolcast verify edit --examples 5000  one tool, harder",
        "toolcast verify --seed 7              the instances of an earlier run",
        "toolcast verify --second-opinion      what pydantic models would not check",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@click.option(
    "--examples",
    "count",
    type=click.IntRange(1, MOST_EXAMPLES),
    metavar="N",
    help="Instances for each tool (default: 200).",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Where chance starts (default: anew).")
@click.option("--jobs", type=click.IntRange(min=1), metavar="J", help="Processes (default: all processors).")
@click.option(
    "--second-opinion/--no-second-opinion",
    default=None,
    help="Ask datamodel-code-generator's pydantic models too, or do not.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="For people, or for programs.",
)  # fmt: skip
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Hold tools to the laws: what decoders accept is what the schema says, for every provider.

    SPEC is a path or a tool's name; all tools without one. Nothing is written. Instances that are valid,
    one edit from valid, and at every bound are judged by the generated decoder and by an independent
    validator. A spec says which law does not apply to it, and why, under `verify.ignore`;
    [tool.toolcast.verify] sets severities and defaults of options. The exit status is 1 if there is an error.
    """
    config = configuration(options.config_file, options.form)
    from ..analysis.verify.tool_laws import Effort
    from ..analysis.verify.verify_tools import VerifyRun, verify

    stated = config.verify
    chosen = stated.seed if options.seed is None else options.seed
    settings = Effort(
        examples=options.count or stated.examples,
        seed=secrets.randbelow(2**32) if chosen is None else chosen,
        second_opinion=stated.second_opinion if options.second_opinion is None else options.second_opinion,
    )
    with Bar("verifying") as bar:
        outcome = verify(
            config, options.specs, settings, VerifyRun(today=date.today(), jobs=options.jobs), bar
        )
    if options.form == "json":
        click.echo(_json(outcome))
    else:
        print_diagnostics(outcome.diagnostics)
        _print(outcome)
    return int(outcome.failed)


def _json(outcome: "VerifyOutcome") -> str:
    answer = {
        "seed": outcome.seed,
        "examples": outcome.examples,
        "counterexamples": sum(len(report.counterexamples) for report in outcome.reports),
        "suppressed": sum(report.suppressed for report in outcome.reports),
        "tools": outcome.reports,
        "diagnostics": outcome.diagnostics,
    }
    return json_text(answer)


def _print(outcome: "VerifyOutcome") -> None:
    colour = wants_colour(sys.stdout)
    for report in outcome.reports:
        for each in report.counterexamples:
            click.echo(counterexample(report, each, colour), color=colour)
        if report.second_opinion is not None:
            click.echo(_opinion(report, colour), color=colour)
    found = sum(len(report.counterexamples) for report in outcome.reports)
    instances = sum(report.instances for report in outcome.reports)
    valid = sum(report.valid for report in outcome.reports)
    summary = count(found, "counterexample") if found else "no counterexample"
    suppressed = sum(report.suppressed for report in outcome.reports)
    also = f", {suppressed} suppressed" if suppressed else ""
    style = "error" if found else "add"
    click.echo(
        f"toolcast: {count(len(outcome.reports), 'tool')}, {instances} instances ({valid} valid), "
        f"{paint(summary, style, colour)}{also} (seed {outcome.seed})",
        color=colour,
    )


def counterexample(report: "ToolReport", found: "Counterexample", colour: bool) -> str:
    """Return one counterexample in lines."""
    place = paint(f"{one_line(found.file)}:{found.line}:{found.column}", "bold", colour)
    only = "" if found.severity == "error" else f" ({found.severity})"
    law = paint(f"{found.law} {found.title}{only}", found.severity, colour)
    whom = f" [{found.provider}]" if found.provider else ""
    lines = [f"{place}: {law}: {one_line(report.tool)}{whom}"]
    rows = [
        ("instance", found.instance),
        ("place", found.place),
        ("expected", found.expected),
        ("actual", found.actual),
    ]
    lines += [f"  {paint(f'{name}:', 'hint', colour)} {one_line(text)}" for name, text in rows if text]
    return "\n".join(lines)


def _opinion(report: "ToolReport", colour: bool) -> str:
    head = f"{paint(one_line(report.file), 'bold', colour)}: second opinion on {one_line(report.tool)}:"
    if not report.second_opinion:
        return f"{head} pydantic models agree"
    lines = [head]
    for each in report.second_opinion:
        shown = f": {one_line(each.instance)}" if each.instance else ""
        times = f" ({count(each.count, 'instance')})"
        style = "error" if each.severity == "error" else "warning"
        lines.append(f"  {paint(each.kind, style, colour)}{times}{shown}")
        lines.append(f"    {one_line(each.reason)}")
    return "\n".join(lines)
