"""`toolcast generate --watch`: build again after every save.

Folders are watched through the system's notifications. The few single files (configuration, profiles), and
whether a folder is still the one that is watched, are checked between notifications: an editor that saves by
renaming replaces the file, and a notification would be tied to the old one.
"""

import gc
import importlib
import json
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from ..config import Config, load_config, show
from ..console import Format, inert_json, write_line
from ..diagnostics import Diagnostic
from ..project.generate import Report, build
from ..project.worker import FRONTEND
from .building import as_json, stale_lines, summary
from .options import print_diagnostics
from .terminal import Bar

if TYPE_CHECKING:
    from watchfiles.main import FileChange


_LOOK = 250
"""Milliseconds between two checks of single files."""
_QUIET = 10
"""Milliseconds without another event that end a save."""
GRACE = 0.1
"""Seconds in which a spec that is gone, or empty, may come back: some editors save in two steps."""


class _Watched(Struct, frozen=True):
    """The places that a build reads and a person edits, without the generator and libraries."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]


def watched(config: Config | None, file: Path | None, start: Path) -> _Watched:
    """Return what to watch; without a configuration only the places where it may be corrected."""
    places = (file,) if file is not None else tuple(at / "pyproject.toml" for at in (start, *start.parents))
    if config is None:
        return _Watched((), places)
    templates = () if config.templates is None else (config.templates,)
    folders = (config.specs, *templates, *(Path(each.folder) for each in config.types if each.folder))
    return _Watched(folders, (*places, *config.profiles))


def turns(find: Callable[[], _Watched]) -> Iterator[None]:
    """Yield at once, and then whenever something changed. Never ends.

    No edit is missed: while the consumer builds, events are kept. After watching begins, and whenever other
    places are to be watched, there is one turn more, for edits made before.
    """
    while True:
        places = find()
        before = _states(places)
        yield
        stream = _stream(places.folders)
        try:
            for changes in stream:
                if _states(places) != before:
                    break
                if changes is None:  # watching began
                    yield
                elif changes:
                    if any(_in_between(path) for _, path in changes):
                        time.sleep(GRACE)
                    yield
                if find() != places:
                    break
        finally:
            stream.close()


def _stream(folders: tuple[Path, ...]) -> Generator["set[FileChange] | None", None, None]:
    """Yield changes below `folders`; None when watching begins, an empty set after each `_LOOK`."""
    there = [folder for folder in folders if folder.is_dir()]
    if not there:
        while True:
            time.sleep(_LOOK / 1000)
            yield set()
    from watchfiles import watch

    began = False
    stream = watch(
        *there,
        step=_QUIET,
        debounce=10 * _QUIET,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    for changes in stream:
        yield changes if began or changes else None
        began = True


def _states(places: _Watched) -> tuple[tuple[int, ...], ...]:
    return (
        *(_state(folder)[:2] for folder in places.folders),
        *(_state(file) for file in places.files),
    )


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)


def _in_between(path: str) -> bool:
    """Return whether a file is probably being replaced."""
    try:
        return Path(path).stat().st_size == 0
    except OSError:
        return True


def watch(file: Path | None, form: Format, jobs: int | None) -> int:
    """Build now and after every save, until interrupted; return 0, whatever the specs hold."""
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
    def __init__(self, file: Path | None, form: Format, jobs: int | None) -> None:
        self._start, self._jobs = Path.cwd(), jobs
        self._form: Format = form
        self._file = None if file is None else self._start / file
        # The report of the last turn; None before the first.
        self._before: tuple[Diagnostic, ...] | None = None

    def find(self) -> _Watched:
        config, _ = load_config(self._start, self._file)
        return watched(config, self._file, self._start)

    def turn(self) -> None:
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
                waiting=lambda message: write_line(message, err=True),
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
