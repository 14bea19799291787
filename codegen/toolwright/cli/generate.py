"""`toolwright generate`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import Diagnostic
from .console import Format, paint, render, wants_colour
from .options import config_option, configuration, examples, format_option, tell

if TYPE_CHECKING:
    from ..build.generate import Report


@click.command(
    "generate",
    epilog=examples(
        "toolwright generate                    write what differs",
        "toolwright generate --check            fail if the output is out of date (for CI)",
        "toolwright generate --diff | less -R   show what would change",
        "toolwright generate --watch            build after every save",
        "toolwright generate --format github    problems as CI annotations",
    ),
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the output is not what the specs say.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--watch", is_flag=True, help="Build again after every save, until interrupted.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes to compile in (default: all processors).",
)
@click.option("--no-cache", is_flag=True, help="Pass the shared cache by, and distrust what came from it.")
@format_option
@config_option
def command(
    check: bool,
    diff: bool,
    watch: bool,
    jobs: int | None,
    no_cache: bool,
    form: Format,
    config_file: Path | None,
) -> int:
    """Compile the specs into the output folder.

    Only what differs is written, and only what an earlier run wrote is deleted. A spec with errors yields
    nothing; all others are compiled all the same, and the exit status is 1.
    """
    if check and diff:
        raise click.UsageError("--check and --diff exclude each other.")
    if watch:
        if check or diff:
            raise click.UsageError("--watch writes: it goes with neither --check nor --diff.")
        from .watch import watch as keep_building

        return keep_building(config_file, form, jobs)
    config = configuration(config_file, form)

    from ..build.generate import build
    from ..build.rooms import FRONTEND
    from ..config import show
    from .progress import Bar

    with Bar() as bar:
        report = build(
            config,
            FRONTEND,
            mode="check" if check else "diff" if diff else "write",
            jobs=jobs,
            share="distrust" if no_cache else "use",
            progress=bar,
            waiting=lambda message: click.echo(message, err=True),
        )
    repair = "toolwright generate" + (f" --config {config_file}" if config_file else "")
    repair += " --no-cache" if config.cache or os.environ.get("TOOLWRIGHT_CACHE") else ""
    output = show(config.output)
    drift = _drift(report, output, repair) if check else ()
    if form == "json":
        _tell_json(report, drift, _diff_lines(report, output, colour=False) if diff else None)
    else:
        tell((*report.diagnostics, *report.shares.trouble), form)
        if form == "github":
            tell(drift, form)
    if diff and form != "json":
        sys.stdout.writelines(_diff_lines(report, output, colour=wants_colour(sys.stdout)))
        sys.stdout.flush()
    elif check and form == "text":
        _print_drift(drift, output, repair, failed=report.failed)
    if form != "json" and not check:
        click.echo(summary(report, would=diff), err=diff)
    return int(report.failed or bool(drift))


def summary(report: "Report", *, would: bool = False) -> str:
    """One line: what was done, or what would be."""
    kept = report.tools - report.rebuilt - report.fetched - report.refused
    fetched = f", {report.fetched} from the cache" if report.fetched else ""
    refused = f", {report.refused} refused" if report.refused else ""
    written, deleted = _done(report)
    verbs = ("to write", "to delete") if would else ("written", "deleted")
    tools = f"{report.rebuilt} rebuilt{fetched}, {kept} unchanged{refused}"
    files = f"{_count(written, 'file')} {verbs[0]}, {deleted} {verbs[1]}"
    return f"toolwright: {_count(report.tools, 'tool')}: {tools}; {files} ({report.seconds:.2f} s)"


def _done(report: "Report") -> tuple[int, int]:
    blocked = any(problem.severity == "error" for problem in report.plan.diagnostics)
    return (0, 0) if blocked else (len(report.plan.writes), len(report.plan.deletes))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _drift(report: "Report", output: str, repair: str) -> tuple[Diagnostic, ...]:
    """Every file that is not what a build would leave."""
    found = [
        (f"{output}/{write.path}", "missing" if write.old is None else "changed")
        for write in report.plan.writes
    ]
    found += [(f"{output}/{delete.path}", "orphaned") for delete in report.plan.deletes]
    meaning = {
        "missing": "this file is missing from the output",
        "changed": "this file is not what the specs say",
        "orphaned": "no spec accounts for this file any more",
    }
    return tuple(
        Diagnostic(file=file, code=f"drift-{kind}", message=meaning[kind], hint=f"run `{repair}`")
        for file, kind in sorted(found)
    )


def _print_drift(drift: tuple[Diagnostic, ...], output: str, repair: str, *, failed: bool) -> None:
    colour = wants_colour(sys.stdout)
    kinds = [problem.code.removeprefix("drift-") for problem in drift]
    for problem, kind in zip(drift, kinds, strict=True):
        click.echo(f"{paint(f'{kind:8}', 'error', colour)} {problem.file}", color=colour)
    if drift:
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("changed", "missing", "orphaned"))
        click.echo(f"toolwright: {output} is out of date: {counts}; to repair it, run: {repair}")
    elif not failed:
        click.echo(f"toolwright: {output} is up to date")


def _diff_lines(report: "Report", output: str, *, colour: bool) -> Iterator[str]:
    from .difference import render_diff

    return render_diff(report.plan, output, colour=colour)


def as_json(report: "Report", drift: tuple[Diagnostic, ...] = ()) -> dict[str, Any]:
    """What `--format json` says of a run."""
    import json

    written, deleted = _done(report)
    counts = {
        "tools": report.tools,
        "rebuilt": report.rebuilt,
        "fetched": report.fetched,
        "refused": report.refused,
        "written": written,
        "deleted": deleted,
        "seconds": round(report.seconds, 3),
    }
    problems = json.loads(render((*report.diagnostics, *report.shares.trouble, *drift), "json"))
    return {"diagnostics": problems, "summary": counts}


def _tell_json(report: "Report", drift: tuple[Diagnostic, ...], diff: Iterator[str] | None) -> None:
    import json

    answer = as_json(report, drift)
    if diff is not None:
        answer["diff"] = "".join(diff)
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
