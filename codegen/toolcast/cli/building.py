"""Run `toolcast generate` and print its outcome; a plain run comes here without click."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..colours import paint, wants_colour
from ..config import load_config, show
from ..console import Format, count, inert_json, one_line, print_diagnostics, printable, render, write_line
from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from .terminal import Bar

if TYPE_CHECKING:
    from ..project.former import Stale
    from ..project.generate import Report
    from ..project.output.plan import Plan


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
    """Build, report what was done or would be, and return the exit status."""
    config, problems = load_config(Path.cwd(), config_file)
    if config is None:
        print_diagnostics(problems, form)
        return 1

    from ..project.generate import build
    from ..project.worker import FRONTEND

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
    repair = "toolcast generate" + (f" --config {shlex.quote(str(config_file))}" if config_file else "")
    output = show(config.output)
    drift: tuple[Diagnostic, ...] = ()
    if check:
        from ..project.output.drift import drift_diagnostic

        drift = tuple(drift_diagnostic(cause, config, repair) for cause in report.causes)
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


def summary(report: "Report", *, would: bool = False) -> str:
    """Say in one line what was done, or what would be."""
    if report.failed and not report.tools and report.plan.empty:
        return "toolcast: nothing was built"
    kept = report.tools - report.rebuilt - report.refused
    refused = f", {report.refused} refused" if report.refused else ""
    written, deleted = _done(report)
    verbs = ("to write", "to delete") if would else ("written", "deleted")
    tools = f"{report.rebuilt} rebuilt, {kept} unchanged{refused}"
    files = f"{count(written, 'file')} {verbs[0]}, {deleted} {verbs[1]}"
    return f"toolcast: {count(report.tools, 'tool')}: {tools}; {files} ({report.seconds:.2f} s)"


def stale_lines(stale: Sequence["Stale"]) -> list[str]:
    """Return a line for each stale output; those beyond the first few are a number."""
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


def _print_drift(report: "Report", drift: Sequence[Diagnostic], output: str, repair: str) -> None:
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
        causes = count(len(drift), "cause")
        stated = ", ".join(f"{counts[kind]} {kind}" for kind in ("changed", "missing", "orphaned"))
        write_line(f"toolcast: {output} is out of date: {stated} ({causes}); to repair it, run: {repair}")
    elif not report.failed:
        write_line(f"toolcast: {output} is up to date")


def _print_plan(report: "Report", output: str, *, diff: bool) -> None:
    colour, plan = wants_colour(sys.stdout), report.plan.effect
    raw = diff and not colour and not sys.stdout.isatty()  # for `git apply`
    if diff:
        lines = _render_diff(plan, output, colour=colour, raw=raw)
    else:
        lines = _render_list(plan, output, colour=colour)
    sys.stdout.flush()
    for line in lines:
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def as_json(report: "Report", output: str, drift: tuple[Diagnostic, ...] = ()) -> JsonObject:
    """Return the report of a run for `--format json`."""

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
        answer["diff"] = "".join(_render_diff(plan, output, colour=False))
    if dry_run:
        answer["plan"] = _as_data(plan, output)
    _print(inert_json(json.dumps(answer, indent=2, ensure_ascii=False)))


def _print(text: str, *, err: bool = False) -> None:
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def _render_diff(plan: "Plan", shown_output: str, *, colour: bool, raw: bool = False) -> Iterator[str]:
    """Yield the plan as a unified diff; `raw` keeps every character for `git apply`, bytes that are no text
    as surrogates.
    """
    changes: list[tuple[str, bytes | None, bytes | None]] = [
        *((write.path, write.old, write.content) for write in plan.writes),
        *((delete.path, delete.old, None) for delete in plan.deletes),
    ]
    for path, old, new in sorted(changes, key=lambda change: change[0]):
        before = "/dev/null" if old is None else f"a/{shown_output}/{path}"
        after = "/dev/null" if new is None else f"b/{shown_output}/{path}"
        from difflib import unified_diff  # loaded only where something differs

        lines = list(unified_diff(_lines(old), _lines(new), before, after))
        for number, line in enumerate(lines or (f"--- {before}\n", f"+++ {after}\n")):  # an empty file
            yield _line(line, head=number < 2, colour=colour, raw=raw)


def _lines(content: bytes | None) -> list[str]:
    """Split at LF alone; `splitlines` knows ten other ends."""
    if not content:
        return []
    *lines, rest = content.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])


def _line(line: str, *, head: bool, colour: bool, raw: bool) -> str:
    text = line.removesuffix("\n")
    text = text if raw else printable(text)
    end = "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n"
    if head:
        style = "bold"
    else:
        style = {"+": "add", "-": "del", "@": "hint"}.get(line[:1], "")
    return (paint(text, style, colour) if style else text) + end


def _render_list(plan: "Plan", shown_output: str, *, colour: bool) -> Iterator[str]:
    done: list[tuple[str, str, str]] = [
        (write.path, write.kind, "add" if write.kind == "new" else "hint") for write in plan.writes
    ]
    done += [(delete.path, "deleted", "del") for delete in plan.deletes]
    for path, kind, style in sorted(done):
        yield f"{paint(f'{kind:8}', style, colour)} {one_line(shown_output)}/{one_line(path)}\n"


def _as_data(plan: "Plan", shown_output: str) -> JsonObject:
    from ..project.state.fingerprint import digest

    return {
        "writes": [
            {
                "path": f"{shown_output}/{write.path}",
                "kind": write.kind,
                "size": len(write.content),
                "digest": f"sha256:{digest(write.content)}",
            }
            for write in plan.writes
        ],
        "deletes": [{"path": f"{shown_output}/{delete.path}"} for delete in plan.deletes],
        "unchanged": plan.unchanged,
        "blocked": plan.blocked,
    }
