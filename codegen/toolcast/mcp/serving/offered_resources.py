"""Requests for resources: to list them and their templates, to read them, to subscribe to them."""

from typing import Any

from ...agents.dispatch.media_blocks import resource_contents
from ...runtime.errors import RefusalError
from ..sdk import load
from .announce import SUBSCRIPTIONS
from .listed import is_modern
from .offered_functions import INVALID_PARAMS, OfferedFunctions, Remember
from .resources import Found, Resources, contents

NOT_FOUND = -32002
"""The code of a resource that is not there, up to 2025-11-25; since then it is that of invalid parameters."""
MAX_SUBSCRIPTIONS = 1000
"""URIs to which one connection subscribes."""


class OfferedResources:
    """The handlers of one server's requests for resources. `context` is the SDK's `ServerRequestContext`."""

    def __init__(self, resources: Resources, functions: OfferedFunctions, remember: Remember) -> None:
        self._resources = resources
        self._functions = functions
        self._remember = remember
        self._types = load("mcp.types")
        self._error = load("mcp.shared.exceptions").MCPError

    async def list(self, context: Any, params: Any) -> Any:
        """One page of the resources."""
        self._remember(context)
        entries, following = self._functions.page(self._resources.resources, params)
        listed = [self._types.Resource.model_validate(entry, by_name=False) for entry in entries]
        return self._types.ListResourcesResult(resources=listed, next_cursor=following)

    async def list_templates(self, context: Any, params: Any) -> Any:
        """One page of the templates."""
        self._remember(context)
        entries, following = self._functions.page(self._resources.templates, params)
        listed = [self._types.ResourceTemplate.model_validate(entry, by_name=False) for entry in entries]
        return self._types.ListResourceTemplatesResult(resource_templates=listed, next_cursor=following)

    async def read(self, context: Any, params: Any) -> Any:
        """The contents of a resource."""
        uri = str(params.uri)
        resource, typed = self._find(context, uri)
        arguments = () if typed is None else (typed,)
        value = await self._functions.value(context, "Resource", resource.uri, resource.content, *arguments)
        try:
            piece = contents(resource, uri, value)
        except TypeError as problem:
            raise self._functions.failed(f"Resource {resource.uri!r}", problem) from None
        made = resource_contents(uri, piece.data, piece.media_type)
        kind = self._types.TextResourceContents if "text" in made else self._types.BlobResourceContents
        return self._types.ReadResourceResult(contents=[kind.model_validate(made, by_name=False)])

    async def subscribe(self, context: Any, params: Any) -> Any:
        """Tell the client from now on when a resource is updated."""
        uri = str(params.uri)
        self._find(context, uri)
        subscribed: set[str] = context.session._connection.state.setdefault(SUBSCRIPTIONS, set())
        if uri not in subscribed and len(subscribed) >= MAX_SUBSCRIPTIONS:
            raise self._error(
                INVALID_PARAMS, f"A connection subscribes to at most {MAX_SUBSCRIPTIONS} resources."
            )
        subscribed.add(uri)
        self._remember(context)
        return self._types.EmptyResult()

    async def unsubscribe(self, context: Any, params: Any) -> Any:
        """Tell the client no more."""
        context.session._connection.state.get(SUBSCRIPTIONS, set()).discard(str(params.uri))
        return self._types.EmptyResult()

    def _find(self, context: Any, uri: str) -> Found:
        """The resource at a URI. Raises the SDK's MCPError where there is none."""
        try:
            found = self._resources.find(uri)
        except RefusalError as problem:
            raise self._functions.refused(problem, {"uri": uri}) from None
        if found is None:
            code = INVALID_PARAMS if is_modern(context.protocol_version) else NOT_FOUND
            raise self._error(code, "Resource not found", {"uri": uri})
        return found
