"""The configuration, the folders that it names, and the lock of a running build."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ..config import Config, show
from ..project.frontend import Frontend
from ..project.output.manifest import NAME, is_manifest, parse_manifest
from ..project.output.owned_files import find_strays
from ..project.previous_outputs import previous_outputs
from ..project.profiles import profiles_of, unknown_providers
from ..project.state import lock
from ..project.state.cache import load_cache
from ..project.state.files import read_plain
from ..project.type_packages import find_types
from ..spec.discovery import EDITOR_SCHEMA
from ..spec.editor_schema import format_text
from .examination import Finding

_MAX_SCHEMA = 4 * 1024 * 1024


def holder(state: Path) -> int | None:
    """The process that holds a project's lock; None for nobody, 0 for one whose number cannot be known.

    Raises OSError where the file system knows no locks.
    """
    try:
        handle = os.open(state / "lock", os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # never built, or not ours to open: then nobody of us builds
        return None
    try:
        if lock._take(handle):  # released at once, when the file is closed
            return None
        return _process(os.fstat(handle).st_ino)
    finally:
        os.close(handle)


def _process(inode: int) -> int:
    """Linux lists its locks: `1: FLOCK  ADVISORY  WRITE 4711 08:01:815 0 EOF`."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
            return int(words[4])
    return 0


_NAMED = 3
"""Files that are named before it becomes a number."""


def examine_project(config: Config, frontend: Frontend) -> Iterator[Finding]:
    """Everything about one project but its git and its shared cache."""
    if config.file is None:
        text = f"no [tool.toolcast] from {show(config.base)} upwards: defaults hold"
        yield Finding("configuration", "note", text, "run: toolcast init")
    else:
        yield Finding("configuration", "well", show(config.file))
    yield from _specs(config, frontend)
    yield from _providers(config)
    yield from _editor(config)
    yield from _output(config)
    yield from _state(config)
    if is_case_insensitive(config.specs if config.specs.is_dir() else config.base):
        text = "does not tell `a` from `A`: names that differ only so are refused, here and everywhere"
        yield Finding("file system", "note", text)
    else:
        yield Finding("file system", "well", "tells upper case from lower case")


def _specs(config: Config, frontend: Frontend) -> Iterator[Finding]:
    shown = show(config.specs)
    if not config.specs.is_dir():
        fix = "run `toolcast init`, or set `specs` in [tool.toolcast]"
        yield Finding("specs", "broken", f"{shown} is no folder", fix)
        return
    folders, not_found = find_types(config)
    found = frontend.discover(config.specs, shown_root=shown, **({"folders": folders} if folders else {}))
    problems = [each for each in (*not_found, *found.diagnostics) if each.severity == "error"]
    tools, types = len(found.tools), len(found.types)
    text = f"{shown}: {tools} tool{'s'[: tools != 1]}, {types} shared type{'s'[: types != 1]}"
    if problems:
        yield Finding("specs", "broken", f"{text}; {problems[0].message}", problems[0].hint)
    else:
        yield Finding("specs", "well", text)


def _providers(config: Config) -> Iterator[Finding]:
    profiles, problems = profiles_of(config)
    problems = (*problems, *unknown_providers(config, profiles.chosen, profiles.known))
    for problem in problems:
        yield Finding("providers", "broken", f"{problem.file}: {problem.message}", problem.hint)
    if not problems:
        own = (
            f"; own profiles: {', '.join(show(Path(file)) for file in profiles.files)}"
            if profiles.files
            else ""
        )
        yield Finding("providers", "well", f"{', '.join(profiles.chosen) or 'none'}{own}")
    if config.models:
        yield Finding("models", "well", ", ".join(config.models))
    if config.targets:
        yield Finding("targets", "well", ", ".join(config.targets))


def _editor(config: Config) -> Iterator[Finding]:
    """The schema that editors check specs with, where the project has it."""
    path = config.specs / EDITOR_SCHEMA
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_SCHEMA:
        return
    known = frozenset(profiles_of(config)[0].known)
    if path.read_bytes() == format_text(known).encode():
        yield Finding("editor", "well", f"{show(path)} is the format of this version")
    else:
        text = f"{show(path)} is of another version of toolcast, or of other providers"
        yield Finding("editor", "note", text, "run: toolcast schema --write")


def _output(config: Config) -> Iterator[Finding]:
    shown = show(config.output)
    if config.output.is_symlink() or (config.output.exists() and not config.output.is_dir()):
        yield Finding("output", "broken", f"{shown} is no plain folder", "move what is there elsewhere")
        return
    if (lock := _locked_out(config.output)) is not None:
        yield Finding("output", "broken", f"{shown}: no permission to write in {show(lock)}", _permit(lock))
        return
    yield from _former(config)
    try:
        manifest = read_plain(config.output / NAME)
    except OSError:
        strays = _strays(config, frozenset())
        if any(file.endswith(".py") for file in strays):  # it bears our mark
            text = f"{shown}/{NAME} is gone, and with it what says which files are ours: {_few(strays)}"
            yield Finding("output", "broken", text, f"restore {shown}/{NAME}, or empty {shown} by hand")
        else:
            yield Finding("output", "note", f"{shown}: nothing was generated yet", "run: toolcast generate")
        return
    if not is_manifest(manifest):
        text = f"{shown}/{NAME} does not bear the mark of toolcast"
        yield Finding(
            "output", "broken", text, f"restore or delete {shown}/{NAME}, then run `toolcast generate`"
        )
    elif b"<<<<<<<" in manifest:
        text = f"{shown}/{NAME} holds the marks of a merge conflict"
        yield Finding("output", "note", text, "run `toolcast generate`: it reads both sides")
    else:
        owned = parse_manifest(manifest).files
        yield Finding("output", "well", f"{shown}: {len(owned)} files of ours")
        if strays := _strays(config, owned):
            text = f"looks like output of toolcast, but the manifest does not list it: {_few(strays)}"
            yield Finding("output", "note", text, "delete by hand what is a leftover")


def _strays(config: Config, owned: frozenset[str]) -> list[str]:
    """What looks like ours and is not known to be."""
    return [problem.file for problem in find_strays(config.output, owned)]


def _few(files: list[str]) -> str:
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return ", ".join(files[:_NAMED]) + more


def _former(config: Config) -> Iterator[Finding]:
    for folder in previous_outputs(config):
        text = f"{show(folder)} was the output before, and still holds what was generated there"
        yield Finding("output", "note", text, "run: toolcast clean --former")


def _state(config: Config) -> Iterator[Finding]:
    shown = show(config.state)
    if (lock := _locked_out(config.state)) is not None:
        yield Finding("state", "broken", f"{shown}: no permission to write in {show(lock)}", _permit(lock))
        return
    if not config.state.is_dir():
        yield Finding("state", "well", f"{shown} is not there yet; it can be deleted at any time")
        return
    units = load_cache(config.state).units
    if units:
        index = "with" if (config.state / "index").is_file() else "without"
        yield Finding(
            "state", "well", f"{shown}: {len(units)} units of the last run, {index} an index of files"
        )
    else:
        text = f"{shown}: no record of a last run; the next one builds all"
        yield Finding("state", "note", text, "run: toolcast generate")
    if (process := holder(config.state)) is None:
        yield Finding("lock", "well", "no run is under way")
    else:
        who = f"process {process}" if process else "another process"
        yield Finding("lock", "note", f"{who} is building this project", "wait for it, or end it")


def _locked_out(folder: Path) -> Path | None:
    """The folder that may not be written in, if one stands in the way of writing in `folder`."""
    nearest = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    return None if os.access(nearest, os.W_OK | os.X_OK) else nearest


def _permit(folder: Path) -> str:
    if sys.platform == "win32":
        return "give yourself the right to write there"
    return f"run: chmod u+rwx {show(folder)}"


def is_case_insensitive(folder: Path) -> bool:
    """Whether the file system of an existing `folder` takes two spellings of its name for one."""
    for path in (folder, *folder.parents):
        other = path.with_name(path.name.swapcase()) if path.name else path
        if other != path:
            try:
                return path.samefile(other)
            except OSError:
                return False
    return False
