"""`toolcast call`: a tool called from the command line, or the arguments of a call checked."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from toolcast.cli.main import cli

from tests.cli.conftest import Command
from tests.project.fake import put

ROOT = Path(__file__).parents[2]
APP = "tests.mcp.app:make"
GLOB = '{"pattern": "*.py"}'
EDIT = '{"file_path": "/a", "old_string": "x", "new_string": "y"}'
Call = Callable[..., Result]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))

    def run(*arguments: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["call", *arguments], prog_name="toolcast", input=stdin)

    return run


def test_stdout_has_the_result_alone() -> None:
    """A process of its own, whose handlers and their children print."""
    command = [sys.executable, "-m", "toolcast", "call", "glob", "--app", APP]
    done = subprocess.run(
        command, cwd=ROOT, input=GLOB, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"paths": ["/*.py"], "total": 1}
    assert "a handler prints" in done.stderr
    assert "a child prints" in done.stderr


def test_without_a_program_the_arguments_are_checked(call: Call) -> None:
    done = call("glob", GLOB)
    assert (done.exit_code, json.loads(done.stdout)["pattern"]) == (0, "*.py")
    assert "nothing was called" in done.stderr
    done = call("edit", '{"file_path": 5}')
    assert (done.exit_code, done.stdout) == (1, "")
    assert "Invalid arguments for tool 'edit', 3 problems:" in done.stderr
    assert "missing required property `new_string`" in done.stderr


def test_a_providers_wire_form_is_decoded(call: Call) -> None:
    wire = '{"pattern": "*.py", "path": null, "exclude": null, "limit": null}'
    assert json.loads(call("glob", wire, "--provider", "openai").stdout)["pattern"] == "*.py"
    done = call("glob", wire, "--provider", "opnai")
    assert done.exit_code == 1
    assert "error[unknown-provider]" in done.stderr


def test_a_call_prints_its_result(call: Call) -> None:
    done = call("glob", "--app", APP, stdin=GLOB)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == {"paths": ["/*.py"], "total": 1}
    done = call("glob", "-", "--app", APP, "--json", stdin=GLOB)
    result = json.loads(done.stdout)
    assert (result["success"], result["data"]) == (True, {"paths": ["/*.py"], "total": 1})
    assert json.loads(result["output"]) == result["data"]


def test_a_failed_call(call: Call) -> None:
    done = call("edit", EDIT, "--app", APP)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "old_string does not occur" in done.stderr
    done = call("edit", "{", "--app", APP, "--json")
    assert done.exit_code == 1
    result = json.loads(done.stdout)
    assert not result["success"]
    assert "Invalid arguments for tool 'edit'" in result["error"]
    done = call("edti", EDIT, "--app", APP)
    assert (done.exit_code, "Did you mean edit?" in done.stderr) == (1, True)


def test_pictures_are_named_and_printed_as_json(call: Call) -> None:
    arguments = ("bash", '{"command": "pictures"}', "--app", APP)
    done = call(*arguments)
    assert done.stdout == "three pieces\nand a text\n"
    assert "toolcast: image image/png, 16 bytes: --json prints it, in base64" in done.stderr
    whole = json.loads(call(*arguments, "--json").stdout)
    assert [piece["kind"] for piece in whole["content"]] == ["image", "audio", "file", "text"]
    assert msgspec.json.decode(json.dumps(whole["content"][0]["data"]), type=bytes).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("tests.mcp.app:registri", "did you mean tests.mcp.app:registry?"),
        ("no_such_module:x", "there is no module 'no_such_module'"),
        ("tests.mcp.app:broken", "OSError: the database is down"),
    ],
)
def test_a_program_without_a_registry(call: Call, target: str, told: str) -> None:
    done = call("glob", GLOB, "--app", target)
    assert (done.exit_code, done.stdout) == (1, "")
    assert told in done.stderr
    assert "error[no-registry]" in done.stderr


PROGRAM = """
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Answer, Policy
from generated.files.edit import EDIT
from generated._types.process_state import ProcessState
from generated.shell.bash import BASH
from tests.runtime.sample.misc.note import NOTE

EXITED = ProcessState(process_id="p1", status="exited", exit_code=0, stdout="", stderr="")

def approve(request):
    return Answer("no", "not on a Sunday") if request.tool == "edit" else "yes"

def make():
    registry = ToolRegistry(policy=Policy(approver=approve), secrets={"TOKEN": "s3cret-value"}.get)
    registry.register(BASH, lambda params, context: ToolResult.ok(f"ran {params.command}", EXITED))
    registry.register(EDIT, lambda params, context: "edited")
    registry.register(NOTE, lambda params, context: ToolResult.ok("", data=object()))
    return registry
"""


def test_policy_and_secrets_are_the_registrys_own(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "called_program.py", PROGRAM)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = call("bash", '{"command": "echo <secret_ref:TOKEN>"}', "--app", "called_program:make")
    assert done.stdout == "ran echo [redacted:TOKEN]\n"
    done = call("edit", EDIT, "--app", "called_program:make")
    assert done.exit_code == 1
    assert "not on a Sunday" in done.stderr
    done = call("note", '{"text": "a"}', "--app", "called_program:make", "--json")
    assert json.loads(done.stdout)["data"] is None
    assert "the result's data has no JSON form" in done.stderr


def test_usage(run: Command, empty: Path) -> None:
    assert run("call").exit_code == 2
    put(empty / "pyproject.toml", "[tool.toolcast]\n")
    result = run("call", "x", "{}")
    assert result.exit_code == 1
    assert "run: toolcast generate" in result.stderr


def test_a_stale_or_foreign_package_is_told(run: Command, empty: Path) -> None:
    put(empty / "pyproject.toml", '[tool.toolcast]\noutput = "made"\n')
    put(empty / "made/__init__.py", "")
    put(empty / "made/registry.py", "raise ImportError('of an old version')\n")
    result = run("call", "x", "{}")
    assert result.exit_code == 1
    assert "of an old version" in result.stderr


INBOX = """
description: Lists mails.
permission: read
secrets: []
inject: {user_id: context.user.id, region: context.region}
parameters:
  type: object
  required: [user_id, folder]
  properties: {user_id: {type: integer}, region: {type: string}, folder: {type: string}}
"""
MAIL_APP = """
from toolcast.runtime import ToolRegistry, ToolResult
from mail_tools.inbox import INBOX

def inbox(params, context):
    return ToolResult.ok(f"{params.user_id} {params.region} {params.folder}")

def make():
    registry = ToolRegistry()
    registry.register(INBOX, inbox)
    return registry
"""
GIVEN = ("--inject", "user_id=7", "--inject", "region=eu")


def test_what_the_program_fills_in_is_stated(
    run: Command, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(empty / "pyproject.toml", '[tool.toolcast]\noutput = "mail_tools"\nproviders = ["openai"]\n')
    put(empty / "specs/inbox.yaml", INBOX)
    put(empty / "mail_app.py", MAIL_APP)
    assert run("generate").exit_code == 0
    monkeypatch.syspath_prepend(str(empty))
    done = run("call", "inbox", '{"folder": "in"}', *GIVEN)
    assert json.loads(done.stdout) == {"folder": "in", "user_id": 7, "region": "eu"}
    done = run("call", "inbox", '{"folder": "in"}', "--app", "mail_app:make", *GIVEN)
    assert (done.exit_code, done.stdout) == (0, "7 eu in\n")
    for more in ((), ("--app", "mail_app:make")):
        assert run("call", "inbox", '{"folder": "in"}', *more).exit_code == 1
        done = run("call", "inbox", '{"folder": "in"}', *more, *GIVEN, "--inject", "folder=x")
        assert done.exit_code == 1
        assert "no parameter that the program fills in" in done.stderr
        done = run("call", "inbox", '{"folder": "in", "user_id": 8}', *more, *GIVEN)
        assert done.exit_code == 1
        assert "`user_id` is filled in by the program" in done.stderr
    assert run("call", "inbox", "{}", "--inject", "user_id").exit_code == 2
    done = run("show", "inbox", "--provider", "openai")
    assert "user_id" not in done.stdout
    assert "`user_id` is filled in from `context.user.id`" in done.stderr


ASKING = """
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy, TerminalApprover
from generated.files.edit import EDIT, EditResult

def edit(params, context):
    context.progress(1, 2, "half\\x1b[2Jway")
    return EditResult(replacements=1, snippet="a\\x1bb")

registry = ToolRegistry(policy=Policy(approver=TerminalApprover()))
registry.register(EDIT, edit)
"""


ON_TERMINAL = """
import os, sys
terminal = os.open(sys.argv[1], os.O_RDWR)  # of a session's leader: its terminal from now on
for number in range(3):
    os.dup2(terminal, number)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="asks on a pseudo-terminal")
@pytest.mark.parametrize(("answer", "status"), [(b"y\n", 0), (b"n\n", 1)])
def test_a_person_is_asked_at_the_terminal(tmp_path: Path, answer: bytes, status: int) -> None:
    import pty

    put(tmp_path / "asking_program.py", ASKING)
    terminal, other = pty.openpty()
    words = ["-m", "toolcast", "call", "edit", EDIT, "--app", "asking_program:registry"]
    process = subprocess.Popen(
        [sys.executable, "-c", ON_TERMINAL, os.ttyname(other), *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        start_new_session=True,
    )
    shown = b""
    while b"[a]lways: " not in shown:
        shown += os.read(terminal, 4096)
    os.close(other)
    os.write(terminal, answer)
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:  # how a pseudo-terminal ends on Linux
        pass
    os.close(terminal)
    assert process.wait(60) == status, shown
    text = shown.decode().replace("\r\n", "\n")
    assert "Tool edit (write): Replace one exact string in a file.\n" in text
    assert ("  1/2 half\\x1b[2Jway" in text) is (status == 0)
    assert ('{"replacements":1,' in text) is (status == 0)
    assert "\x1b" not in text  # what a tool answers steers no terminal
