"""Output folders that the configuration named before: what lies in them is ours, and no run looks after it.

`.toolcast/outputs` holds them, one line each, the present one last:

    toolcast outputs 1
    ../pyproject.toml<TAB>../generated
    ../pyproject.toml<TAB>../src/acme/tools

Paths are as seen from `.toolcast/`, because a project may be moved; the first is the configuration, because
two of them may share a folder, and each builds an output of its own.
"""

import os
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from ..config import Config, show
from ..diagnostics import Diagnostic
from .output.manifest import NAME, is_manifest
from .state.files import read_plain, replace

FILE = "outputs"
CODE = "former-output"
_HEAD = "toolcast outputs 1"
_SAFE = "/._-+@=,~ "


def previous_outputs(config: Config) -> tuple[Path, ...]:
    """Folders that this configuration named before, where our manifest still stands; nobody's output now."""
    lines = _read(config.state)
    present = {place for each, place in dict(lines).items() if each != _name(config)}
    found: list[Path] = []
    for each, place in dict.fromkeys(lines):
        folder = Path(os.path.normpath(config.state / place))
        if each != _name(config) or place in present or folder == config.output:
            continue
        if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(config.base)):
            continue  # the file may have come with a checkout
        if _is_ours(folder) and not _same(folder, config.output):
            found.append(folder)
    return tuple(found)


def warn_of_previous_outputs(config: Config) -> tuple[Diagnostic, ...]:
    """A warning for each folder that is left behind; only in the run that moves to another output."""
    lines = [place for each, place in _read(config.state) if each == _name(config)]
    if not lines or lines[-1] == _seen(config.output, config.state):
        return ()
    hint = "run `toolcast clean --former` to remove what was generated there"
    message = f"is no output any more, which now is {show(config.output)}: it stays as the last run left it"
    return tuple(
        Diagnostic(file=show(folder), code=CODE, severity="warning", message=message, hint=hint)
        for folder in previous_outputs(config)
    )


def remember_output(config: Config) -> None:
    """Write down that this run built into its output. Raises OSError."""
    lines, present = _read(config.state), (_name(config), _seen(config.output, config.state))
    last = [line for line in lines if line[0] == present[0]][-1:]
    if last == [present]:
        return
    others = [line for line in lines if line != present]
    text = ["\t".join(quote(os.fsencode(word), _SAFE) for word in line) for line in (*others, present)]
    replace(config.state / FILE, "\n".join([_HEAD, *text, ""]).encode())


def _read(state: Path) -> list[tuple[str, str]]:
    """Configuration and output, the present one of each configuration last; empty if nothing is known."""
    try:
        lines = read_plain(state / FILE).decode().split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    if lines[0] != _HEAD:
        return []
    pairs = (line.split("\t") for line in lines[1:])
    return [(_word(pair[0]), _word(pair[1])) for pair in pairs if len(pair) == 2]


def _word(quoted: str) -> str:
    return os.fsdecode(unquote_to_bytes(quoted).replace(b"\0", b""))


def _name(config: Config) -> str:
    return "-" if config.file is None else _seen(config.file, config.state)


def _seen(path: Path, state: Path) -> str:
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
