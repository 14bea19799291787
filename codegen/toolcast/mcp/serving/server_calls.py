"""The result of one call, as a client gets it."""

import logging
from typing import Any

import msgspec

from ...agents.dispatch.call import Call
from ...agents.dispatch.render_results import render
from ...runtime.handler_results import fault_of_result
from ...runtime.result import ToolResult, structured
from .listed import ListedTool, dialect_of

_LOG = logging.getLogger("toolcast.mcp")


def answer(name: str, tool: ListedTool, result: ToolResult, version: str) -> dict[str, Any]:
    """Return a `CallToolResult` as plain data. A failure is `isError`, never a protocol error.

    A tool with an output schema must answer with what fits it (server/tools, "Output Schema"); a client would
    throw away anything else. So such a result becomes a failure, with its text.
    """
    binding = tool.binding
    if tool.output is None and binding.result is not None and structured(result) is not msgspec.UNSET:
        # This client sees no schema of results, whatever the definition of the newest revision has.
        result = msgspec.structs.replace(result, output=binding.encode_result(result.data).decode())
    (made,) = render([Call(id="", name=name, arguments={}, index=0)], [result], dialect_of(version))
    if not result.success or tool.output is None:
        return made
    if "structuredContent" not in made:
        return _broken(name, made, "has none of the data that its output schema promises")
    value = made["structuredContent"]
    if binding.defaults is not None and structured(result) is msgspec.UNSET:  # the text is another
        value = msgspec.json.decode(binding.encode_result(result.data, tool.provider))
    value = tool.output.settle(value)
    violations = tool.output.violations(value, limit=3)
    if violations:
        wrong = "; ".join(f"{violation.path}: {violation.message}" for violation in violations)
        return _broken(name, made, f"is not what its output schema says ({wrong})")
    return {**made, "structuredContent": value}


def _broken(name: str, made: dict[str, Any], how: str) -> dict[str, Any]:
    _LOG.warning("A result of tool %r %s.", name, how)
    text = fault_of_result(name, how)
    rest = {key: value for key, value in made.items() if key != "structuredContent"}
    return {**rest, "content": [{"type": "text", "text": text}, *made["content"]], "isError": True}
