"""Executes a page of documentation: its commands, its files and its programs, in the order of the page.

What a fenced block is follows from its language and its title:

| block | what happens |
|---|---|
| `console` | each line `$ command` is run; the lines after it are its output, where there are any |
| `sh`, `bash` | each line is a command; with lines that begin with `$ `, it is read as a `console` is |
| any language, `title="path"` | is written to that path, below the folder of the page |
| the same, below `generated/` | is compared with the file that a command has made |
| `diff`, `title="path"` | replaces, in that file, the lines ` ` and `-` by the lines ` ` and `+` |
| `python` | is run as a program |
| `text` after such a program | is what the program prints |
| `json`, `toml`, `yaml` | is parsed |

In expected text, `…` stands for anything: within a line, or, as a line of its own, for any number of lines.
Durations ("0.02 s") are equal to each other. A command fails the page unless it ends with 0; a following
`$ echo $?` says what it ends with. `command &` runs until the page ends; the lines after it are awaited.
Commands share a working directory and an environment, as in one terminal. `pip install`, `python -m venv` and
activation are checked and not executed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SECONDS = 120.0
"""How long one command may take, and how long the output of a background command is awaited."""
_READING = ("cat", "diff", "find", "grep", "head", "ls", "pwd", "sort", "tail", "wc")
_CHANGING = ("cd", "cp", "echo", "export", "mkdir", "mv", "rm", "touch")
PROGRAMS = frozenset((*_READING, *_CHANGING, "git", "make", "pip", "python", "toolcast"))
PACKAGES = frozenset(["build", "twine", "uv"])
"""Distributions that pages install and that no extra of toolcast names."""
ANYTHING = "…"
BACKSLASH = "\\"
_SHELLS = ("console", "sh", "bash", "shell")
_OPERATORS = frozenset(("|", "||", "&&", ";", "&"))
_REDIRECTIONS = frozenset(("<", ">", ">>", "<<<", ">&"))
_ACTIVATION = re.compile(r"(?:source|\.) \S+/bin/activate")
_DURATION = re.compile(r"\b\d+(?:\.\d+)? m?s\b")


class PageError(AssertionError):
    """A block of a page that is not what the page says, or that cannot be executed."""


@dataclass(frozen=True)
class Block:
    """One fenced block of a page; `line` is that of its fence, from 1."""

    language: str
    title: str | None
    text: str
    line: int


@dataclass(frozen=True)
class Ran:
    """A command or program that was run: its exit status and all that it printed, stderr included."""

    command: str
    status: int
    output: str


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a Markdown file, in their order.

    Raises:
        PageError: A block names no language.
    """
    found = []
    for token in MarkdownIt("commonmark").parse(page.read_text("utf-8")):
        if token.type == "fence" and token.map is not None:
            words = shlex.split(token.info)
            line = token.map[0] + 1
            if not words:
                raise PageError(f"{page.name}:{line}: a fenced block names no language")
            titles = [word.removeprefix("title=") for word in words[1:] if word.startswith("title=")]
            found.append(Block(words[0], titles[0] if titles else None, token.content, line))
    return found


def run_page(
    page: Path,
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    programs: Iterable[str] = (),
    shown: Iterable[str] = ("generated/",),
) -> list[Ran]:
    """Execute a page in a folder, as the table of this module says.

    Args:
        page: A Markdown file.
        folder: Where its commands begin; made if it is missing.
        environment: Variables of the commands; what a page exports does not change them.
        programs: Programs that commands may start beside `PROGRAMS`.
        shown: Beginnings of titles of blocks that are compared with files, not written.

    Returns:
        The commands and programs that were run.

    Raises:
        PageError: A block is not what the page says, or cannot be executed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with terminal(folder, environment or {}, PROGRAMS | {*programs}) as reader:
        previous: Block | None = None
        for block in blocks(page):
            try:
                _execute(block, previous, reader, tuple(shown))
            except PageError as problem:
                raise PageError(f"{page.name}:{block.line}: {problem}") from None
            previous = block
        return reader.ran


def _execute(block: Block, previous: Block | None, reader: Terminal, shown: tuple[str, ...]) -> None:
    if block.language == "diff" and block.title is not None:
        path = reader.path(block.title)
        path.write_text(patched(path.read_text("utf-8"), block.text), "utf-8")
    elif block.title is not None and block.title.startswith(shown):
        compare(block.text, reader.path(block.title).read_text("utf-8"), block.title)
    elif block.title is not None:
        path = reader.path(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")
    elif block.language in _SHELLS:
        for command, expected in commands(block):
            reader.run(command, expected)
    elif block.language == "python":
        reader.program(block.text)
    elif block.language == "text" and previous is not None and previous.language == "python":
        compare(block.text, reader.ran[-1].output, "the program before")
    elif block.language in ("json", "toml", "yaml"):
        {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[block.language](block.text)
    else:
        raise PageError(f"a block in {block.language!r} without a title cannot be executed")


def served(configuration: str, folder: Path) -> dict[str, Any]:
    """The one server that a configuration of an MCP client starts: its command, arguments and environment.

    Its folder below `/path/to` stands for `folder`, and the programs of its `.venv` for the tested ones.
    """
    [(_, server)] = json.loads(configuration)["mcpServers"].items()
    here = str(Path(server["command"]).parents[2])
    programs = str(Path(sys.executable).parent)
    text = json.dumps(server).replace(f"{here}/.venv/bin", programs).replace(here, str(folder))
    filled: dict[str, Any] = json.loads(text)
    return filled


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a block with their expected output; a backslash joins the next line."""
    lines = block.text.splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    if block.language == "console" and not (prompted and lines[0].startswith("$ ")):
        raise PageError("a console begins with a line `$ command`")
    found: list[tuple[str, str]] = []
    continues = False
    for line in lines:
        if continues:
            found[-1] = (f"{found[-1][0].removesuffix(BACKSLASH)}{line.lstrip().removeprefix('> ')}", "")
        elif line.startswith("$ ") or (not prompted and line.strip() and not line.startswith("#")):
            found.append((line.removeprefix("$ "), ""))
        elif prompted:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
        continues = bool(found) and not found[-1][1] and found[-1][0].endswith(BACKSLASH)
    return found


def matches(expected: str, actual: str) -> bool:
    """Whether a text is what a page shows, with `…` for anything and any duration for a duration."""
    wanted = [line.rstrip() for line in _DURATION.sub("0 s", expected).strip("\n").splitlines()]
    found = "".join(f"{line.rstrip()}\n" for line in _DURATION.sub("0 s", actual).strip("\n").splitlines())
    parts = [
        r"(?:.*\n)*?"
        if line.strip() == ANYTHING
        else ".*?".join(map(re.escape, line.split(ANYTHING))) + r"\n"
        for line in wanted
    ]
    return re.fullmatch("".join(parts), found) is not None


def compare(expected: str, actual: str, what: str) -> None:
    """Raises PageError with both texts where `actual` is not `expected`."""
    if not matches(expected, actual):
        raise PageError(f"{what}: the page shows\n{expected}\nbut there is\n{actual}")


def patched(text: str, change: str) -> str:
    """A text with a change applied that is written as one hunk of a diff, without line numbers.

    Raises:
        PageError: The lines to be replaced are not in the text, or are there twice.
    """
    lines = change.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if line[:1] in ("", " ", "-"))
    after = "".join(f"{line[1:]}\n" for line in lines if line[:1] in ("", " ", "+"))
    if text.count(before) != 1:
        raise PageError(f"occurs {text.count(before)} times:\n{before}")
    return text.replace(before, after)


@dataclass
class Terminal:
    """The working directory and environment that the commands of a page share, and what they have printed."""

    folder: Path
    environment: Mapping[str, str]
    programs: frozenset[str]
    variables: dict[str, str]
    state: Path
    directory: Path
    ran: list[Ran] = field(default_factory=list)
    background: list[subprocess.Popen[bytes]] = field(default_factory=list)
    unanswered: bool = False

    def path(self, title: str) -> Path:
        """A file below the folder that the reader is in.

        Raises:
            PageError: It is outside of the folder of the page.
        """
        path = (self.directory / title).resolve()
        if not path.is_relative_to(self.folder):
            raise PageError(f"{title} is outside of the folder")
        return path

    def run(self, command: str, expected: str) -> None:
        """Run one command and compare what it prints, if the page shows anything.

        Raises:
            PageError: It cannot be run, fails, takes too long or prints something else.
        """
        if command == "echo $?":
            status = self.ran[-1].status
            if expected.strip() != str(status):
                raise PageError(f"`{self.ran[-1].command}` ended with {status}: {self.ran[-1].output}")
            self.unanswered = False
            return
        self.settle()
        if not _is_executed(command):
            return
        _check_programs(command, self.programs)
        if command.endswith(" &"):
            self._start(command.removesuffix("&"), expected)
            return
        variables, directory = self.state / "variables", self.state / "directory"
        script = f"{command}\n__status=$?\nenv -0 >{variables}\npwd -P >{directory}\nexit $__status\n"
        self._await(command, ["bash", "--noprofile", "--norc", "-c", script])
        if variables.exists():
            pairs = (each.partition("=") for each in variables.read_text("utf-8").split("\0") if each)
            self.variables = {name: value for name, _, value in pairs} | {**self.environment}
            self.directory = Path(directory.read_text("utf-8").strip())
        if expected:
            compare(expected, self.ran[-1].output, f"`{command}`")

    def program(self, text: str) -> None:
        """Run a Python program, beside the files of the page.

        Raises:
            PageError: It fails or takes too long.
        """
        self.settle()
        self._await("python", [sys.executable, "-c", text])

    def settle(self) -> None:
        """Raises PageError where the last command failed and the page did not say so."""
        if self.unanswered:
            last = self.ran[-1]
            raise PageError(f"`{last.command}` ended with {last.status}:\n{last.output}")

    def _await(self, command: str, arguments: list[str]) -> None:
        with subprocess.Popen(
            arguments, cwd=self.directory, env=self.variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                output, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                raise PageError(
                    f"`{command}` took more than {SECONDS:g} s:\n{output.decode('utf-8', 'replace')}"
                ) from None
        self.ran.append(Ran(command, process.returncode, output.decode("utf-8")))
        self.unanswered = process.returncode != 0

    def _start(self, command: str, expected: str) -> None:
        log = self.state / f"background-{len(self.background)}"
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "--noprofile", "--norc", "-c", f"exec {command}"],
                cwd=self.directory, env=self.variables, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self.background.append(process)
        ends = time.monotonic() + SECONDS
        while expected and not matches(expected, log.read_text("utf-8")):
            if process.poll() is not None or time.monotonic() > ends:
                compare(expected, log.read_text("utf-8"), f"`{command}&`")
                return
            time.sleep(0.02)


@contextmanager
def terminal(folder: Path, environment: Mapping[str, str], programs: frozenset[str]) -> Iterator[Terminal]:
    """A terminal in a folder, with the tested toolcast first on the path; background commands end with it."""
    with tempfile.TemporaryDirectory() as state:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        variables = {
            "PATH": path, "HOME": state, "LANG": "C.UTF-8", "COLUMNS": "100", "NO_PROXY": "127.0.0.1",
            # A file can be written twice in one second; a .pyc of the first would be taken for the second.
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main",
        } | {**environment}  # fmt: skip
        folder = folder.resolve()
        reader = Terminal(folder, environment, programs, variables, Path(state), folder)
        try:
            yield reader
            reader.settle()
        finally:
            for process in reader.background:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def _is_executed(command: str) -> bool:
    """Whether a command is run; those that install are checked, and those that make an environment pass."""
    words = shlex.split(command, comments=True)
    installs = words[2:] if words[:2] == ["python", "-m"] else words
    if installs[:2] == ["pip", "install"]:
        for word in installs[2:]:
            if not word.startswith("-"):
                _check_requirement(word)
        return False
    return not (installs[:1] == ["venv"] or _ACTIVATION.fullmatch(command))


def _check_requirement(text: str) -> None:
    """Raises PageError for an extra that toolcast lacks, and for a distribution that nothing here names."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = document["project"]
    extras, groups = project["optional-dependencies"], document["dependency-groups"]
    wanted = Requirement(text)
    name = canonicalize_name(wanted.name)
    known = {
        Requirement(each).name for listed in (*extras.values(), *groups.values()) for each in listed
    } | PACKAGES
    if name == project["name"]:
        missing = wanted.extras - extras.keys()
        if missing:
            raise PageError(f"toolcast has no extra {', '.join(sorted(missing))}")
    elif name not in map(canonicalize_name, known):
        raise PageError(f"nothing here names the distribution {wanted.name}")


def _check_programs(command: str, allowed: frozenset[str]) -> None:
    """Raises PageError for a program that is not allowed, and for what could start one unseen."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    if "`" in command or "$(" in command or "<(" in command:
        raise PageError(f"`{command}` substitutes a command")
    starts = True
    for word in lexer:
        if word in _OPERATORS:
            starts = True
        elif set(word) <= set("();<>|&") and word not in _REDIRECTIONS:
            raise PageError(f"`{command}` has {word}")
        elif starts and not re.fullmatch(r"[A-Za-z_]\w*=.*", word):
            if word not in allowed:
                raise PageError(f"`{command}` starts {word}, which pages may not")
            starts = False
