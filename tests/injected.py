"""Tools in which the program fills in parameters, compiled in memory."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options
from toolcast.providers import available
from toolcast.runtime import ToolBinding, ToolContext, ToolRegistry, ToolResult
from toolcast.spec.spec_reader import read_tool

from tests.python.compiled import document

PROVIDERS = tuple(available())
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["user_id", "folder"],
    "properties": {
        "user_id": {"type": "integer", "minimum": 1, "description": "The zebra key of whoever asks."},
        "region": {"type": "string", "enum": ["eu", "us"]},
        "folder": {"type": "string", "minLength": 1, "description": "Which folder."},
        "limit": {"type": "integer", "minimum": 1, "default": 10},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}
"""The parameters of `INBOX`; "zebra" is a word that no model may read."""
INJECT = {"user_id": "context.user.id", "region": "context.region"}
USER = {"user": {"id": 7}, "region": "eu"}
"""What a context's `extra` has for `INJECT`."""
CALL = {"folder": "in"}


def spec(parameters: Mapping[str, Any] = SCHEMA, **keys: Any) -> dict[str, Any]:
    """The spec of `inbox`."""
    base = {"description": "Lists mails.", "permission": "read", "secrets": [], "inject": INJECT}
    return {**base, "parameters": parameters, **keys}


@contextmanager
def compiled(
    parameters: Mapping[str, Any] = SCHEMA, providers: tuple[str, ...] = PROVIDERS, **keys: Any
) -> Generator[ToolBinding[Any, Any]]:
    """The binding of the tool, usable inside the block."""
    path = "inbox.json"
    tool, problems, _ = read_tool(document(spec(parameters, **keys), path), path, frozenset(PROVIDERS))
    assert tool is not None, problems
    with subject(tool, {}, Options(providers=providers)) as found:
        yield found.binding


class Seen:
    """A handler that keeps what it gets."""

    def __init__(self) -> None:
        self.params: list[Any] = []

    async def __call__(self, params: Any, context: ToolContext) -> ToolResult:
        del context
        self.params.append(params)
        return ToolResult.ok("done")


def registered(binding: ToolBinding[Any, Any], **options: Any) -> tuple[ToolRegistry, Seen]:
    """A registry of the one tool."""
    registry, seen = ToolRegistry(**options), Seen()
    registry.register(binding, seen)
    return registry, seen
