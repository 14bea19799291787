"""The example of programs that call tools: in bubblewrap, in Python and in Node.js."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolContext
from toolcast.runtime.code import CodeLimits, CodeServer, Language

from tests.runtime.code.processes import bubblewrap
from tests.typescript.tools import INSTALLED, tsc

LANGUAGES = pytest.mark.parametrize("language", ["python", "typescript"])


@pytest.fixture
def texts(tmp_path: Path, language: Language) -> Path:
    """A folder with two texts and another file; skips where no sandbox works."""
    bubblewrap()
    if language == "typescript" and shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    (tmp_path / "a.txt").write_text("1\n2\n", "utf-8")
    (tmp_path / "b.txt").write_text("3\n", "utf-8")
    (tmp_path / "c.md").write_text("4\n", "utf-8")
    return tmp_path


@LANGUAGES
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_program_reads_what_somebody_allows(language: Language, answer: Any, texts: Path) -> None:
    from examples.code_mode import main

    asked = []

    async def approver(request: Any) -> Any:
        asked.append(request.params.path)
        return answer

    stated = asyncio.run(main(language, approver, str(texts)))
    assert sorted(asked) == ["a.txt", "b.txt"]
    done = "done" if answer == "yes" else "refused"
    assert stated.endswith(f"files.list_folder: done\nfiles.read_file: {done}\nfiles.read_file: {done}")
    assert ("3 lines\n" in stated) == (answer == "yes")
    assert ("not approved" in stated) == (answer == "no")


@pytest.mark.parametrize("language", ["typescript"])
def test_the_compiler_accepts_the_program(language: Language, texts: Path) -> None:
    from examples.code_mode import PROGRAMS
    from examples.toolbox import toolbox

    if not INSTALLED.is_dir():
        pytest.skip("the TypeScript compiler is not installed; `make typescript-tools` installs it")
    declared, program = texts / "tools.d.ts", texts / "program.mts"
    declared.write_bytes(toolbox(texts).definitions(language))
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--types", "")
    printing = "declare const console: { log(...values: unknown[]): void };\nexport {};\n"
    program.write_text(printing + PROGRAMS[language], "utf-8")
    assert tsc(declared, program, options=options) == []
    program.write_text(printing + PROGRAMS[language].replace("({ path })", "({ paht: path })"), "utf-8")
    assert tsc(declared, program, options=options) != []


@LANGUAGES
def test_a_program_that_never_ends_is_ended_with_its_time(language: Language, texts: Path) -> None:
    from examples.code_mode import run_program
    from examples.toolbox import toolbox

    server = CodeServer(toolbox(texts), language, limits=CodeLimits(seconds=2))
    endless: dict[Language, str] = {
        "python": "print('begun', flush=True)\nwhile True: pass",
        "typescript": "console.log('begun');\nfor (;;) {}",
    }
    printed, run = asyncio.run(run_program(endless[language], server, language, ToolContext()))
    assert printed == "begun\n"
    assert run.ended == "seconds"


@LANGUAGES
def test_what_a_program_prints_is_bounded(language: Language, texts: Path) -> None:
    from examples.code_mode import PRINTED, run_program
    from examples.toolbox import toolbox

    much: dict[Language, str] = {
        "python": "for _ in range(1000): print('x' * 10_000)",
        "typescript": "for (let i = 0; i < 1000; i++) console.log('x'.repeat(10000));",
    }
    server = CodeServer(toolbox(texts), language, limits=CodeLimits(seconds=60))
    printed, run = asyncio.run(run_program(much[language], server, language, ToolContext()))
    assert len(printed) == PRINTED
    assert run.ended == "closed"


def test_a_run_that_is_cancelled_ends_its_program(tmp_path: Path) -> None:
    """The time of the tool that runs the program ends it, with the calls that it made."""
    from examples.code_mode import run_program
    from examples.toolbox import toolbox

    bubblewrap()
    server = CodeServer(toolbox(tmp_path), "python", limits=CodeLimits(seconds=None))

    async def main() -> None:
        async with asyncio.timeout(1):
            await run_program("while True: pass", server, "python", ToolContext())

    with pytest.raises(TimeoutError):
        asyncio.run(main())
