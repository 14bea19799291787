"""mypy, pyright, ty and pyrefly accept right handlers and generated code, and report each wrong handler."""

import re
from pathlib import Path

from click.testing import CliRunner
from toolcast.cli.main import cli
from toolcast.config import load_config
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.e2e.checkers import ROOT, check
from tests.python.compiled import compile_files, spec
from tests.python.equivalence_cases import TOOLS, TYPES

E2E = ROOT / "tests/e2e/typing"
RUNTIME = ROOT / "tests/runtime"
PARTS = ("_types", "data", "files", "shell")
"""Folders of the reference toolset; `make types` checks the modules of all."""


ASK = """\
description: Asks a person, who answers when they have time.
permission: network
secrets: []
external: true
parallel: false
parameters: {type: object, required: [question], properties: {question: {type: string}}}
result: {type: object, required: [answer], properties: {answer: {type: string}}}
"""
EXTERNAL = """\
from made.people.ask import ASK, AskHandler, AskParams, AskResult
from made.registry import register_all
from toolcast.runtime import CallDeferred, RetryError, ToolContext, ToolRegistry


def answer(params: AskParams, context: ToolContext) -> AskResult:
    if context.attempt == 1:
        raise RetryError("Ask in one sentence.")
    if not context.approved:
        raise CallDeferred(params.question, kind="approval")
    return AskResult(answer="yes")


typed: AskHandler = answer  # for the program that carries the calls out
registry = ToolRegistry(max_attempts={"ask": 2})
registry.register(ASK)
registry.replace(ASK)
registry.register(ASK, None)  # report
register_all(registry, ask=answer)  # report
raise CallDeferred(kind="later")  # report
"""
"""What a program writes about an external tool, and what it must not write."""


def marked(file: Path) -> set[int]:
    lines = file.read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# report")}


def test_type_checkers_report_wrong_handlers_only(tmp_path: Path) -> None:
    """One run of each checker, over hand-written handlers, stubs, and modules of awkward schemas."""
    project = tmp_path / "project"
    write_stubs(project)
    external = project / "program/external.py"
    external.write_text(EXTERNAL, "utf-8")
    write_modules(project / "awkward")
    folders = [E2E, RUNTIME / "typing", RUNTIME / "sample", project / "program", project / "awkward"]
    found, output = check(folders, tmp_path, project, project / "program")
    files = (E2E / "bad.py", RUNTIME / "typing" / "bad.py", external)
    expected = {file: marked(file) for file in files}
    for checker, lines in found.items():
        assert lines == expected, (checker, output)
    name_the_wrong_argument(output)


def name_the_wrong_argument(output: str) -> None:
    """Both checkers report a wrong handler at the argument, with its type and the type that is wanted."""
    found = re.findall(
        r'error: (?:Argument 2 to|No overload variant of) "register" of "ToolRegistry" (.+)', output
    )
    files = (RUNTIME / "typing/bad.py", E2E / "bad.py")
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    calls = [line for line in lines if "registry.register(" in line and "adapt(" not in line]
    wrong = [line for line in calls if "precheck=" not in line]
    assert len(found) == len(wrong) + 1 > 1  # and one for the external tool
    assert any("[NoteParams, ToolContext]" in each and "[EditParams, ToolContext]" in each for each in found)
    assert output.count('error: Argument "precheck" to') == 3
    assert "Cannot infer" not in output
    assert output.count('cannot be assigned to parameter \\"handler\\"') >= len(found)


def write_modules(folder: Path) -> None:
    """The modules of schemas with awkward names, defaults and unions."""
    files, _, _ = compile_files({path: spec(parameters) for path, parameters in TOOLS.items()}, TYPES)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def write_stubs(project: Path) -> None:
    """A project with a part of the reference toolset, and handlers by `toolcast stubs` that a registration
    takes."""
    (project / "specs").mkdir(parents=True)
    for path in (path for part in PARTS for path in (ROOT / "specs" / part).glob("*.yaml")):
        copy = project / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (project / "specs/people").mkdir()
    (project / "specs/people/ask.yaml").write_text(ASK, "utf-8")
    settings = '[tool.toolcast]\noutput = "made"\nproviders = ["mcp"]\nstubs = "program/handlers"\n'
    (project / "pyproject.toml").write_text(settings, "utf-8")
    config, problems = load_config(project)
    assert config is not None, problems
    report = build(config, FRONTEND, jobs=1)
    assert not report.failed, report.diagnostics
    command = ["stubs", "--config", str(project / "pyproject.toml")]
    first = CliRunner().invoke(cli, command)
    assert first.exit_code == 0, first.output
    files = sorted((project / "program/handlers").rglob("*.py"))
    written = [path for path in files if path.name != "__init__.py"]
    assert len(written) == len(report.entries) - 1  # an external tool has no handler
    assert "ask" not in (project / "program/app.py").read_text("utf-8")
    assert (project / "program/app.py").is_file()
    written[0].write_text(written[0].read_text("utf-8") + "# mine\n", "utf-8")
    again = CliRunner().invoke(cli, command)
    assert f"0 handlers written, {len(written)} kept" in again.output
    assert written[0].read_text("utf-8").endswith("# mine\n")
