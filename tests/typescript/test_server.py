"""The tool server of docs/reference/typescript.md: an MCP server in Node.js over generated modules."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.python.compiled import spec

from .projects import package
from .tools import ROOT, missing, node

SERVERS = ROOT / ".mcp-servers"
GREET = spec(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "times": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
    result={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)


def documented() -> str:
    page = (ROOT / "docs/reference/typescript.md").read_text("utf-8")
    (found,) = re.findall(r"```js\n(.*?)```", page, re.DOTALL)
    return str(found)


def test_the_server_lists_and_checks_by_the_spec(tmp_path: Path) -> None:
    if not (SERVERS / "node_modules/@modelcontextprotocol/sdk").is_dir():
        missing("the MCP servers are not installed; `make mcp-servers` installs them")
    package(tmp_path / "generated", {"greet.json": GREET})
    (tmp_path / "node_modules").symlink_to(SERVERS / "node_modules")
    (tmp_path / "server.mjs").write_text(documented(), "utf-8")
    with subprocess.Popen(
        (node(), "server.mjs"), cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            answers = converse(process)
        finally:
            process.kill()
    (tool,) = answers["tools/list"]["tools"]
    assert tool["inputSchema"] == GREET["parameters"]
    assert tool["outputSchema"] == GREET["result"]
    assert tool["annotations"] == {"readOnlyHint": True}
    assert answers["good"]["structuredContent"] == {"text": "Hello, Ada! Hello, Ada!"}
    assert answers["default"]["structuredContent"] == {"text": "Hello, Ada!"}
    assert answers["bad"]["isError"] is True
    assert answers["bad"]["content"][0]["text"] == (
        "missing required property `name` (string)\n`times` must be an integer >= 1 and <= 3, got 4"
    )


def converse(process: "subprocess.Popen[str]") -> dict[str, Any]:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("initialize", "initialize", hello),
        ("tools/list", "tools/list", {}),
        ("good", "tools/call", {"name": "greet", "arguments": {"name": "Ada", "times": 2}}),
        ("default", "tools/call", {"name": "greet", "arguments": {"name": "Ada", "times": None}}),
        ("bad", "tools/call", {"name": "greet", "arguments": {"times": 4}}),
    ]
    assert process.stdin is not None
    assert process.stdout is not None
    found: dict[str, Any] = {}
    for number, (key, method, params) in enumerate(requests):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        found[key] = json.loads(process.stdout.readline())["result"]
    return found
