"""`toolcast report`, which may replace earlier reports only."""

import gc
import stat
import sys
import webbrowser
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click
from msgspec import Struct

from ..config import show
from ..console import count, json_text, write_line
from ..replace_file import replace_file
from .complete_values import complete_providers, complete_tools
from .options import config_option, configuration, examples, print_diagnostics, refuse, takes
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.diff.outcome import DiffOutcome
    from ..analysis.report.report_model import Report
    from ..config import Config

_Form = Literal["html", "json"]
_FORMS = ("html", "json")
_MISSING = ("no-specs", "unknown-tool", "unknown-provider")
"""Codes of what a report is to be about and does not exist: one of less would replace a good one."""
_GARBAGE = 200_000
"""Values between two searches for cycles: what is known of thousands of tools stays until the end."""


class _Options(Struct, frozen=True, kw_only=True):
    specs: tuple[str, ...]
    out: Path | None
    force: bool
    opened: bool
    against: str | None
    providers: tuple[str, ...]
    form: _Form
    config_file: Path | None


@click.command(
    "report",
    epilog=examples(
        "toolcast report --open                 write toolcast-report.html, and open it in the browser",
        "toolcast report --against origin/main  with what this branch changes, and for whom",
        "toolcast report edit grep              two tools",
        "toolcast report --format json --out - | jq '.sets[].tokens'",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@click.option(
    "-o", "--out", "out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Where to write; `-` is standard output (default: toolcast-report.html or .json).",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that is no report, too.")
@click.option("--open", "opened", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--against", metavar="REF|DIR|FILE",
    help="Show the differences to this state, as `toolcast diff --against` takes it.",
)  # fmt: skip
@click.option(
    "--provider", "providers", multiple=True, metavar="P", shell_complete=complete_providers,
    help="Show this provider (repeatable; default: those configured).",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(_FORMS), default="html", show_default=True,
    help="A page to look at, or the data.",
)  # fmt: skip
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Write one file that shows all tools: what each provider is sent, what that lacks, and its cost.

    SPEC is a path or a tool's name; all tools without one, and limits are counted over those that are shown.
    The page loads nothing from anywhere. Nothing but the file is written, and `toolcast generate` need not
    have run. An earlier report is replaced; any other file only with --force. Specs that do not compile are
    in the report with their problems; the exit status is 1 then. Nothing is written where the folder of
    specs, a SPEC or a provider does not exist.
    """
    if options.opened and (options.form != "html" or str(options.out) == "-"):
        raise click.UsageError("--open opens a page: leave out --format, and `--out -`.")
    config = configuration(options.config_file)
    target = options.out or Path(f"toolcast-report.{options.form}")
    printed = str(target) == "-"
    if not printed and not options.force:
        _check_target(target)
    comparison = None
    if options.against is not None:
        from ..analysis.diff.outcome import Choice
        from .diff_text import compared

        choice = Choice(today=date.today(), tools=options.specs)
        comparison = compared(config, (options.against, None), choice, options.providers)
    report = _collected(config, options, comparison)
    problems = [each for each in report.diagnostics if each.severity == "error"]
    print_diagnostics(problems)
    if any(each.code in _MISSING for each in problems):
        return 1
    content = _content(report, options.form)
    if printed:
        _print(content)
    else:
        try:
            replace_file(target, content)
        except OSError as error:
            raise _not_written(show(target.absolute()), error) from None
        tools = count(len(report.tools), "tool")
        size = f"{len(content) / 1000:,.0f} kB"
        write_line(f"toolcast: {tools} in {show(target.absolute())} ({size})")
        if options.opened:
            _open_page(target.absolute().as_uri())
    return int(bool(problems))


def _collected(config: "Config", options: _Options, compared: "DiffOutcome | None") -> "Report":
    from ..analysis.lint.all_checks import Settings
    from ..analysis.report.collect import collect

    choice = Settings(today=date.today(), tools=options.specs, providers=options.providers)
    before = gc.get_threshold()
    gc.set_threshold(_GARBAGE, 20, 50)
    try:
        with Bar("collecting") as bar:
            return collect(config, choice, compared=compared, progress=bar)
    finally:
        gc.set_threshold(*before)


def _open_page(url: str) -> None:
    if not webbrowser.open(url):
        click.echo(f"toolcast: no browser was found; open {url}, or set BROWSER to a browser", err=True)


def _content(report: "Report", form: _Form) -> bytes:
    if form == "html":
        from ..analysis.report.page import render_page

        return render_page(report)
    return f"{json_text(report)}\n".encode()


def _print(content: bytes) -> None:
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has gone, which is no fault
        raise
    except OSError as error:
        raise _not_written("standard output", error) from None


def _check_target(target: Path) -> None:
    """Refuse, before the work, to replace what is no report."""

    try:
        replaceable = _is_replaceable(target)
    except OSError as error:
        raise _not_written(show(target.absolute()), error) from None
    if not replaceable:
        hint = "choose another --out, or replace it with --force"
        raise refuse(show(target.absolute()), "not-a-report", "is a file that is no report", hint)


def _not_written(place: str, error: OSError) -> Exception:
    return refuse(place, "io-error", f"cannot write: {(error.strerror or str(error)).lower()}")


_MARKS: Final = (
    b'<meta name="generator" content="toolcast report">',
    b'"kind": "toolcast-report"',
)
"""Marks near the beginning of a report: of a page, of the data."""
_HEAD: Final = 512
"""Bytes in which a mark must stand."""


def _is_replaceable(path: Path) -> bool:
    """Return whether there is nothing, an empty file, an earlier report, or a device. Raises OSError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
    except FileNotFoundError:
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not head or any(mark in head for mark in _MARKS)
