"""`toolcast generate --watch`."""

import gc
import importlib
import json
import time
from pathlib import Path

import click

from ..config import load_config, show
from ..console import Format, inert_json, write_line
from ..diagnostics import Diagnostic
from ..project.generate import Report, build
from ..project.watch import Watched, turns, watched
from ..project.worker import FRONTEND
from .building import as_json, stale_lines, summary
from .options import print_diagnostics
from .progress import Bar


def watch(file: Path | None, form: Format, jobs: int | None) -> int:
    """Build now and after every save, until interrupted; the exit status is 0, whatever the specs hold."""
    try:
        importlib.import_module("watchfiles")  # before the first save, not by it
    except ImportError as error:
        message = f"--watch needs watchfiles: {error}; run: pip install 'toolcast[build]'"
        raise click.ClickException(message) from None
    session = _Session(file, form, jobs)
    gc.disable()  # garbage is looked for while nobody waits
    try:
        for turn, _ in enumerate(turns(session.find)):
            session.turn()
            gc.collect()
            if turn == 0:
                gc.freeze()  # what is loaded by now stays
    except KeyboardInterrupt:  # how a watch ends
        return 0
    return 0


class _Session:
    """Reports each turn. A turn without news is not reported."""

    def __init__(self, file: Path | None, form: Format, jobs: int | None) -> None:
        self._start, self._jobs = Path.cwd(), jobs
        self._form: Format = form
        self._file = None if file is None else self._start / file
        # The report of the last turn; None before the first.
        self._before: tuple[Diagnostic, ...] | None = None

    def find(self) -> Watched:
        """What to watch by the configuration as it stands."""
        config, _ = load_config(self._start, self._file)
        return watched(config, self._file, self._start)

    def turn(self) -> None:
        """Build, and report what was done."""
        config, problems = load_config(self._start, self._file)
        if config is None:
            self._report(Report(diagnostics=problems), "")
            return
        with Bar() as bar:
            report = build(
                config,
                FRONTEND,
                jobs=self._jobs,
                progress=bar,
                waiting=_wait,
            )
        self._report(report, show(config.output))

    def _report(self, report: Report, output: str) -> None:
        first, news = self._before is None, report.diagnostics != self._before
        self._before = report.diagnostics
        if first or news or report.rebuilt or not report.plan.empty:
            self._write_summary(report, output)

    def _write_summary(self, report: Report, output: str) -> None:
        if self._form == "json":  # one line a turn
            click.echo(inert_json(json.dumps(as_json(report, output), ensure_ascii=False)))
            return
        print_diagnostics(report.diagnostics, self._form)
        for line in stale_lines(report.stale) if self._form == "text" else ():
            write_line(line, err=True)
        write_line(f"{time.strftime('%H:%M:%S')} {summary(report)}")


def _wait(message: str) -> None:
    write_line(message, err=True)
