"""Values of FastMCP, the MCP SDK and LangChain that have no JSON form: contexts, and content of results.

A framework is imported here only for a function that has its types: the program has imported it, too.
"""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, nullcontext
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from ...jsonschema.json_values import JsonObject
from ..context import ToolContext
from ..errors import RefusalError
from ..result import Content, ToolResult
from .conversions import outgoing
from .signature import union_members

if TYPE_CHECKING:  # loaded where a function asks
    from ..questions import Sampled

REQUEST = "mcp_request"
"""Key of `ToolContext.extra`: the MCP SDK's context of the request, where an MCP client made the call."""

_MEDIA = {"Image": "to_image_content", "Audio": "to_audio_content", "File": "to_resource_content"}
_BLOCKS = ("TextContent", "ImageContent", "AudioContent", "EmbeddedResource", "ResourceLink")
_CONTENT = frozenset((*_MEDIA, *_BLOCKS))
_RESULTS = ("ToolResult", "CallToolResult")
_NAMES = frozenset((*_CONTENT, *_RESULTS, "ToolError"))
_PACKAGES = ("fastmcp", "mcp", "mcp_types")


def content_of(block: Any) -> Content:
    """Return a content block of the MCP SDK as a piece of a result; in words what no piece can be."""
    if block.type == "text":
        return Content.of(block.text)
    if block.type in ("image", "audio"):
        return _binary(block.type, block.data, block.mime_type)
    if block.type == "resource_link":
        facts = [block.mime_type, None if block.size is None else f"{block.size} bytes", block.description]
        words = ", ".join(str(fact) for fact in facts if fact)
        return Content.of(f"[link: {block.name}, {block.uri}{', ' + words if words else ''}]")
    resource = block.resource
    uri = str(resource.uri)
    if hasattr(resource, "blob"):
        piece = _binary("file", resource.blob, resource.mime_type or "application/octet-stream")
        return piece if piece.kind == "text" else Content.resource(uri, piece.data, piece.media_type)
    try:
        return Content.resource(uri, resource.text, (resource.mime_type or "").partition(";")[0].strip())
    except ValueError:  # a media type that no provider could be told
        return Content.of(f"[resource: {uri}]\n{resource.text}")


def _binary(kind: Any, data: str, media_type: str, name: str = "") -> Content:
    try:
        return Content.from_base64(kind, data, media_type.partition(";")[0].strip(), name)
    except (ValueError, TypeError) as problem:
        return Content.of(f"[{kind} that cannot be read: {problem}]")


def framework_result(value: Any) -> ToolResult | None:
    """Return what a function of FastMCP or the MCP SDK returned, if it is a whole result of theirs, or holds
    content as an item; None for data."""
    if isinstance(value, (list, tuple)):
        kinds: set[object] = set(map(type, value))
        return None if _CONTENT.isdisjoint(map(_name_of, kinds)) else _result(value)
    kind = _kind(value)
    if kind in _RESULTS:
        return _result(value.content, value.structured_content, failed=value.is_error)
    return _result((value,)) if kind in _CONTENT else None


def langchain_result(value: Any, *, artifact: bool) -> ToolResult | None:
    """Return the result of a LangChain tool that states content: a list with blocks, or with `artifact` a
    pair of content and data for the program; None for data."""
    content, data = value if artifact else (value, None)
    items = list(map(_langchain_piece, content)) if isinstance(content, list) else [content]
    states = artifact or any(isinstance(item, Content) for item in items)
    return _result(items, data) if states else None


def _langchain_piece(item: Any) -> object:
    match item:
        case {"type": "text", "text": str(text)}:
            return Content.of(text)
        case {"type": "image" | "audio" | "file" as kind, "base64": str(data)}:
            return _binary(kind, data, item.get("mime_type") or "", item.get("filename") or "")
        case _:
            return item


def states_content(annotation: object) -> bool:
    """Tell whether a type is that of content, or of a whole result, or has such members or items."""
    parts = union_members(annotation)
    if any(isinstance(part, type) and _name_of(part) for part in parts):
        return True
    return any(states_content(item) for part in parts for item in get_args(part))


def _kind(value: object) -> str:
    kind: object = type(value)
    return _name_of(kind)


@lru_cache(1024)
def _name_of(kind: Any) -> str:
    """Return the name of the framework's class; "" for another type."""
    found = (each.__name__ for each in kind.__mro__ if each.__module__.partition(".")[0] in _PACKAGES)
    return next((name for name in found if name in _NAMES), "")


def _result(items: Sequence[Any], data: object = None, *, failed: bool = False) -> ToolResult:
    """Return a result whose output is the first item, if that is text."""
    pieces = tuple(map(_piece, items))
    text = ""
    if pieces and pieces[0].kind == "text":
        text, pieces = pieces[0].text, pieces[1:]
    if failed:
        return ToolResult(False, "", data, text or "The tool failed, and does not say why.", pieces)
    return ToolResult.ok(text, data, pieces)


def _piece(item: Any) -> Content:
    if isinstance(item, Content):
        return item
    kind = _kind(item)
    if kind in _CONTENT:
        return content_of(getattr(item, _MEDIA[kind])() if kind in _MEDIA else item)
    return Content.of(item if isinstance(item, str) else msgspec.json.encode(outgoing(item)).decode())


def refuse_tool_error(problem: Exception) -> None:
    """Raise a RefusalError for a `ToolError` of FastMCP or the MCP SDK, whose text is for the model."""
    if _kind(problem) == "ToolError":
        raise RefusalError(str(problem)) from problem


def in_fastmcp_context(
    function: Callable[..., Any], arguments: Callable[[Any, ToolContext], JsonObject]
) -> Callable[..., Awaitable[Any]]:
    """Return a function of the parameters and the context of a call. It calls `function` with the `arguments`
    that are made of them, and with what FastMCP injects: its `Context`, and dependencies."""
    injected = import_module("fastmcp.server.dependencies").without_injected_parameters(function)
    context_class = import_module("fastmcp.server.context").Context

    async def call(params: object, context: ToolContext) -> Any:
        filled = arguments(params, context)
        own = isinstance(context.extra.get("context"), context_class)  # FastMCP serves the registry itself
        async with nullcontext() if own else _served_context()(context):
            return await injected(**filled)

    return call


_SESSION = uuid.uuid4().hex
"""Id of the session of all calls that no MCP client made."""


@cache
def _served_context() -> Any:
    """Return a class of FastMCP's contexts whose channel to the client is that of a call of toolcast. Its
    server is one without resources and prompts."""
    from ..questions import ElicitationRequest, put_question

    elicitation = import_module("fastmcp.server.elicitation")
    dependencies = import_module("fastmcp.server.dependencies")
    base: Any = import_module("fastmcp.server.context").Context
    server = import_module("fastmcp").FastMCP("toolcast")

    class ServedContext(base):  # type: ignore[misc]  # the framework comes untyped
        def __init__(self, call: ToolContext) -> None:
            super().__init__(server)
            self._call = call
            self._bound = ExitStack()

        async def __aenter__(self) -> Any:
            if (request := self._call.extra.get(REQUEST)) is not None:
                self._bound.enter_context(dependencies.bind_request_context(request))
            return await super().__aenter__()

        async def __aexit__(self, *problem: object) -> None:
            with self._bound:
                await super().__aexit__(*problem)

        @property
        def request_id(self) -> str:
            return self._call.call_id

        @property
        def session_id(self) -> str:
            return _SESSION if self.request_context is None else str(super().session_id)

        async def report_progress(self, progress: float, total: Any = None, message: Any = None) -> None:
            self._call.progress(progress, total, message)

        async def log(
            self, message: str, level: Any = None, logger_name: str | None = None, extra: Any = None
        ) -> None:
            self._call.log(level or "info", {"msg": message, "extra": extra}, logger_name)

        async def elicit(self, message: str, response_type: Any, **titles: Any) -> Any:
            config = elicitation.parse_elicit_response_type(response_type, **titles)
            request = ElicitationRequest(message=message, schema=config.schema)
            answer = await put_question(self._call.asker, self._call.tool, request)
            if answer.accepted:
                return elicitation.handle_elicit_accept(config, dict(answer.data or {}))
            declined = answer.action == "decline"
            return elicitation.DeclinedElicitation() if declined else elicitation.CancelledElicitation()

        async def sample(
            self, messages: Any, *, system_prompt: str = "", max_tokens: int = 512, **further: Any
        ) -> "Sampled":
            return await self._call.sample(messages, max_tokens=max_tokens, system=system_prompt, **further)

    return ServedContext
