"""`toolcast stubs`: handlers, the program that registers them, and what is told when tools come and go."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.project.fake import put, states

CONFIG = '[tool.toolcast]\nproviders = ["mcp"]\n'
PARAMETERS = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
RESULT = {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}}


def spec(**changes: object) -> str:
    whole = {"summary": "Do it.", "permission": "read", "secrets": [], "parameters": PARAMETERS, **changes}
    return json.dumps({key: value for key, value in whole.items() if value is not None})


@pytest.fixture
def project(empty: Path) -> Path:
    put(empty / "pyproject.toml", CONFIG)
    put(empty / "specs/text/count.json", spec(result=RESULT))
    put(empty / "specs/text/deep/registry.json", spec())
    put(empty / "specs/adapt.json", spec())
    return empty


CALLS = """
import os, sys
import toolcast.runtime
from toolcast.cli.main import run
for tool in sys.argv[1:]:
    if not os.fork():
        sys.exit(run(["call", tool, '{"text": "a b"}', "--json", "--app", "app:registry"]))
    os.wait()
    print(chr(0), flush=True)
"""


def call(folder: Path, *tools: str) -> list[dict[str, Any]]:
    """The results of calls of the project's program, each in a process of its own."""
    if not hasattr(os, "fork"):
        pytest.skip("forks a process for each call")
    command = [sys.executable, "-c", CALLS, *tools]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    printed = done.stdout.split("\0")[:-1]
    assert len(printed) == len(tools), done.stderr
    return [json.loads(each) for each in printed]


def test_handlers_and_program_work_at_once(run: Command, project: Path) -> None:
    assert run("generate").exit_code == 0
    result = run("stubs")
    assert result.exit_code == 0, result.output
    assert "created   app.py\n" in result.output
    steps = "write what the handlers do, then toolcast generate, then toolcast serve app:registry"
    assert f"3 handlers written, 0 kept as they are; next: {steps}\n" in result.output
    for folder in ("handlers", "handlers/text", "handlers/text/deep"):
        assert (project / folder / "__init__.py").is_file()
    handler = project / "handlers/text/count.py"
    text = handler.read_text("utf-8")
    assert 'context: ToolContext) -> "CountResult | ToolResult":' in text
    handler.write_text(
        text.replace('ToolResult.failed("not implemented yet")', "CountResult(count=len(params.text))"),
        "utf-8",
    )
    count, registry, adapt = call(project, "count", "registry", "adapt")
    assert count["data"] == {"count": 3}
    assert registry["error"] == adapt["error"] == "not implemented yet"


def test_a_later_tool_is_told_with_the_lines_that_it_needs(run: Command, project: Path) -> None:
    run("stubs")
    before = (project / "app.py").read_bytes()
    put(project / "specs/web/fetch-page.json", spec())
    put(project / "specs/web/ToolRegistry.json", spec())
    result = run("stubs")
    assert "from handlers.web.ToolRegistry import ToolRegistry as ToolRegistry_2\n" in result.output
    assert "register_all:  ToolRegistry=ToolRegistry_2,\n" in result.output
    (project / "specs/web/ToolRegistry.json").unlink()
    (project / "handlers/web/ToolRegistry.py").unlink()
    assert "created   handlers/web/fetch_page.py\n" in result.output
    assert "add to app.py:  from handlers.web.fetch_page import fetch_page\n" in result.output
    assert "register_all:  fetch_page=fetch_page,\n" in result.output
    assert "2 handlers written, 3 kept as they are\n" in result.output
    assert (project / "app.py").read_bytes() == before
    assert "add to app.py" in run("stubs").output  # as long as it is missing
    text = before.decode().replace("    registry,\n", "    registry,\n    fetch_page=fetch_page,\n")
    line = "from handlers.web.fetch_page import fetch_page\n"
    (project / "app.py").write_text(line + text, "utf-8")
    assert "add to app.py" not in run("stubs").output


def test_what_has_no_tool_any_more_is_told(run: Command, project: Path) -> None:
    run("stubs")
    put(project / "handlers/helpers.py", '"""No handler."""\n')
    before = states(project / "handlers")
    (project / "specs/text/count.json").unlink()
    result = run("stubs")
    assert "handlers/text/count.py is the handler of count, which is no tool any more" in result.output
    assert "app.py registers count, which is no tool that compiles: take it out" in result.output
    assert result.output.count("no tool any more") == 1
    assert states(project / "handlers") == before


def test_the_handler_of_a_spec_with_errors_is_no_orphan(run: Command, project: Path) -> None:
    run("stubs")
    put(project / "specs/text/count.json", spec(permission="TODO"))
    result = run("stubs")
    assert result.exit_code == 1
    assert "no tool any more" not in result.output


def test_a_stale_tool_stays_registered(run: Command, project: Path) -> None:
    run("generate")
    run("stubs")
    put(project / "specs/text/count.json", spec(permission="reed"))
    assert "registers count" not in run("stubs").output
    (project / "generated/text/count.py").unlink()
    (project / "specs/text/count.json").unlink()
    assert "registers count, which is no tool" in run("stubs").output


def test_a_program_of_ones_own_is_left_alone(run: Command, project: Path) -> None:
    put(project / "app.py", "from flask import Flask\n")
    result = run("stubs")
    assert (project / "app.py").read_text() == "from flask import Flask\n"
    assert "add to app.py:  from handlers.text.count import count\n" in result.output
    assert "add to app.py" not in run("stubs").output  # nothing is new


@pytest.mark.parametrize("text", ["register_all(", "\0", "(" * 3000, "register_all(registry, **handlers)"])
def test_a_program_that_cannot_be_read_is_no_fault(run: Command, project: Path, text: str) -> None:
    put(project / "app.py", text)
    assert run("stubs").exit_code == 0
    assert (project / "app.py").read_text() == text


def test_a_folder_of_the_programs_name_hides_it(run: Command, project: Path) -> None:
    put(project / "pyproject.toml", f'{CONFIG}stubs = "app"\n')
    result = run("stubs")
    assert result.exit_code == 0
    assert "app.py is not written: Python would import the folder app/ in its place" in result.output
    assert not (project / "app.py").exists()


def test_inside_a_package(run: Command, project: Path) -> None:
    put(project / "pyproject.toml", f'{CONFIG}stubs = "src/acme/handlers"\noutput = "src/acme/generated"\n')
    put(project / "src/acme/__init__.py", "")
    run("generate")
    result = run("stubs")
    assert "then PYTHONPATH=src toolcast serve acme.app:registry" in result.output
    text = (project / "src/acme/app.py").read_text("utf-8")
    assert "from acme.generated.registry import register_all\n" in text
    assert "from acme.handlers.text.count import count\n" in text
    assert "`toolcast serve acme.app:registry`" in text


PROGRAM = """
class Texts:
    def count(self, text: str) -> int:
        return len(text.split())

texts = Texts()
def adapt(text: str) -> str:
    return text.upper()
"""


def test_what_was_imported_from_python_is_called(run: Command, project: Path) -> None:
    put(project / "texts.py", PROGRAM)

    def source(name: str) -> dict[str, str]:
        return {"kind": "python", "name": name, "from": "texts"}

    put(project / "specs/text/count.json", spec(source=source("texts:texts.count")))
    put(project / "specs/adapt.json", spec(source=source("texts:adapt")))
    put(project / "specs/text/deep/registry.json", spec(source=source("texts:server#x")))
    for number, name in enumerate(("os:system('x')", "a b:c", "texts:class", "texts:Texts", "texts:a[0]")):
        put(project / f"specs/t{number}.json", spec(source=source(name)))
    assert run("generate").exit_code == 0
    result = run("stubs")
    assert "handlers/text/count.py, which calls texts:texts.count\n" in result.output
    assert result.output.count("which calls") == 2
    for number in range(5):
        assert "not implemented yet" in (project / f"handlers/t{number}.py").read_text()
    count, adapt, registry = call(project, "count", "adapt", "registry")
    assert (count["output"], adapt["output"]) == ("2", "A B")
    assert "not implemented" in registry["error"]


NOT_CALLED = """
class RunContext: ...
RunContext.__module__ = "pydantic_ai"

def one(ctx: RunContext, text: str) -> str: return text
async def two(ctx: RunContext, text: str) -> str: return text
def three(text: str) -> str: return text
"""


def test_what_no_handler_can_call_is_told_at_once(run: Command, empty: Path) -> None:
    """`stubs` imports nothing that a spec names: it repeats what the import found."""
    put(empty / "pyproject.toml", CONFIG)
    put(empty / "tools.py", NOT_CALLED)
    names = [f"tools:{name}" for name in ("one", "two", "three")]
    result = run("import", "python", *names, "--into", "specs", "--permission", "*=read", "--secrets", "none")
    assert result.output.count("only pydantic-ai passes such a value") == 2
    put(empty / "tools.py", "raise SystemExit('imported')")
    result = run("stubs")
    assert "yours to write: ctx: only pydantic-ai passes such a value" in result.output
    assert "completes one(ctx=…, text=params.text)" in result.output
    assert "completes await two(ctx=…, text=params.text)" in result.output
    assert "; next: write what the handlers do, then toolcast generate" in result.output
    assert "not implemented yet" in (empty / "handlers/one.py").read_text("utf-8")
    assert "adapt(" in (empty / "handlers/three.py").read_text("utf-8")


def test_handlers_that_call_functions_are_complete(run: Command, empty: Path) -> None:
    put(empty / "pyproject.toml", CONFIG)
    source = {"kind": "python", "name": "texts:adapt", "from": "texts"}
    put(empty / "specs/adapt.json", spec(source=source))
    assert "; next: toolcast generate, then toolcast serve app:registry\n" in run("stubs").output


def test_serve_is_advised_only_where_its_definitions_are_made(run: Command, project: Path) -> None:
    put(project / "pyproject.toml", CONFIG.replace("mcp", "openai"))
    output = run("stubs").output
    assert "toolcast serve" not in output
    assert "then toolcast call TOOL JSON --app app:registry" in output


def test_tools_of_an_mcp_server_are_left_to_the_program_that_is_connected(
    run: Command, project: Path
) -> None:
    source = {"kind": "mcp", "name": "read", "from": "files-server"}
    put(project / "specs/text/count.json", spec(source=source))
    put(project / "specs/adapt.json", spec(source=source))
    result = run("stubs")
    assert result.exit_code == 0
    assert "note: 2 tools of files-server: a program that is connected to that server" in result.output
    assert "1 handler written, 0 kept as they are" in result.output
    assert not (project / "handlers/adapt.py").exists()
    assert "    count=None,  # by toolcast.mcp.register_mcp\n" in (project / "app.py").read_text()
    put(project / "specs/more.json", spec(source=source))
    assert "add to the register_all of app.py:  more=None," in run("stubs").output
    put(project / "handlers/adapt.py", "mine")  # a handler of one's own takes its place
    assert "note: 2 tools of files-server" in run("stubs").output


def test_external_tools_have_no_handler(run: Command, project: Path) -> None:
    put(project / "specs/adapt.json", spec(external=True))
    assert run("generate").exit_code == 0
    result = run("stubs")
    assert result.exit_code == 0
    assert "2 handlers written, 0 kept as they are" in result.output
    assert not (project / "handlers/adapt.py").exists()
    assert "adapt" not in (project / "app.py").read_text()
    (adapt,) = call(project, "adapt")
    assert "carried out outside of this program" in adapt["error"]
    put(project / "specs/text/count.json", spec(external=True))
    told = run("stubs").output
    assert "0 handlers written, 1 kept as they are" in told
    assert "note: app.py registers count, which is external: take it out\n" in told
    assert "note: handlers/text/count.py is the handler of count, which is external: delete" in told
    put(project / "specs/adapt.json", spec())
    told = run("stubs").output
    assert "add to app.py:  from handlers.adapt import adapt as adapt\n" in told or "import adapt" in told
    assert "register_all:  adapt=" in told


def test_handlers_in_the_folder_of_the_configuration(run: Command, project: Path) -> None:
    put(project / "pyproject.toml", f'{CONFIG}stubs = "."\n')
    before = set(project.parent.iterdir())
    assert run("generate").exit_code == 0
    result = run("stubs")
    assert result.exit_code == 0
    assert set(project.parent.iterdir()) == before  # nothing beside the project
    assert not (project / "__init__.py").exists()
    assert "from text.count import count\n" in (project / "app.py").read_text()
    (count,) = call(project, "count")
    assert "not implemented" in count["error"]


@pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")
def test_links_and_pipes_in_the_way(
    run: Command, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project / "handlers").mkdir()
    (project / "handlers/text").symlink_to(outside)
    result = run("stubs")
    assert result.exit_code == 1
    assert "error[config-outside]" in result.stderr
    assert list(outside.iterdir()) == []
    (project / "handlers/text").unlink()
    os.mkfifo(project / "handlers/pipe.py")
    os.mkfifo(project / "app.py")
    assert run("stubs").exit_code == 0
    (project / "app.py").unlink()
    put(outside / "secret.py", "register_all(registry, password=1)")
    (project / "app.py").symlink_to(outside / "secret.py")
    assert "password" not in run("stubs").output


class Echo(BaseHTTPRequestHandler):
    """Answers with the path that it was asked for."""

    def do_GET(self) -> None:
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None: ...


def test_what_states_a_request_sends_it(run: Command, project: Path) -> None:
    pytest.importorskip("httpx", reason="pip install 'toolcast[http]'")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        http = {"method": "get", "path": "/texts/{text}", "in": {"text": "path"}}
        http["server"] = f"http://127.0.0.1:{server.server_port}"
        put(project / "specs/text/count.json", spec(permission="network", http=http))
        assert run("generate").exit_code == 0
        assert run("stubs").exit_code == 0
        (count,) = call(project, "count")
    finally:
        server.shutdown()
        server.server_close()
    assert json.loads(count["output"]) == {"path": "/texts/a%20b"}
