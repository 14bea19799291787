"""What each official client says to a tool object, judged by its own types: unknown keys are refused, and
nothing that was given may be lost. A finding is one string."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

Load = Callable[[str], Any]
Judge = Callable[[dict[str, Any]], list[str]]


def _validated(validate: Callable[[Any], Any], given: Any) -> list[str]:
    try:
        validate(given)
    except Exception as refusal:  # pydantic's and botocore's errors share no base
        return [f"{type(refusal).__name__}: {refusal}"]
    return []


def _round_trip(validate: Callable[[Any], Any], given: dict[str, Any]) -> list[str]:
    """Accepted by a pydantic model that forbids nothing, and given back as it was: no key was ignored."""
    try:
        back = validate(given).model_dump(mode="json", by_alias=True, exclude_unset=True)
    except Exception as refusal:
        return [f"{type(refusal).__name__}: {refusal}"]
    return [] if back == given else [f"comes back as {back}"]


def openai_chat(load: Load) -> Judge:
    types, pydantic = load("openai.types.chat"), load("pydantic")
    adapter = pydantic.TypeAdapter(types.ChatCompletionFunctionToolParam)
    return lambda tool: _validated(lambda v: adapter.validate_python(v, strict=True, extra="forbid"), tool)


def openai_responses(load: Load) -> Judge:
    types, pydantic = load("openai.types.responses"), load("pydantic")
    adapter = pydantic.TypeAdapter(types.FunctionToolParam)
    return lambda tool: _validated(lambda v: adapter.validate_python(v, strict=True, extra="forbid"), tool)


def anthropic(load: Load) -> Judge:
    module, pydantic = load("anthropic.types.tool_param"), load("pydantic")
    adapter = pydantic.TypeAdapter(module.ToolParam)
    schema = pydantic.TypeAdapter(module.InputSchemaTyped)

    def judge(tool: dict[str, Any]) -> list[str]:
        found = _validated(lambda v: adapter.validate_python(v, strict=True, extra="forbid"), tool)
        # A tool's type takes any dictionary for a schema; the schema's own type does not.
        return found + _validated(lambda v: schema.validate_python(v, strict=True), tool["input_schema"])

    return judge


def google(load: Load) -> Judge:
    types = load("google.genai.types")
    return lambda tool: _validated(
        lambda v: types.Tool.model_validate({"function_declarations": [v]}, extra="forbid"), tool
    )


def mcp(load: Load, revision: str = "") -> Judge:
    """By the wire types of one revision of the protocol, the latest if none is named."""
    types, methods, version = load("mcp.types"), load("mcp_types.methods"), load("mcp_types.version")
    revision = revision or version.LATEST_MODERN_VERSION

    def judge(tool: dict[str, Any]) -> list[str]:
        answer: dict[str, Any] = {"tools": [tool]}
        if revision in version.MODERN_PROTOCOL_VERSIONS:
            answer |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        wire = _validated(lambda v: methods.validate_server_result("tools/list", revision, v), answer)
        return _round_trip(types.Tool.model_validate, tool) + wire

    return judge


def bedrock(load: Load) -> Judge:
    loaders, model, validate = (load(f"botocore.{name}") for name in ("loaders", "model", "validate"))
    service = model.ServiceModel(loaders.Loader().load_service_model("bedrock-runtime", "service-2"))
    shape = service.shape_for("ToolConfiguration")
    name = service.shape_for("ToolName")
    validator = validate.ParamValidator()

    def judge(tool: dict[str, Any]) -> list[str]:
        report = validator.validate({"tools": [tool]}, shape)
        found = [report.generate_report()] if report.has_errors() else []
        # botocore leaves a name's bounds to the service, though its model states them.
        given, rule = str(tool["toolSpec"]["name"]), name.metadata
        fits = re.fullmatch(rule["pattern"], given) and len(given) <= rule["max"]
        return found if fits else [*found, f"the name {given!r} is not one of {rule}"]

    return judge


def mistral(load: Load) -> Judge:
    tool_type = load("mistralai.client.models").Tool
    return lambda tool: _validated(lambda v: tool_type.model_validate(v, extra="forbid"), tool)


def cohere(load: Load) -> Judge:
    tool_type = load("cohere.types.tool_v2").ToolV2
    return lambda tool: _validated(lambda v: tool_type.model_validate(v, extra="forbid"), tool)


def ollama(load: Load) -> Judge:
    tool_type = load("ollama").Tool
    return lambda tool: _validated(tool_type.model_validate, tool)


def revision_of(provider: str) -> str:
    """The protocol revision in a profile's name, if there is one."""
    found = re.search(r"[0-9]{4}-[0-9]{2}-[0-9]{2}$", provider)
    return found[0] if found else ""


OWN: dict[str, tuple[Callable[[Load], Judge], ...]] = {
    "mistral": (mistral,),
    "cohere": (cohere,),
    "ollama": (ollama, openai_chat),
}
"""Profiles whose providers have clients of their own, for the shape that others use, too."""


def judges_of(provider: str, envelope: dict[str, Any]) -> tuple[Callable[[Load], Judge], ...]:
    """Which clients read tool objects of this shape."""
    if provider in OWN:
        return OWN[provider]
    if "function" in envelope:
        return (openai_chat,)
    for key, judge in (
        ("toolSpec", bedrock),
        ("inputSchema", partial(mcp, revision=revision_of(provider))),
        ("input_schema", anthropic),
        ("type", openai_responses),
        ("parameters", google),
        ("parametersJsonSchema", google),
    ):
        if key in envelope:
            return (judge,)
    return ()
