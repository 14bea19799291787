"""The files that ripgrep finds a pattern in: a hint which files to read, never a result.

What it prints only chooses among files that the workspace lists; they are opened by it, and searched
again. So a folder or a link that changes meanwhile shows nothing of another file.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Final

from msgspec import Struct

from .line_search import TimeLimit
from .search_pattern import RIPGREP, translate

_PATTERN: Final = 60_000
"""Bytes of a pattern that a pipe holds."""
_OUTPUT: Final = 64 << 20
"""Bytes of names."""
_POLL: Final = 0.2
_END: Final = 5.0
"""Seconds that it may take to end after its last output."""
_PLAIN: Final = re.compile(r"[\w.-]+", re.ASCII)
_MATCHES: Final = 0
_NO_MATCH: Final = 1


class Preselection(Struct, frozen=True):
    """What ripgrep is asked.

    Attributes:
        pattern: in the dialect of `translate`.
        ignore_case: whether capital and small letters are the same.
        multiline: whether a match may go across lines.
        names: patterns of file names, of which one has to match; none for every file.
        exclude: names of files and folders that are not searched.
        largest: size of a file in bytes up to which it is searched.
    """

    pattern: str
    ignore_case: bool
    multiline: bool
    names: tuple[str, ...]
    exclude: frozenset[str]
    largest: int


def preselect(program: str, folder: str, asked: Preselection, limit: TimeLimit) -> frozenset[str] | None:
    """Ask ripgrep which files hold a pattern.

    Args:
        program: path of ripgrep.
        folder: path of the folder to search.
        asked: what is looked for.
        limit: when it is killed.

    Returns:
        The paths from `folder` on, at least those that match; None where ripgrep cannot say, because it
        refuses the pattern or may not read a file.

    Raises:
        RefusalError: the time is over.
    """
    text = translate(
        asked.pattern, RIPGREP, ignore_case=asked.ignore_case, multiline=asked.multiline
    ).encode()
    if len(text) > _PATTERN:
        return None
    try:
        output = _run([program, *_arguments(asked)], folder, text, limit)
    except (OSError, subprocess.TimeoutExpired):
        return None  # it was removed, does not end, or there are no descriptors or processes left
    if output is None:
        return None
    return frozenset(os.fsdecode(name.removeprefix(b"./")) for name in output.split(b"\0")[:-1])


def find_ripgrep(workspace: Path) -> str | None:
    """Find ripgrep on PATH, or beside the interpreter.

    Args:
        workspace: a folder whose programs are not run: what may write files there would run them by a search.

    Returns:
        Its absolute path; None where it is not installed.
    """
    for folder in (*os.get_exec_path(), str(Path(sys.executable).parent)):
        found = shutil.which("rg", path=folder)
        if found is not None:
            program = Path(found).absolute()
            if not any(path.is_relative_to(workspace) for path in (program, program.resolve())):
                return str(program)
    return None


def _arguments(asked: Preselection) -> list[str]:
    plain = sorted(name for name in asked.exclude if _PLAIN.fullmatch(name))
    return [
        *("--no-config", "--no-messages", "--files-with-matches", "--null", "--color=never"),
        *("--hidden", "--no-ignore", "--text", "--no-mmap", "--case-sensitive", "--engine=default"),
        *(f"--max-filesize={asked.largest}", "--regex-size-limit=64M", "--dfa-size-limit=64M"),
        *(["--multiline"] if asked.multiline else []),
        *(f"--glob=!{name}" for name in plain),
        *(f"--type-add=wanted:{pattern}" for pattern in asked.names),
        *(["--type=wanted"] if asked.names else []),
        *("--file=-", "./"),
    ]


def _run(command: list[str], folder: str, pattern: bytes, limit: TimeLimit) -> bytes | None:
    """What ripgrep prints; None where it fails, or prints too much."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    ) as process:
        try:
            output = _exchange(process, pattern, limit)
        finally:
            process.kill()
    return output if process.returncode in (_MATCHES, _NO_MATCH) else None


def _exchange(process: "subprocess.Popen[bytes]", pattern: bytes, limit: TimeLimit) -> bytes | None:
    """Write the pattern and read what is printed until it ends; None where that is too much."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(pattern)
    process.stdin.close()
    output = bytearray()
    with DefaultSelector() as selector:
        selector.register(process.stdout, EVENT_READ)
        while len(output) <= _OUTPUT:
            limit.check()
            if selector.select(_POLL):
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    process.wait(_END)
                    return bytes(output)
                output += part
    return None
