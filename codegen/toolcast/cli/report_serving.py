"""`toolcast report --serve`."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ..config import load_config
from ..console import write_line
from ..project.watch import Watched, turns, watched
from ..version import __version__
from .browser import open_page
from .diff import try_compare
from .options import print_diagnostics, refuse
from .report import ReportOptions, collected
from .watch import require_watchfiles

if TYPE_CHECKING:
    from ..diagnostics import Diagnostic
    from ..report.report_model import Report


def serve_report(options: ReportOptions, file: Path | None, port: int, *, opened: bool) -> int:
    """Serve the page of a report, and make it anew after every save, until interrupted.

    Args:
        options: what the report is about.
        file: the configuration; None: the nearest one.
        port: the port; 0 for any that is free.
        opened: whether the browser opens the page.

    Returns:
        The exit status: 0, whatever the specs hold.
    """
    from ..report.live_server import ADDRESS, LiveServer, live_script, version_of
    from ..report.page import render_page

    require_watchfiles("--serve")
    start = Path.cwd()
    file = None if file is None else start / file

    def find() -> Watched:
        config, _ = load_config(start, file)
        return watched(config, file, start)

    def page() -> tuple[bytes, str]:
        report = _report(start, file, options)
        print_diagnostics([each for each in report.diagnostics if each.severity == "error"])
        version = version_of(msgspec.json.encode(report))
        return render_page(report, live=live_script(version)), version

    try:
        server = LiveServer(port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise refuse(
            f"{ADDRESS}:{port}", "not-served", f"cannot listen: {reason}", "choose another --port, or 0"
        ) from None
    try:
        turn = turns(find)
        next(turn)
        server.show(*page())
        with server:
            write_line(f"toolcast: {server.address} follows your edits until you press Ctrl-C")
            if opened:
                open_page(server.address)
            for _ in turn:
                server.show(*page())
    except KeyboardInterrupt:  # how serving ends
        return 0
    return 0


def _report(start: Path, file: Path | None, options: ReportOptions) -> "Report":
    """The report as it stands; what cannot be read or compared is among its diagnostics."""
    config, problems = load_config(start, file)
    if config is None:
        return _failed(start.name, problems)
    if options.against is None:
        return collected(config, options, None)
    from ..diff.compare_states import Choice

    compared, problems = try_compare(
        config, options.against, None, Choice(tools=options.specs), options.providers
    )
    report = collected(config, options, compared)
    return replace(report, diagnostics=tuple(sorted({*report.diagnostics, *problems})))


def _failed(title: str, problems: "tuple[Diagnostic, ...]") -> "Report":
    from ..report.report_model import Report

    return Report(
        title=title,
        version=__version__,
        note="",
        providers=(),
        tools=(),
        sets=(),
        findings=(),
        diagnostics=tuple(sorted(problems)),
    )
