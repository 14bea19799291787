"""A registry as a toolset of pydantic-ai.

from toolcast.bridges.pydantic_ai import RegistryToolset, exact_schemas

agent = Agent(OpenAIChatModel("gpt-5.4-mini", profile=exact_schemas), toolsets=[RegistryToolset(registry)])
"""

from collections.abc import Collection
from copy import deepcopy
from typing import Any

import msgspec

from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.definitions import BUILT_IN
from ..runtime.errors import ArgumentError, CallDeferred, RetryError, UnknownProviderError
from ..runtime.middleware.policy import ApprovalRequest
from ..runtime.result import ToolResult, structured, words
from ..runtime.snapshot import Snapshot
from ..runtime.view import ToolView
from .frameworks import definition_parts, load

_REQUIREMENT = "pydantic-ai-slim>=2.68"
_exceptions = load("pydantic_ai.exceptions", _REQUIREMENT)
_messages = load("pydantic_ai.messages", _REQUIREMENT)
_tools = load("pydantic_ai.tools", _REQUIREMENT)
_toolsets = load("pydantic_ai.toolsets.abstract", _REQUIREMENT)
_AbstractToolset: Any = _toolsets.AbstractToolset

# What a handler of a bridged registry may raise for the framework.
_PASSES = (
    CallDeferred,
    RetryError,
    _exceptions.CallDeferred,
    _exceptions.ApprovalRequired,
    _exceptions.ModelRetry,
    _exceptions.ToolFailed,
)

_ANY = ("mcp", "anthropic", *sorted(BUILT_IN))
"""Providers for a model that sends definitions nowhere; those of the first are nearest to the contract."""
_BY_CLASS: dict[str, tuple[str, ...]] = {
    "OpenAIResponsesModel": ("openai-responses", "openai"),
    "AnthropicModel": ("anthropic",),
    # GoogleModel sends JSON Schema (`parametersJsonSchema`).
    "GoogleModel": ("gemini-json-schema", "gemini"),
    "BedrockConverseModel": ("bedrock",),
    "CohereModel": ("cohere",),
    "GroqModel": ("groq", "openai"),
    "MistralModel": ("mistral",),
    "XaiModel": ("xai", "openai"),
    "TestModel": _ANY,
    "FunctionModel": _ANY,
}
"""For each class of models, the providers whose definitions fit it, the best first."""
_BY_SYSTEM: dict[str, tuple[str, ...]] = {
    "openai": ("openai",),
    "azure": ("azure-openai", "openai"),
    "deepseek": ("deepseek", "openai-nonstrict", "openai"),
    "groq": ("groq", "openai"),
    "moonshotai": ("moonshot", "openai-nonstrict", "openai"),
    "ollama": ("ollama", "openai-nonstrict", "openai"),
    "vllm": ("vllm-xgrammar", "openai-nonstrict", "openai"),
    "xai": ("xai", "openai"),
}
"""The same for models that speak OpenAI's chat completions, by the system that answers."""


class UnknownModelError(LookupError):
    """No provider is known to fit a model."""


class RegistryToolset(_AbstractToolset):  # type: ignore[misc]  # the framework comes untyped
    """The tools of a registry, or of a selection, for an agent of pydantic-ai.

    The definitions are those of the model in use. Arguments that do not fit are a retry with the registry's
    text; every other failure is a failed result, which counts as no retry. A call that the policy asks about
    is deferred with `ApprovalRequired`, unless the policy has an approver of its own; one of an external tool
    with `CallDeferred`, once the policy lets it run. Handlers find the run's dependencies in
    `context.extra["deps"]`, and may raise `CallDeferred`, `ApprovalRequired`, `ModelRetry` and `ToolFailed`;
    `RetryError` is a `ModelRetry`.
    """

    def __init__(
        self,
        registry: ToolView,
        *,
        provider: str | None = None,
        id: str | None = None,
        max_retries: int | None = None,
        sequential: Collection[str] = (),
    ) -> None:
        """Make a toolset. It follows later registrations.

        Args:
            registry: a registry or a selection.
            provider: id of the provider of the definitions; None for that of the model in use.
            id: id of the toolset, for pydantic-ai.
            max_retries: retries of a tool with arguments that do not fit, or with a handler that asks for
                another call; None for the agent's own number.
            sequential: names of tools that run alone, beside those with `parallel: false` in their specs.
        """
        self.registry = registry
        self.provider = provider
        self.max_retries = max_retries
        self._id = id
        self._sequential = frozenset(sequential)
        self._made: tuple[Snapshot, dict[str, JsonObject]] | None = None

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    async def get_tools(self, ctx: Any) -> JsonObject:
        """Return the tools for the model of a run, as pydantic-ai asks for them.

        Args:
            ctx: the run's context.

        Returns:
            A `ToolsetTool` by name.

        Raises:
            UnknownModelError: no `provider` was given, and this bridge does not know the model.
            UnknownProviderError: nothing was generated for the provider.
        """
        provider = self.provider or provider_of(ctx.model, self.registry)
        retries = ctx.max_retries if self.max_retries is None else self.max_retries
        return {
            name: _toolsets.ToolsetTool(
                toolset=self,
                tool_def=definition,
                max_retries=retries,
                args_validator=_Arguments(self.registry, name, provider),
            )
            for name, definition in self._definitions(provider).items()
        }

    async def call_tool(self, name: str, tool_args: JsonObject, ctx: Any, tool: Any) -> Any:
        """Carry out a call, as pydantic-ai asks for it.

        Args:
            name: name of the tool.
            tool_args: its arguments in the contract's form, as the validator of `get_tools` gave them.
            ctx: the context of the call.
            tool: a value of `get_tools`.

        Returns:
            Text, JSON data, or a list of these with binary content.

        Raises:
            ApprovalRequired: the policy or the handler asks for somebody's approval of this call.
            CallDeferred: the tool is external, or its handler defers the call.
            ModelRetry: the handler asks for another call.
            ToolFailed: the call failed.
        """
        del tool
        context = ToolContext(
            call_id=ctx.tool_call_id or "",
            extra={"deps": ctx.deps, "run_context": ctx},
            framework=Framework(
                approved=ctx.tool_call_approved, approver=_defer, passes=_PASSES, attempt=ctx.retry + 1
            ),
        )
        try:
            result = await self.registry.execute(name, tool_args, context=context)
        except CallDeferred as problem:
            kind = _exceptions.ApprovalRequired if problem.kind == "approval" else _exceptions.CallDeferred
            raise kind(metadata={"text": problem.text}) from None
        except RetryError as problem:  # counted by the agent
            raise _exceptions.ModelRetry(str(problem)) from None
        if not result.success:
            raise _exceptions.ToolFailed(words(result))
        return _returned(result)

    def _definitions(self, provider: str) -> JsonObject:
        snapshot = self.registry.snapshot()
        made = self._made
        if made is None or made[0] is not snapshot:
            made = self._made = (snapshot, {})
        known = made[1].get(provider)
        if known is None:
            entries = snapshot.entries.values()
            listed = [self._definition(entry.binding, provider) for entry in entries]
            known = made[1][provider] = {each.name: each for each in listed}
        return known

    def _definition(self, binding: AnyBinding, provider: str) -> Any:
        parts = definition_parts(binding, provider)
        return _tools.ToolDefinition(
            name=binding.name,
            description=parts.description,
            parameters_json_schema=_GeneratedSchema(parts.schema),
            strict=bool(parts.strict),
            sequential=not binding.parallel or binding.name in self._sequential,
            metadata={
                "group": binding.group,
                "permission": binding.permission,
                "annotations": dict(binding.annotations),
                "provider": provider,
            },
        )


class _GeneratedSchema(JsonObject):
    """A schema that was generated for the model's provider: `exact_schemas` sends it as it is."""


class _Arguments:
    def __init__(self, registry: ToolView, name: str, provider: str) -> None:
        self._registry = registry
        self._name = name
        self._provider = provider

    def validate_json(self, input: str | bytes | bytearray, **_: object) -> JsonObject:
        """Return the arguments in the contract's form. Raises ModelRetry, with the text for the model."""
        return self._validated(bytes(input) if isinstance(input, bytearray) else input)

    def validate_python(self, input: object, **_: object) -> JsonObject:
        return self._validated(input)

    def _validated(self, arguments: Any) -> JsonObject:
        binding = self._registry.get(self._name).binding if self._name in self._registry else None
        if binding is not None and binding.inject:  # the call itself adds what the program fills in
            try:
                return binding.decode_offered(arguments, self._provider, self._registry.guesses)
            except ArgumentError as problem:
                raise _exceptions.ModelRetry(self._registry.redact(str(problem))) from None
        preview = self._registry.preview(self._name, arguments, self._provider)
        if preview.error:
            raise _exceptions.ModelRetry(preview.error)
        encoded = self._registry.get(self._name).binding.encode(preview.params)
        plain: JsonObject = msgspec.json.decode(encoded)
        return plain


def exact_schemas(profile: Any) -> Any:
    """Let a model send generated schemas as they are.

    Without it pydantic-ai rewrites them once more: for OpenAI it moves lengths into descriptions, for Google
    it drops formats and bounds. Schemas of other tools and of outputs are rewritten as before.

        OpenAIChatModel("gpt-5.4-mini", profile=exact_schemas)

    Args:
        profile: the model's profile; pydantic-ai passes it.

    Returns:
        The profile with another transformer.
    """
    transformer: Any = profile.get("json_schema_transformer")
    if transformer is None:
        return profile

    def walk(self: Any) -> Any:
        if isinstance(self.schema, _GeneratedSchema):
            return _GeneratedSchema(deepcopy(dict(self.schema)))
        return transformer.walk(self)

    exact = type(f"Exact{transformer.__name__}", (transformer,), {"walk": walk})
    return {**profile, "json_schema_transformer": exact}


def provider_of(model: Any, registry: ToolView) -> str:
    """Find the provider with definitions for a model, among those that the tools were generated for.

    Args:
        model: a model of pydantic-ai.
        registry: the tools.

    Returns:
        The id of the provider.

    Raises:
        UnknownModelError: this bridge does not know the model.
        UnknownProviderError: nothing was generated for the model's provider.
    """
    while hasattr(model, "wrapped"):
        model = model.wrapped
    if hasattr(model, "models"):  # a FallbackModel: one definition goes to all of them
        found = {provider_of(each, registry) for each in model.models}
        if len(found) == 1:
            return found.pop()
        raise UnknownModelError(
            f"The models of {type(model).__name__} need definitions of several providers: "
            f"{', '.join(sorted(found))}. Name one: RegistryToolset(registry, provider=…)."
        )
    wanted = _wanted(model)
    names = registry.names
    if not names:
        return wanted[0]
    binding = registry.get(names[0]).binding
    for provider in wanted:
        try:
            binding.definition(provider)
        except UnknownProviderError:
            continue
        return provider
    raise UnknownProviderError(
        f"Nothing was generated for {' or '.join(wanted[:3])}, which {type(model).__name__} needs. Add it to "
        "`providers` and generate, or name another one: RegistryToolset(registry, provider=…)."
    )


def _wanted(model: Any) -> tuple[str, ...]:
    for each in type(model).__mro__:
        if each.__name__ in _BY_CLASS:
            return _BY_CLASS[each.__name__]
        if each.__name__ == "OpenAIChatModel" and model.system in _BY_SYSTEM:
            return _BY_SYSTEM[model.system]
    raise UnknownModelError(
        f"It is not known which provider's definitions {type(model).__name__} ({model.system}) needs. Name "
        "one: RegistryToolset(registry, provider='openai')."
    )


async def _defer(request: ApprovalRequest) -> Any:
    """Approve nothing, so that pydantic-ai asks."""
    raise _exceptions.ApprovalRequired(
        metadata={
            "summary": request.summary,
            "permission": request.permission,
            "call": str(request.shape or ""),
            "words": request.words,
        }
    )


def _returned(result: ToolResult) -> Any:
    """Return data where it is the text, so that each model gets its own form, and content beside it."""
    value = structured(result)
    first = result.output if value is msgspec.UNSET else value
    if not result.content:
        return first
    pieces = [
        piece.text
        if piece.kind == "text"
        else _messages.BinaryContent(data=piece.data, media_type=piece.media_type)
        for piece in result.content
    ]
    return [*([first] if first != "" else []), *pieces]
