"""What `toolcast generate` does, apart from its options: a plain one comes here without click."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..config import Config, load_config, show
from ..console import Format, inert_json, one_line, paint, print_diagnostics, render, wants_colour, write_line
from ..diagnostics import Diagnostic

if TYPE_CHECKING:
    from ..project.former import Stale
    from ..project.generate import Report

Wanted = Literal["write", "check", "diff", "dry-run"]
_SHOWN = 10
"""Stale outputs that are listed before they become a number."""


def generate(
    config_file: Path | None = None,
    *,
    wanted: Wanted = "write",
    jobs: int | None = None,
    form: Format = "text",
) -> int:
    """Build, and report what was done, or would be; returns the exit status."""
    config, problems = load_config(Path.cwd(), config_file)
    if config is None:
        print_diagnostics(problems, form)
        return 1

    from ..project.generate import build
    from ..project.worker import FRONTEND
    from .progress import Bar

    check, diff, dry_run = (wanted == each for each in ("check", "diff", "dry-run"))
    with Bar() as bar:
        report = build(
            config,
            FRONTEND,
            mode="check" if check else "diff" if diff or dry_run else "write",
            jobs=jobs,
            progress=bar,
            waiting=lambda message: write_line(message, err=True),
        )
    repair = "toolcast generate" + (f" --config {_quoted(config_file)}" if config_file else "")
    output = show(config.output)
    drift = _drift(report, config, repair)
    if form == "json":
        _print_json(report, drift, output, diff=diff, dry_run=dry_run)
    else:
        print_diagnostics(report.diagnostics, form)
        if form == "text":
            for line in stale_lines(report.stale):
                write_line(line, err=True)
        if form == "github":
            print_diagnostics(drift, form)
    if (diff or dry_run) and form != "json":
        _print_plan(report, output, diff=diff)
    elif check and form == "text":
        _print_drift(report, drift, output, repair)
    if form != "json" and not check:
        write_line(summary(report, would=diff or dry_run), err=diff or dry_run)
    return int(report.failed or bool(drift))


def _quoted(file: Path) -> str:
    """A path as a shell takes it."""
    import shlex

    return shlex.quote(str(file))


def summary(report: "Report", *, would: bool = False) -> str:
    """One line: what was done, or what would be."""
    if report.failed and not report.tools and report.plan.empty:
        return "toolcast: nothing was built"
    kept = report.tools - report.rebuilt - report.refused
    refused = f", {report.refused} refused" if report.refused else ""
    written, deleted = _done(report)
    verbs = ("to write", "to delete") if would else ("written", "deleted")
    tools = f"{report.rebuilt} rebuilt, {kept} unchanged{refused}"
    files = f"{_count(written, 'file')} {verbs[0]}, {deleted} {verbs[1]}"
    return f"toolcast: {_count(report.tools, 'tool')}: {tools}; {files} ({report.seconds:.2f} s)"


def stale_lines(stale: Sequence["Stale"]) -> list[str]:
    """A line for each output that stays as it was; those beyond the first few are a number."""
    lines = []
    for each in stale[:_SHOWN]:
        why = "is gone or unused, but stale modules import it" if each.deleted else "has errors"
        name = each.outputs[0] if each.outputs else "nothing is left"
        flaw = f"; it cannot be used: {each.flaw}" if each.flaw else ""
        lines.append(f"stale: {name} ({each.spec} {why}{flaw})")
    if len(stale) > _SHOWN:
        lines.append(f"stale: the outputs of {len(stale) - _SHOWN} more specs")
    return lines


def _done(report: "Report") -> tuple[int, int]:
    effect = report.plan.effect
    return len(effect.writes), len(effect.deletes)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _drift(report: "Report", config: Config, repair: str) -> tuple[Diagnostic, ...]:
    """The causes for which the output is not what a build would leave."""
    if not report.causes:
        return ()
    from ..project.output.drift import drift_diagnostic

    return tuple(drift_diagnostic(cause, config, repair) for cause in report.causes)


def _print_drift(report: "Report", drift: Sequence[Diagnostic], output: str, repair: str) -> None:
    """Each cause, and below it what is wrong with which file."""
    colour = wants_colour(sys.stdout)
    for cause, problem in zip(report.causes, drift, strict=True):
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        _print(f"{paint(one_line(place), 'bold', colour)}: {one_line(problem.message)}")
        for path, kind in cause.files.items():
            _print(f"  {paint(f'{kind:8}', 'error', colour)} {one_line(f'{output}/{path}')}")
        if problem.hint != f"run `{repair}`":
            _print(f"  {paint('hint:', 'hint', colour)} {one_line(problem.hint)}")
    if drift:
        files = {path: kind for cause in report.causes for path, kind in cause.files.items()}
        counts = Counter(files.values())
        causes = _count(len(drift), "cause")
        stated = ", ".join(f"{counts[kind]} {kind}" for kind in ("changed", "missing", "orphaned"))
        write_line(f"toolcast: {output} is out of date: {stated} ({causes}); to repair it, run: {repair}")
    elif not report.failed:
        write_line(f"toolcast: {output} is up to date")


def _print_plan(report: "Report", output: str, *, diff: bool) -> None:
    from .difference import render_diff, render_list

    colour, plan = wants_colour(sys.stdout), report.plan.effect
    raw = diff and not colour and not sys.stdout.isatty()  # for `git apply`
    if diff:
        lines = render_diff(plan, output, colour=colour, raw=raw)
    else:
        lines = render_list(plan, output, colour=colour)
    sys.stdout.flush()
    for line in lines:
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def as_json(report: "Report", output: str, drift: tuple[Diagnostic, ...] = ()) -> dict[str, Any]:
    """The report of a run with `--format json`."""
    import json

    written, deleted = _done(report)
    counts = {
        "tools": report.tools,
        "rebuilt": report.rebuilt,
        "refused": report.refused,
        "stale": len(report.stale),
        "written": written,
        "deleted": deleted,
        "seconds": round(report.seconds, 3),
    }
    problems = json.loads(render((*report.diagnostics, *drift), "json"))
    stale = [
        {
            "spec": each.spec,
            "deleted": each.deleted,
            "usable": not each.flaw,
            "flaw": each.flaw,
            "outputs": [f"{output}/{path}" for path in each.outputs],
        }
        for each in report.stale
    ]
    return {"diagnostics": problems, "stale": stale, "summary": counts}


def _print_json(
    report: "Report", drift: tuple[Diagnostic, ...], output: str, *, diff: bool, dry_run: bool
) -> None:
    import json

    from .difference import as_data, render_diff

    answer, plan = as_json(report, output, drift), report.plan.effect
    if drift:
        answer["drift"] = [
            {
                "reason": cause.reason,
                "file": problem.file,
                "specs": list(cause.units),
                "files": [{"path": f"{output}/{path}", "kind": kind} for path, kind in cause.files.items()],
            }
            for cause, problem in zip(report.causes, drift, strict=True)
        ]
    if diff:
        answer["diff"] = "".join(render_diff(plan, output, colour=False))
    if dry_run:
        answer["plan"] = as_data(plan, output)
    _print(inert_json(json.dumps(answer, indent=2, ensure_ascii=False)))


def _print(text: str, *, err: bool = False) -> None:
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()
