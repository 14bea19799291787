"""A proxy between a client and a server over stdio that changes one tool in each list of tools.

python changing_proxy.py CHANGE TOOL COMMAND…
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

Tool = dict[str, Any]


def _first(tool: Tool) -> Tool:
    """The schema of the first required parameter."""
    name = tool["inputSchema"]["required"][0]
    schema: Tool = tool["inputSchema"]["properties"][name]
    return schema


def _flip(tool: Tool, name: str, default: bool) -> None:
    hints = tool.get("annotations") or {}
    tool["annotations"] = {**hints, name: not hints.get(name, default)}


def _optional(tool: Tool, name: str, schema: Tool) -> None:
    tool["inputSchema"]["properties"][name] = schema


def _renamed(tool: Tool) -> None:
    inputs = tool["inputSchema"]
    name = inputs["required"][0]
    inputs["properties"] = {
        ("zz" if key == name else key): value for key, value in inputs["properties"].items()
    }
    inputs["required"] = ["zz" if key == name else key for key in inputs["required"]]


def _removed(tool: Tool) -> None:
    inputs = tool["inputSchema"]
    del inputs["properties"][inputs["required"].pop(0)]
    inputs["additionalProperties"] = False


def _required(tool: Tool) -> None:
    _optional(tool, "zz", {"type": "string"})
    tool["inputSchema"]["required"] = [*tool["inputSchema"]["required"], "zz"]


_HINTS = ("hint-less-careful", "hint-more-careful")
_RESULTS = ("result-typed", "result-property-optional", "result-property-removed", "result-widened")
CHANGES: dict[str, tuple[Callable[[Tool], object], tuple[str, ...]]] = {
    "required parameter": (_required, ("parameter-required",)),
    "optional parameter": (
        lambda tool: _optional(tool, "zz", {"type": "string"}),
        ("parameter-declared", "parameter-added"),
    ),
    "renamed parameter": (_renamed, ("parameter-renamed", "parameter-required")),
    "removed parameter": (_removed, ("parameter-removed",)),
    "no longer required": (lambda tool: tool["inputSchema"]["required"].pop(0), ("calls-widened",)),
    "another type": (lambda tool: _first(tool).update(type="integer"), ("type-narrowed",)),
    "a wider type": (lambda tool: _first(tool).update(type=["string", "integer"]), ("calls-widened",)),
    "an enum": (lambda tool: _first(tool).update(enum=["a", "b"]), ("values-narrowed",)),
    "a length": (lambda tool: _first(tool).update(maxLength=3), ("bound-narrowed",)),
    "a pattern": (lambda tool: _first(tool).update(pattern="^x"), ("text-narrowed",)),
    "a constant": (lambda tool: _first(tool).update(const="x"), ("values-narrowed",)),
    "no value left": (lambda tool: _first(tool).update({"not": {"type": "string"}}), ("not-compared",)),
    "a description": (lambda tool: tool.update(description="It does something else."), ("description-read",)),
    "no description": (lambda tool: tool.update(description=""), ("description-read",)),
    "text of a parameter": (
        lambda tool: _first(tool).update(description="New."),
        ("parameter-description-read",),
    ),
    "a result": (lambda tool: tool.update(outputSchema={"type": "object"}), _RESULTS),
    "idempotent": (lambda tool: _flip(tool, "idempotentHint", False), _HINTS),
    "destructive": (lambda tool: _flip(tool, "destructiveHint", True), _HINTS),
    "an open world": (lambda tool: _flip(tool, "openWorldHint", True), _HINTS),
    "another name": (lambda tool: tool.update(name="zz_new"), ("tool-renamed",)),
}
"""Changes by name, each with the rules of which one reports it, by what the tool was."""


def main(change: str, name: str, *command: str) -> None:
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None

    def forward() -> None:
        assert server.stdin is not None
        for line in sys.stdin.buffer:
            server.stdin.write(line)
            server.stdin.flush()
        server.stdin.close()

    threading.Thread(target=forward, daemon=True).start()
    for line in server.stdout:
        if not line.startswith(b"{"):  # a server's own output among its messages
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            continue
        message = json.loads(line)
        for tool in (message.get("result") or {}).get("tools", ()) if change in CHANGES else ():
            if tool["name"] == name:
                CHANGES[change][0](tool)
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
    server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
