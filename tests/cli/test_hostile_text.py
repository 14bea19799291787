"""No text of a project reaches a terminal or a CI log as more than text."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from toolcast.console import inert_json, one_line, printable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")

WORDS = (
    "a\n::error file=x.py::forged\n##[error]forged\rb"
    "\x1b[31mred\x1b]0;title\x07\x9bc\u2028d\u202ee\u2066f\x7f"
)
NAMES = WORDS.replace("/", "_").replace("\x00", "")
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def hostile(folder: Path) -> Path:
    """A project in a folder, with specs and texts, whose names and words steer what shows them."""
    root = folder / NAMES
    specs = root / "specs" / NAMES
    specs.mkdir(parents=True)
    quoted = json.dumps(NAMES)
    output = json.dumps(f"out{WORDS}").replace("\x7f", "\\u007f")
    (root / "pyproject.toml").write_text(f"[tool.toolcast]\nspecs = 'specs'\noutput = {output}\n")
    spec = {
        "name": WORDS,
        "description": WORDS,
        "permission": WORDS,
        "secrets": [WORDS],
        WORDS: 1,
        "parameters": {"type": WORDS, "properties": {WORDS: {"type": "string", WORDS: 1, "pattern": "("}}},
        "examples": [{WORDS: 1}],
    }
    (specs / f"{NAMES}.json").write_text(json.dumps(spec, ensure_ascii=False))
    (specs / f"{NAMES}.yaml").write_text(
        f"name: {quoted}\ndescription: {quoted}\n::error::x: 1\n\x1b: [", "utf-8"
    )
    part = {"type": "string", "description": WORDS, "default": 1, "enum": [WORDS]}
    parameters = {"type": "object", "properties": {"a": part}}
    good = {"description": WORDS, "permission": "read", "secrets": [], "parameters": parameters}
    (root / "specs" / "plain.json").write_text(json.dumps(good, ensure_ascii=False))
    return root


def good(folder: Path) -> Path:
    root = folder / NAMES
    (root / "specs").mkdir(parents=True)
    (root / "pyproject.toml").write_text("[tool.toolcast]\nproviders = ['openai', 'gemini', 'mcp']\n")
    part = {"type": "string", "description": WORDS, "enum": [WORDS], "default": WORDS}
    parameters = {"type": "object", "properties": {WORDS: part, "b": {"not": {"const": WORDS}}}}
    spec = {"description": WORDS, "permission": "read", "secrets": [], "parameters": parameters}
    (root / "specs" / "tool.json").write_text(json.dumps(spec, ensure_ascii=False))
    return root


RUN = """
import json, sys
from toolcast.cli.main import run
for arguments in json.loads(sys.argv[1]):
    try:
        status = run(arguments)
    except SystemExit as end:
        status = end.code
    sys.stderr.flush()
    print(chr(0), status, chr(0), sep="", flush=True)
"""


def toolcast(root: Path, commands: Sequence[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Status of each command, and everything that it prints."""
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    run = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    printed = run.stdout.decode("utf-8").split("\0")
    assert len(printed) == 2 * len(commands) + 1, printed[-1]
    return zip(map(int, printed[1::2]), printed[::2], strict=False)


def check(printed: str, *, github: bool = False) -> None:
    assert FORBIDDEN.search(printed) is None, ascii(printed)
    for line in printed.split("\n"):
        assert "##[" not in line or (github and line.startswith("::")), line
        if line.lstrip().startswith("::"):
            assert github, line
            assert not line.startswith("::error file=x.py::"), line
    assert "Traceback" not in printed, printed


COMMANDS = [
    *(("generate",), ("generate", "--check"), ("generate", "--dry-run"), ("lint",), ("lint", "--tokens")),
    *(
        ("verify", "--count", "2"),
        ("list",),
        ("list", WORDS),
        ("list", "--format", "json"),
        ("call", "tool", "{}"),
        ("call", WORDS, WORDS),
        ("call", "tool", "--app", WORDS),
        ("schema", "--write"),
        ("show", "tool"),
        ("show", "tool", "--ledger"),
    ),
    *(
        ("clean", "--dry-run"),
        ("clean",),
        ("stubs",),
        ("new", WORDS),
        ("show", WORDS),
        (WORDS,),
    ),
    *(("init", "--add", "make"), ("generate", "--config", WORDS), ("import", "tools", WORDS), ("schema",)),
]
FORMS = [
    ("generate", "github"),
    ("generate", "json"),
    ("lint", "github"),
    ("lint", "json"),
    ("lint", "sarif"),
]


@pytest.mark.parametrize("project", [hostile, good], ids=["broken", "whole"])
def test_no_command_prints_what_steers_its_reader(project: object, tmp_path: Path) -> None:
    root = hostile(tmp_path) if project is hostile else good(tmp_path)
    for _, printed in toolcast(root, COMMANDS):
        check(printed)


@pytest.mark.parametrize("project", [hostile, good], ids=["broken", "whole"])
def test_no_form_of_output_does(project: object, tmp_path: Path) -> None:
    root = hostile(tmp_path) if project is hostile else good(tmp_path)
    commands = [(command, "--format", form) for command, form in FORMS]
    for (_, form), (status, printed) in zip(FORMS, toolcast(root, commands), strict=True):
        assert status in (0, 1), printed
        check(printed, github=form == "github")


def test_json_means_the_same() -> None:
    text = json.dumps({"words": WORDS}, ensure_ascii=False)
    assert json.loads(inert_json(text)) == {"words": WORDS}
    assert FORBIDDEN.search(inert_json(text)) is None


@pytest.mark.parametrize("text", [WORDS, "::error::x", "  ::x", "##[group]x", "a\t::b", "x\n\n ::warning::y"])
def test_a_line_stays_one(text: str) -> None:
    assert "\n" not in one_line(text)
    check(one_line(text))
    check(printable(text))


def test_logs_of_a_server_stay_on_their_lines() -> None:
    code = f"""
import logging
from toolcast.cli.program import log_to_stderr
log_to_stderr()
log = logging.getLogger("toolcast.mcp")
log.warning("A tool: %s", {WORDS!r})
try:
    raise ValueError({WORDS!r})
except ValueError:
    log.exception("It failed")
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    printed = run.stderr.replace("Traceback", "")
    check(printed)
    assert printed.startswith("WARNING toolcast.mcp: A tool: a\\n")
