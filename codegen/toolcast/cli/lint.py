"""`toolcast lint`."""

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct
from msgspec.structs import asdict, replace

from ..colours import paint, wants_colour
from ..console import count, json_text, render, table
from ..diagnostics import Diagnostic, Severity, did_you_mean
from .complete_values import complete_codes, complete_groups, complete_providers, complete_tools
from .options import (
    calls_option,
    config_option,
    configuration,
    examples,
    print_diagnostics,
    read_calls,
    refuse,
    takes,
)
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.lint.all_checks import LintOutcome
    from ..analysis.lint.finding import Finding, LintRule
    from ..analysis.lint.tokens import Tokens

_Form = Literal["text", "json", "github", "sarif"]
_FORMS = ("text", "json", "github", "sarif")
_TOLERATED: dict[str, int] = {"none": -1, "note": 0, "warning": 1}
"""Most severe finding that leaves the exit status 0."""


class _Options(Struct, frozen=True, kw_only=True):
    specs: tuple[str, ...]
    providers: tuple[str, ...]
    groups: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    losses: bool | None
    tokens: bool
    calls: tuple[Path, ...]
    strict: bool
    max_severity: str | None
    form: _Form
    listing: bool
    config_file: Path | None


@click.command(
    "lint",
    epilog=examples(
        "toolcast lint                          every tool, for the configured providers",
        "toolcast lint edit --provider gemini   one tool, one provider",
        "toolcast lint --group files            as a request that holds only this group",
        "toolcast lint --strict --format sarif  in CI: warnings fail, too",
        "toolcast lint --tokens                 what each tool costs in a request",
        "toolcast lint --calls calls.jsonl      what models get wrong",
        "toolcast lint --list                   every code, and what it means",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@click.option(
    "--provider", "providers", multiple=True, metavar="P", shell_complete=complete_providers,
    help="Check for this provider (repeatable).",
)  # fmt: skip
@click.option(
    "--group", "groups", multiple=True, metavar="G", shell_complete=complete_groups,
    help="The set is this group (repeatable).",
)  # fmt: skip
@click.option(
    "--select", multiple=True, metavar="CODE", shell_complete=complete_codes,
    help="Tell only of these codes (repeatable).",
)  # fmt: skip
@click.option(
    "--ignore", multiple=True, metavar="CODE", shell_complete=complete_codes,
    help="Do not tell of these codes (repeatable).",
)  # fmt: skip
@click.option(
    "--losses/--no-losses", default=None, help="Tell what each provider's schema says less, or do not."
)
@click.option("--tokens", is_flag=True, help="Show what each tool costs, in tokens, full and brief.")
@calls_option
@click.option("--strict", is_flag=True, help="Fail on warnings: --max-severity note.")
@click.option(
    "--max-severity", type=click.Choice(list(_TOLERATED)),
    help="The worst finding that does not fail the run (default: warning).",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(_FORMS), default="text", show_default=True,
    help="For people, for programs, as CI annotations, or as SARIF 2.1.0.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Explain every code, and do nothing else.")
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Check the whole set of tools before a provider does: limits, names, wording, policy.

    SPEC is a path or a tool's name; all tools without one. Limits of a request are counted over all tools, or
    over those of --group. Nothing is written. A spec says what does not apply to it, and why, under
    `lint.ignore`; [tool.toolcast.lint] sets severities, budgets and defaults of options. The exit status is 1
    if a finding is worse than --max-severity, or a spec does not compile.
    """
    from ..analysis.lint.finding import RANKS, RULES

    if options.listing:
        _list(RULES, options.form)
        return 0
    _known(options.select + options.ignore, RULES)
    form = "json" if options.form == "sarif" else options.form
    config = configuration(options.config_file, form)
    from ..analysis.lint.all_checks import Settings, lint

    settings = Settings(
        today=date.today(),
        tools=options.specs,
        groups=options.groups,
        providers=options.providers,
        select=options.select,
        ignore=options.ignore,
        losses=config.lint.losses if options.losses is None else options.losses,
        tokens=options.tokens,
        calls=read_calls(options.calls, form),
    )
    with Bar("linting") as bar:
        outcome = lint(config, settings, bar)
    _print(outcome, options.form)
    worst = _TOLERATED[options.max_severity or ("note" if options.strict else config.lint.max_severity)]
    worst = min(0, worst) if options.strict else worst
    severities: set[Severity] = {each.severity for each in outcome.refused}
    severities |= {each.severity for each in outcome.findings}
    return int(any(RANKS[severity] > worst for severity in severities))


def _known(codes: Sequence[str], rules: "Mapping[str, LintRule]") -> None:
    for code in codes:
        if code not in rules:
            hint = did_you_mean(code, rules, "see `toolcast lint --list`")
            raise refuse("toolcast lint", "unknown-code", f"there is no code {code!r}", hint)


def _list(rules: "Mapping[str, LintRule]", form: _Form) -> None:
    if form != "text":
        rows: object = [{"code": code, **asdict(rules[code])} for code in sorted(rules)]
        click.echo(json_text(rows))
        return
    colour = wants_colour(sys.stdout)
    for code, rule in rules.items():
        whole = " (of the whole set: no spec can ignore it)" if rule.whole else ""
        click.echo(
            f"{paint(code, 'bold', colour)}: {paint(rule.severity, rule.severity, colour)}{whole}",
            color=colour,
        )
        click.echo(f"  {rule.title}. {rule.about}")


def _print(outcome: "LintOutcome", form: _Form) -> None:
    if form == "sarif":
        from .sarif import sarif

        click.echo(json_text(sarif(outcome.findings, outcome.refused)))
    elif form == "json":
        answer = {
            "tools": outcome.tools,
            "suppressed": outcome.suppressed,
            "findings": outcome.findings,
            "diagnostics": outcome.refused,
            **({"tokens": outcome.tokens} if outcome.tokens is not None else {}),
        }
        click.echo(json_text(answer))
    elif form == "github":
        sys.stdout.write(render([*outcome.refused, *map(_as_diagnostic, outcome.findings)], "github"))
    else:
        print_diagnostics(outcome.refused)
        colour = wants_colour(sys.stdout)
        text = render([*map(_as_diagnostic, _gathered(outcome.findings))], "text", colour=colour)
        click.echo(text, nl=False, color=colour)
        if outcome.tokens is not None:
            click.echo(_table(outcome.tokens, colour), color=colour)
        click.echo(_summary(outcome, colour), color=colour)


def _gathered(findings: "Sequence[Finding]") -> "list[Finding]":
    """Return findings of single tools that say the same of many as one, at the first place."""
    groups: dict[object, list[Finding]] = {}
    for each in findings:
        same = (each.code, each.severity, each.providers, each.message, each.answer, each.fix)
        groups.setdefault(same, []).append(each)
    made: list[Finding] = []
    for group in groups.values():
        tools = list(dict.fromkeys(each.tool for each in group))
        shown = f"{len(tools)} tools ({', '.join(tools[:_FEW])} and {len(tools) - _FEW} more)"
        made += [replace(group[0], tool=shown)] if len(tools) > _FEW else group
    return sorted(made)


_FEW = 3
"""Tools with the same finding that are told one by one."""


def _as_diagnostic(each: "Finding") -> Diagnostic:
    """Return a finding in the form that all commands print; the answer is a line of its message."""
    whom = f" [{', '.join(each.providers)}]" if each.providers else ""
    summary = f"\n{each.answer}" if each.answer else ""
    return Diagnostic(
        file=each.file,
        line=each.line,
        column=each.column,
        severity=each.severity,
        code=each.code,
        message=f"{each.tool}: {each.message}{whom}{summary}"
        if each.tool
        else f"{each.message}{whom}{summary}",
        hint=each.fix,
    )


def _summary(outcome: "LintOutcome", colour: bool) -> str:
    order: tuple[Severity, ...] = ("error", "warning", "note")
    counts = {severity: sum(each.severity == severity for each in outcome.findings) for severity in order}
    parts = [
        paint(count(counts[severity], severity), severity, colour) for severity in order if counts[severity]
    ]
    summary = ", ".join(parts) if parts else paint("nothing found", "add", colour)
    if outcome.suppressed:
        summary += f", {outcome.suppressed} suppressed"
    if outcome.refused:
        summary += f", {count(len(outcome.refused), 'problem')} before linting"
    return f"toolcast: {count(outcome.tools, 'tool')}: {summary}"


def _table(tokens: "Tokens", colour: bool) -> str:
    """Return totals by provider, then every tool, the costliest first."""
    totals = {each.provider: each for each in tokens.totals}
    sums = [(each.provider, f"{each.full}", f"{each.brief}") for each in tokens.totals]
    rows = [
        (
            each.tool,
            each.provider,
            f"{each.full}",
            f"{100 * each.full / total:.1f} %" if (total := totals[each.provider].full) else "",
            f"{each.brief}",
        )
        for each in tokens.costs
    ]
    lines = [
        f"tokens, {tokens.note}",
        *table([("all tools", "full", "brief"), *sums], [], colour, right=(1, 2)),
        "",
    ]
    lines += table([("tool", "provider", "full", "share", "brief"), *rows], [], colour, right=(2, 3, 4))
    return "\n".join([*lines, ""])
