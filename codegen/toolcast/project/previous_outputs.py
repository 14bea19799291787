"""Output folders that the configuration named before: no build updates or deletes the files in them.

`.toolcast/outputs` is a JSON list of pairs: configuration and output, the present output of each
configuration last. Paths are relative to `.toolcast/`, because a project may be moved. The configuration is
named because two of them may share a folder, and each builds an output of its own.
"""

import json
import os
from pathlib import Path

import msgspec

from ..config import Config, show
from ..diagnostics import Diagnostic
from .output.manifest import NAME, is_manifest
from .state.files import read_plain, replace

FILE = "outputs"
CODE = "former-output"


def previous_outputs(config: Config) -> tuple[Path, ...]:
    """Folders that this configuration named before, that still have our manifest; nobody's output now."""
    pairs, own = _read(config.state), _name(config)
    present = {output for file, output in dict(pairs).items() if file != own}
    found: list[Path] = []
    for file, output in dict.fromkeys(pairs):
        folder = Path(os.path.normpath(config.state / output))
        if file != own or output in present or folder == config.output:
            continue
        if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(config.base)):
            continue  # the file may have come with a checkout
        if _is_ours(folder) and not _same(folder, config.output):
            found.append(folder)
    return tuple(found)


def warn_of_previous_outputs(config: Config) -> tuple[Diagnostic, ...]:
    """A warning for each folder that is left behind; only in the run that moves to another output."""
    outputs = [output for file, output in _read(config.state) if file == _name(config)]
    if not outputs or outputs[-1] == _relative(config.output, config.state):
        return ()
    hint = "run `toolcast clean --former` to remove what was generated there"
    message = f"is no output any more, which now is {show(config.output)}: it stays as the last run left it"
    return tuple(
        Diagnostic(file=show(folder), code=CODE, severity="warning", message=message, hint=hint)
        for folder in previous_outputs(config)
    )


def remember_output(config: Config) -> None:
    """Write down that this run built into its output. Raises OSError."""
    pairs, present = _read(config.state), (_name(config), _relative(config.output, config.state))
    if [pair for pair in pairs if pair[0] == present[0]][-1:] != [present]:
        pairs = [*(pair for pair in pairs if pair != present), present]
        replace(config.state / FILE, json.dumps(pairs).encode())  # names that are no text become escapes


def _read(state: Path) -> list[tuple[str, str]]:
    """Configuration and output, the present one of each configuration last; empty if nothing is known."""
    try:
        pairs = msgspec.convert(json.loads(read_plain(state / FILE)), list[tuple[str, str]])
    except (OSError, ValueError, RecursionError, msgspec.ValidationError):
        return []
    return [pair for pair in pairs if "\0" not in "".join(pair)]


def _name(config: Config) -> str:
    return "-" if config.file is None else _relative(config.file, config.state)


def _relative(path: Path, state: Path) -> str:
    try:
        return Path(os.path.relpath(path, state)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _is_ours(folder: Path) -> bool:
    try:
        return not folder.is_symlink() and is_manifest(read_plain(folder / NAME))
    except OSError:
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
