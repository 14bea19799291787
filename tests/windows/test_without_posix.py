"""Everything that Windows can do works without the names of POSIX; what it cannot do is refused in words."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
import toolcast
import toolcast_tools

from tests.windows.without_posix import MODULES, OS_NAMES, SIGNAL_NAMES

HERE = Path(__file__).parent
SOURCES = [Path(str(package.__file__)).parent for package in (toolcast, toolcast_tools)]


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-X", "warn_default_encoding", str(HERE / "without_posix.py"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_every_module_is_imported_and_works(tmp_path: Path) -> None:
    if importlib.util.find_spec("mcp") is None and not os.environ.get("CI"):
        pytest.skip("mcp is not installed; `make clients` installs it")
    out = run(tmp_path, str(HERE / "programs/imports.py"), str(HERE / "programs/work.py"))
    modules, *_ = out.splitlines()
    assert int(modules.removesuffix(" modules")) > 400
    told = [line for line in out.splitlines() if line.startswith(("read ", "shell ", "served ", "refused: "))]
    assert told[:6] == [
        "read True hello",
        "shell True git status",
        "shell False The command 'git push' is not allowed. A",
        "read False Invalid arguments for tool 'read', 1 pro",
        "shell False",
        "served ['read', 'shell'] False",
    ]
    workspace, terminal = told[6:]
    assert "On Windows run the tools that touch files in a container or in WSL" in workspace
    assert "an approver of your own" in terminal


@pytest.mark.thorough
def test_bridges_are_imported(tmp_path: Path) -> None:
    frameworks = ("fastmcp", "pydantic_ai", "agents", "langchain_core.tools")
    for name in frameworks:
        pytest.importorskip(name.partition(".")[0])
    out = run(tmp_path, str(HERE / "programs/imports.py"), *frameworks)
    assert "modules" in out


GUARDED = {
    ("os", "O_NOCTTY"): "TerminalApprover, which Windows cannot make",
    ("os", "fchmod"): "Workspace, which Windows cannot make",
    ("os", "fchown"): "Workspace, which Windows cannot make",
    ("os", "set_blocking"): "Workspace and Shell, which Windows cannot make",
    ("os", "WNOHANG"): "Shell, which Windows cannot make",
    ("os", "fchdir"): "Shell, which Windows cannot make",
    ("os", "fork"): "Shell, which Windows cannot make",
    ("os", "getpgid"): "Shell, which Windows cannot make",
    ("os", "getpgrp"): "Shell, which Windows cannot make",
    ("os", "killpg"): "Shell, which Windows cannot make",
    ("os", "setsid"): "Shell, which Windows cannot make",
    ("signal", "SIGCHLD"): "Shell, which Windows cannot make",
    ("signal", "SIGCONT"): "Shell, which Windows cannot make",
    ("signal", "SIGHUP"): "Shell, which Windows cannot make",
    ("signal", "SIGKILL"): "Shell, which Windows cannot make",
    ("signal", "SIGSTOP"): "Shell, which Windows cannot make",
    ("signal", "pthread_sigmask"): "Shell, which Windows cannot make",
    ("os", "geteuid"): "`config` asks whether it is there",
    ("os", "sched_getaffinity"): "only on Linux",
    ("import", "fcntl"): "the other branch of `state/files.py` has msvcrt",
    ("import", "resource"): "Shell and Data, which Windows cannot make, beside their own limits",
    ("import", "termios"): "TerminalApprover, which Windows cannot make",
}
"""Names that the source uses although Windows lacks them, and why it may."""


def posix_uses() -> Iterator[tuple[str, str]]:
    lacking = {"os": {*OS_NAMES}, "signal": {*SIGNAL_NAMES}}
    named = re.compile(rf"\b(?:{'|'.join((*OS_NAMES, *SIGNAL_NAMES, *MODULES))})\b".encode())
    for file in chain.from_iterable(source.rglob("*.py") for source in SOURCES):
        content = file.read_bytes()
        for node in ast.walk(ast.parse(content)) if named.search(content) else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.attr in lacking.get(node.value.id, ()):
                    yield node.value.id, node.attr
            elif isinstance(node, ast.Import):
                yield from (("import", name.name) for name in node.names if name.name in MODULES)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                if node.module in MODULES:
                    yield "import", str(node.module)
                names = lacking.get(str(node.module), set())
                yield from ((str(node.module), name.name) for name in node.names if name.name in names)


def test_names_of_posix_are_used_where_a_guard_stands() -> None:
    assert set(posix_uses()) == set(GUARDED)
