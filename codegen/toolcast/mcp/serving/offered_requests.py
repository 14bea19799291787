"""Requests for the program's resources and prompts, and for completions of their arguments."""

import logging
import os
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from ...agents.dispatch.render_results import mcp_block, resource_contents
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...runtime.call_steps import redacted_context
from ...runtime.context import ToolContext
from ...runtime.errors import MissingCapabilityError, RefusalError, is_from_outside
from ...runtime.handlers import call
from ...runtime.result import Content
from ...runtime.view import ToolView
from ...runtime.workers import Workers, unwrap
from ..sdk import INTERNAL_ERROR, INVALID_PARAMS, load, protocol_error
from .client_channel import ClientChannel, Extra, RunningCall, missing_capability, resumed
from .listed import SUBSCRIPTIONS, is_modern, page_of
from .prompts_and_resources import Found, Prompts, Resources, TextArguments, contents, messages_of

_Remember = Callable[[Any], None]
"""Takes a request's context: its client is told of changes from now on."""

_LOG = logging.getLogger("toolcast.mcp")


class OfferedFunctions:
    """Calls the functions of one server, plain ones in worker threads of its own."""

    def __init__(self, registry: ToolView, page_size: int | None, extra: Extra | None = None) -> None:
        self._extra = extra
        self._registry = registry
        self._page_size = page_size
        self._workers = Workers()

    async def value(self, context: Any, params: Any, kind: str, name: str, content: Any) -> Any:
        """Return `content`, of a resource or prompt with a name, or its function's result, without values of
        secrets; the SDK's InputRequiredResult where the function asks the client before.

        Raises the SDK's MCPError where a function refuses or fails; of a fault the client gets the kind
        alone, as a model does of a tool's.
        """
        if not callable(content):
            return content
        running = resumed(context, params)
        if running is None:
            channel = ClientChannel(context, self._extra, getattr(params, "input_responses", None))
            running = RunningCall(channel, self._value(channel, kind, name, content))
        asked = await running.questions(context, params)
        return running.result() if asked is None else asked

    async def _value(self, channel: ClientChannel, kind: str, name: str, function: Any) -> Any:
        try:
            made = await call(self._workers, function, self._circumstances(channel, name))
        except MissingCapabilityError as problem:
            raise missing_capability(problem) if channel.suspends else self.refused(problem) from None
        except RefusalError as problem:
            raise self.refused(problem) from None
        except BaseException as problem:  # the program's function
            channel.stop()
            if is_from_outside(problem):
                raise
            raise self.failed(f"{kind} {name!r}", unwrap(problem)) from None
        return self._registry.redact(made)

    def refused(self, problem: RefusalError, data: Any = None) -> Exception:
        """Return a protocol error with the words of a refusal."""
        return protocol_error(INVALID_PARAMS, self._registry.redact(str(problem)), data)

    def failed(self, what: str, problem: BaseException) -> Exception:
        """Return a protocol error for a fault of the program; the log has its traceback, without secrets."""
        number, kind = os.urandom(6).hex(), type(problem).__name__
        text = "".join(traceback.format_exception(problem))
        _LOG.error("%s failed [%s]\n%s", what, number, self._registry.redact(text))
        return protocol_error(INTERNAL_ERROR, f"{what}: internal error {kind} (error id {number}).")

    def page(self, entries: JsonMapping, params: Any) -> tuple[list[JsonObject], str | None]:
        """Return the definitions of one page, sorted by key, and the cursor of the next."""
        listed = dict(entries)  # others may come and go in another thread
        names, following = page_of(sorted(listed), params.cursor if params else None, self._page_size)
        return [listed[name].definition for name in names], following

    def _circumstances(self, channel: ClientChannel, name: str) -> ToolContext:
        secrets = self._registry._executor.guard.secrets  # pyright: ignore[reportPrivateUsage]
        circumstances = channel.circumstances(name)
        return circumstances if secrets is None else redacted_context(circumstances, secrets)


_NOT_FOUND = -32002
"""The code of a resource that is not there, up to 2025-11-25; since then it is that of invalid parameters."""
MAX_SUBSCRIPTIONS = 1000
"""URIs to which one connection subscribes."""


class OfferedRequests:
    """Handles the requests of one server. `context` is the SDK's `ServerRequestContext`."""

    def __init__(
        self,
        functions: OfferedFunctions,
        remember: _Remember,
        resources: Resources | None,
        prompts: Prompts | None,
    ) -> None:
        self._functions = functions
        self._remember = remember
        self._offers_resources = resources is not None
        self._offers_prompts = prompts is not None
        self._resources = resources or Resources()
        self._prompts = prompts or Prompts()
        self._types = load("mcp.types")

    def handlers(self) -> JsonObject:
        """Return the options of the SDK's server; what is not offered is no capability of it."""
        made: JsonObject = {}
        if self._offers_resources:
            made |= {
                "on_list_resources": self.list_resources,
                "on_list_resource_templates": self.list_templates,
                "on_read_resource": self.read,
                "on_subscribe_resource": self.subscribe,
                "on_unsubscribe_resource": self.unsubscribe,
            }
        if self._offers_prompts:
            made |= {"on_list_prompts": self.list_prompts, "on_get_prompt": self.get_prompt}
        return {**made, "on_completion": self.complete} if made else {}

    def _list(
        self, context: object, params: object, entries: JsonMapping, kind: Any
    ) -> tuple[list[object], object]:
        self._remember(context)
        page, following = self._functions.page(entries, params)
        return [kind.model_validate(entry, by_name=False) for entry in page], following

    async def list_prompts(self, context: Any, params: Any) -> Any:
        listed, following = self._list(context, params, self._prompts.prompts, self._types.Prompt)
        return self._types.ListPromptsResult(prompts=listed, next_cursor=following)

    async def list_resources(self, context: Any, params: Any) -> Any:
        listed, following = self._list(context, params, self._resources.resources, self._types.Resource)
        return self._types.ListResourcesResult(resources=listed, next_cursor=following)

    async def list_templates(self, context: Any, params: Any) -> Any:
        kind = self._types.ResourceTemplate
        listed, following = self._list(context, params, self._resources.templates, kind)
        return self._types.ListResourceTemplatesResult(resource_templates=listed, next_cursor=following)

    async def get_prompt(self, context: Any, params: Any) -> Any:
        prompt = self._prompts.prompts.get(params.name)
        if prompt is None:
            raise protocol_error(INVALID_PARAMS, f"Unknown prompt: {params.name!r:.80}")
        try:
            typed = prompt.arguments.convert(params.arguments or {})
        except RefusalError as problem:
            raise self._functions.refused(problem) from None
        content = partial(prompt.content, typed) if prompt.parameterized else prompt.content
        value = await self._functions.value(context, params, "Prompt", prompt.name, content)
        if isinstance(value, self._types.InputRequiredResult):
            return value
        try:
            messages = messages_of(value)
        except TypeError as problem:
            raise self._functions.failed(f"Prompt {prompt.name!r}", problem) from None
        made = [{"role": message.role, "content": _block(message.content)} for message in messages]
        return self._types.GetPromptResult.model_validate(
            {"messages": made, **({"description": prompt.description} if prompt.description else {})},
            by_name=False,
        )

    async def read(self, context: Any, params: Any) -> Any:
        uri = str(params.uri)
        resource, typed = self._find(context, uri)
        content = resource.content if typed is None else partial(resource.content, typed)
        value = await self._functions.value(context, params, "Resource", resource.uri, content)
        if isinstance(value, self._types.InputRequiredResult):
            return value
        try:
            piece = contents(resource, uri, value)
        except TypeError as problem:
            raise self._functions.failed(f"Resource {resource.uri!r}", problem) from None
        made = resource_contents(uri, piece.data, piece.media_type)
        kind = self._types.TextResourceContents if "text" in made else self._types.BlobResourceContents
        return self._types.ReadResourceResult(contents=[kind.model_validate(made, by_name=False)])

    async def subscribe(self, context: Any, params: Any) -> Any:
        uri = str(params.uri)
        self._find(context, uri)
        subscribed: set[str] = context.session._connection.state.setdefault(SUBSCRIPTIONS, set())
        if uri not in subscribed and len(subscribed) >= MAX_SUBSCRIPTIONS:
            raise protocol_error(
                INVALID_PARAMS, f"A connection subscribes to at most {MAX_SUBSCRIPTIONS} resources."
            )
        subscribed.add(uri)
        self._remember(context)
        return self._types.EmptyResult()

    async def unsubscribe(self, context: Any, params: Any) -> Any:
        context.session._connection.state.get(SUBSCRIPTIONS, set()).discard(str(params.uri))
        return self._types.EmptyResult()

    def _find(self, context: Any, uri: str) -> Found:
        try:
            found = self._resources.find(uri)
        except RefusalError as problem:
            raise self._functions.refused(problem, {"uri": uri}) from None
        if found is None:
            code = INVALID_PARAMS if is_modern(context.protocol_version) else _NOT_FOUND
            raise protocol_error(code, "Resource not found", {"uri": uri})
        return found

    async def complete(self, context: Any, params: Any) -> Any:
        arguments, name = self._arguments(params.ref)
        known = {} if params.context is None else dict(params.context.arguments or {})

        async def propose(_context: Any) -> tuple[list[str], int]:
            return await arguments.values(params.argument.name, params.argument.value, known)

        values, total = await self._functions.value(context, params, "Completion of", name, propose)
        made = self._types.Completion(values=values, total=total, has_more=total > len(values))
        return self._types.CompleteResult(completion=made)

    def _arguments(self, ref: Any) -> tuple[TextArguments, str]:
        """The arguments that a reference leads to. Raises the SDK's MCPError where it leads nowhere."""
        if ref.type == "ref/prompt":
            found: Any = self._prompts.prompts.get(ref.name)
            name = ref.name
        else:
            found = self._resources.templates.get(ref.uri) or self._resources.resources.get(ref.uri)
            name = ref.uri
        if found is None:
            raise protocol_error(INVALID_PARAMS, f"There is nothing to complete under {name!r:.80}.")
        return found.arguments, name


def _block(content: str | Content) -> JsonObject:
    if isinstance(content, str):
        return {"type": "text", "text": content}
    return {"type": "text", "text": content.text} if content.kind == "text" else mcp_block(content)
