"""A program's functions behind its resources and prompts, called for a client."""

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError, is_from_outside
from ...runtime.handlers import call
from ...runtime.view import ToolView
from ...runtime.workers import Workers, unwrap
from ..sdk import load
from .client_channel import ClientChannel, Extra
from .listed import page_of

Remember = Callable[[Any], None]
"""Takes a request's context: its client is told of changes from now on."""

INVALID_PARAMS = -32602
"""JSON-RPC's code; the specification asks for it where a tool is unknown (server/tools, "Error Handling")."""
INTERNAL_ERROR = -32603
_LOG = logging.getLogger("toolcast.mcp")


class OfferedFunctions:
    """Calls the functions of one server, plain ones in worker threads of its own."""

    def __init__(self, registry: ToolView, page_size: int | None, extra: Extra | None = None) -> None:
        self._extra = extra
        self._registry = registry
        self._page_size = page_size
        self._workers = Workers()
        self._error = load("mcp.shared.exceptions").MCPError

    async def value(self, context: Any, kind: str, name: str, content: Any, *arguments: Any) -> Any:
        """What `content`, of a resource or prompt with a name, is, or returns, without values of secrets.

        Raises the SDK's MCPError where a function refuses or fails; of a fault the client gets the kind
        alone, as a model does of a tool's.
        """
        if not callable(content):
            return content
        channel = ClientChannel(context, self._extra)
        try:
            made = await call(self._workers, content, *arguments, self._circumstances(channel, name))
        except RefusalError as problem:
            raise self.refused(problem) from None
        except BaseException as problem:
            channel.stop()
            if is_from_outside(problem):
                raise
            raise self.failed(f"{kind} {name!r}", unwrap(problem)) from None
        await channel.flush()
        return self._registry.redact(made)

    def refused(self, problem: RefusalError, data: Any = None) -> Exception:
        """A protocol error with the words of a refusal."""
        error: Exception = self._error(INVALID_PARAMS, self._registry.redact(str(problem)), data)
        return error

    def failed(self, what: str, problem: BaseException) -> Exception:
        """A protocol error for a fault of the program; the log has its traceback, without secrets."""
        number, kind = os.urandom(6).hex(), type(problem).__name__
        import traceback

        text = "".join(traceback.format_exception(problem))
        _LOG.error("%s failed [%s]\n%s", what, number, self._registry.redact(text))
        error: Exception = self._error(INTERNAL_ERROR, f"{what}: internal error {kind} (error id {number}).")
        return error

    def page(self, entries: Mapping[str, Any], params: Any) -> tuple[list[dict[str, Any]], str | None]:
        """The definitions of one page, sorted by key, and the cursor of the next."""
        listed = dict(entries)  # others may come and go in another thread
        names, following = page_of(sorted(listed), params.cursor if params else None, self._page_size)
        return [listed[name].definition for name in names], following

    def _circumstances(self, channel: ClientChannel, name: str) -> ToolContext:
        """Questions are for handlers of tools: in the newest revision they end the request."""
        circumstances = channel.circumstances(name)
        return msgspec.structs.replace(circumstances, asker=None, sampler=None)
