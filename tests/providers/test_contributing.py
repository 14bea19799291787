"""The walk-throughs of CONTRIBUTING.md do what they say, on a copy of the source."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
WALK_THROUGHS = ("A provider, step by step", "An axis, step by step", "A key of a spec, step by step")
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`((?:codegen|tests)/[\w/.-]+\.\w+)`")
SUFFIX = {"python": ".py", "toml": ".toml", "yaml": ".yaml"}
CASES = "tests/providers/passes"
TESTS = ("pyproject.toml", "templates", "tests/conftest.py", CASES)
"""What builds and the golden cases of passes need beside the source."""


class Instruction(Struct, frozen=True):
    """A block of code: what it is for is told by its language, and by the last file that its step names."""

    language: str
    path: str
    text: str


def instructions(titles: tuple[str, ...] = WALK_THROUGHS) -> Iterator[Instruction]:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for title in titles:
        section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        for step in re.split(r"^\d\. ", section, flags=re.MULTILINE):
            for block in BLOCK.finditer(step):
                files = FILE.findall(step[: block.start()])
                fits = files and (block[1] == "diff" or files[-1].endswith(SUFFIX.get(block[1], "-")))
                yield Instruction(block[1], files[-1] if fits else "", textwrap.dedent(block[2]))


class Copy:
    """A copy of the source, to which instructions are applied.

    Attributes:
        root: where it is.
        printed: the outputs that the text states, each with what was printed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.printed: list[tuple[str, str]] = []
        self._program = ""
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "codegen", root / "codegen", ignore=ignored)
        for name in TESTS:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root / name, ignore=ignored)
            else:
                (root / name).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / name, root / name)

    def apply(self, each: Instruction) -> None:
        """Write a file, change one, keep a program, or compare what the program prints."""
        if each.language == "text":
            self.printed.append((each.text, self.run("-c", self._program)))
        elif not each.path:
            self._program = each.text
        elif each.language == "diff":
            self._change(self.root / each.path, each.text.splitlines())
        else:
            assert not (self.root / each.path).exists(), f"{each.path} is there already"
            (self.root / each.path).write_text(each.text, "utf-8")

    def _change(self, file: Path, lines: list[str]) -> None:
        text = file.read_text("utf-8")
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        assert f"\n{text}".count(f"\n{old}") == 1, f"{file.name} does not have once:\n{old}"
        file.write_text(f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:], "utf-8")

    def run(self, *arguments: str, folder: Path | None = None, status: int = 0) -> str:
        """What a Python process prints that imports the copy; its errors where it is to fail."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder or self.root,
            env={**os.environ, "PYTHONPATH": str(self.root / "codegen"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr if status else done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy(tmp_path_factory.mktemp("copy"))
    for each in instructions():
        made.apply(each)
    return made


def test_every_instruction_is_found() -> None:
    found = [(each.language, each.path.rpartition("/")[2]) for each in instructions()]
    assert found == [
        ("toml", "acme.toml"),
        ("python", ""),
        ("text", ""),
        ("diff", "dialect.py"),
        ("python", "small_ranges.py"),
        ("diff", "__init__.py"),
        ("diff", "__init__.py"),
        ("diff", "acme.toml"),
        ("text", ""),
        ("yaml", "small_ranges.yaml"),
        ("diff", "keys.py"),
        ("diff", "tool_spec.py"),
        ("diff", "tool.py"),
        ("diff", "tool.py"),
        ("diff", "acme.toml"),
    ]


def test_the_programs_print_what_the_text_says(copy: Copy) -> None:
    assert len(copy.printed) == 2
    for stated, printed in copy.printed:
        assert printed == stated


def test_the_copy_has_the_provider_and_the_pass(copy: Copy) -> None:
    program = (
        "import toolcast; from toolcast.providers import available, load_profile\n"
        "from toolcast.providers.passes import passes_of\n"
        "print(toolcast.__file__, 'acme' in available(), load_profile('acme').answers)\n"
        "print([each.name for each in passes_of(load_profile('acme').dialect)])"
    )
    first, second = copy.run("-c", program).splitlines()
    answers = {"tools": "too many tools: {length} (at most {limit})"}
    assert first == f"{copy.root}/codegen/toolcast/__init__.py True {answers}"
    assert "'small_ranges'" in second


def test_the_golden_cases_of_the_pass_hold(copy: Copy) -> None:
    tests = (f"{CASES}/test_golden_passes.py", f"{CASES}/test_pass_docstrings.py")
    out = copy.run(
        "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, "-k", "small_ranges or every_pass"
    )
    assert " passed" in out


SPEC = "description: Finds.\npermission: read\nsecrets: []\naudience: {}\n"
KEY_EVERYWHERE = """
import json
from toolcast.spec.editor_schema import format_schema
from generated.find import FIND
acme, openai = (json.loads(FIND.definition(provider)) for provider in ("acme", "openai"))
print(FIND.audience, acme["audience"], "audience" in openai)
print(format_schema(frozenset())["properties"]["audience"]["description"])
"""


def test_a_key_reaches_bindings_a_provider_and_a_ledger(copy: Copy, tmp_path: Path) -> None:
    """One entry and three files: a build of a project has the key everywhere that keys are shown."""
    assert len({each.path for each in instructions(WALK_THROUGHS[2:])}) == 4
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["acme", "openai"]\n', "utf-8")
    spec = tmp_path / "specs" / "find.yaml"
    spec.parent.mkdir()
    spec.write_text(SPEC.format("people"), "utf-8")
    copy.run("-m", "toolcast", "generate", folder=tmp_path)
    assert copy.run("-c", KEY_EVERYWHERE, folder=tmp_path).splitlines() == [
        "people people False",
        "For whom a tool's results are. Default: for both.",
    ]
    ledger = (tmp_path / "generated/ledger/find.json").read_text("utf-8")
    assert '"keyword": "audience"' in ledger
    assert "openai" in ledger
    assert "acme" not in ledger
    copy.run("-m", "toolcast", "verify", "--examples", "5", folder=tmp_path)
    spec.write_text(SPEC.format("robots"), "utf-8")
    refused = copy.run("-m", "toolcast", "generate", folder=tmp_path, status=1)
    assert "specs/find.yaml:4:11: error[bad-audience]: `audience` cannot be `robots`" in refused
    assert "write `people` or `programs`" in refused


@pytest.mark.thorough
def test_other_tests_take_the_provider_up(copy: Copy) -> None:
    folder = "tests/providers"
    tests = (f"{folder}/profiles/test_built_in.py", f"{folder}/test_walk_steps.py", "-k", "acme")
    out = copy.run("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, folder=ROOT)
    assert " passed" in out


def test_the_pass_is_written_in_house_style(copy: Copy) -> None:
    files = [each.path for each in instructions() if each.path.endswith(".py")]
    copy.run("-m", "ruff", "check", "--no-cache", *files)
    copy.run("-m", "ruff", "format", "--check", "--no-cache", *files)
