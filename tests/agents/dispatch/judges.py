"""What the official clients' types say to messages, and their objects for answers and events."""

import warnings
from collections.abc import Callable
from typing import Any

Load = Callable[[str], Any]
Judge = Callable[[dict[str, Any]], None]
"""Raises for a message that the client's types refuse."""


def _typed_dict(load: Load, *names: str) -> Judge:
    """A message is one of these TypedDicts, with no key that it lacks."""
    pydantic = load("pydantic")
    adapters = []
    for name in names:
        module, _, kind = name.rpartition(".")
        adapters.append(pydantic.TypeAdapter(getattr(load(module), kind)))

    def judge(message: dict[str, Any]) -> None:
        problems = []
        for adapter in adapters:
            try:
                _exhaust(adapter.validate_python(message, strict=True, extra="forbid"))
            except pydantic.ValidationError as problem:
                problems.append(str(problem))
            else:
                return
        raise AssertionError("\n".join(problems))

    return judge


def _exhaust(value: Any) -> None:
    """pydantic looks at an Iterable's items only when they are asked for."""
    if isinstance(value, dict):
        for part in value.values():
            _exhaust(part)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for part in value:
            _exhaust(part)


def _model(load: Load, *names: str, by: str = "role", roles: tuple[str, ...] = ()) -> Judge:
    models = []
    for name in names:
        module, _, kind = name.rpartition(".")
        models.append(getattr(load(module), kind))

    def judge(message: dict[str, Any]) -> None:
        model = models[roles.index(message[by])] if roles else models[0]
        model.model_validate(message, extra="forbid")

    return judge


def _bedrock(load: Load) -> Judge:
    session, validate = load("botocore.session"), load("botocore.validate")
    shape = session.get_session().get_service_model("bedrock-runtime").shape_for("Message")

    def judge(message: dict[str, Any]) -> None:
        report = validate.ParamValidator().validate(message, shape)
        assert not report.has_errors(), report.generate_report()

    return judge


def _ollama(load: Load) -> Judge:
    copied = load("ollama._client")._copy_messages  # what `chat` does with each message first

    def judge(message: dict[str, Any]) -> None:
        (read,) = copied([message])
        assert (read.content or "") == message.get("content", "")
        assert read.tool_name == message.get("tool_name")
        # Serialising looks at the images.
        sent = read.model_dump(exclude_none=True, by_alias=True)
        assert sent.get("images") == message.get("images")

    return judge


def judge_of(format: str, load: Load) -> Judge:
    if format == "openai":
        chat = "openai.types.chat"
        return _typed_dict(
            load,
            f"{chat}.ChatCompletionToolMessageParam",
            f"{chat}.ChatCompletionAssistantMessageParam",
            f"{chat}.ChatCompletionFunctionMessageParam",
        )
    if format == "openai-responses":
        items = "openai.types.responses"
        return _typed_dict(
            load,
            f"{items}.response_input_item_param.FunctionCallOutput",
            f"{items}.response_input_item_param.Program",
            f"{items}.response_input_item_param.ProgramOutput",
            f"{items}.ResponseCustomToolCallOutputParam",
            f"{items}.ResponseCustomToolCallParam",
            f"{items}.ResponseFunctionToolCallParam",
            f"{items}.ResponseReasoningItemParam",
            f"{items}.ResponseOutputMessageParam",
        )
    if format == "anthropic":
        return _typed_dict(load, "anthropic.types.MessageParam")
    if format == "gemini":
        return _model(load, "google.genai.types.Content")
    if format == "bedrock":
        return _bedrock(load)
    if format == "mistral":
        models = "mistralai.client.models"
        return _model(
            load, f"{models}.ToolMessage", f"{models}.AssistantMessage", roles=("tool", "assistant")
        )
    if format == "cohere":
        kinds = "cohere.types.chat_message_v2"
        return _model(
            load, f"{kinds}.ToolChatMessageV2", f"{kinds}.AssistantChatMessageV2", roles=("tool", "assistant")
        )
    if format == "ollama":
        return _ollama(load)
    return _model(load, "mcp_types.CallToolResult")


OBJECTS = {
    "openai": "openai.types.chat.ChatCompletion",
    "openai-responses": "openai.types.responses.Response",
    "anthropic": "anthropic.types.Message",
    "gemini": "google.genai.types.GenerateContentResponse",
    "mistral": "mistralai.client.models.ChatCompletionResponse",
    "cohere": "cohere.v2.types.v2chat_response.V2ChatResponse",
    "ollama": "ollama.ChatResponse",
}
EVENTS = {
    "openai": "openai.types.chat.ChatCompletionChunk",
    "openai-responses": "openai.types.responses.ResponseStreamEvent",
    "anthropic": "anthropic.types.RawMessageStreamEvent",
    "gemini": "google.genai.types.GenerateContentResponse",
    "cohere": "cohere.v2.types.v2chat_stream_response.V2ChatStreamResponse",
    "ollama": "ollama.ChatResponse",
}


def as_object(format: str, answer: dict[str, Any], load: Load) -> Any:
    """An answer as the official client hands it out; boto3 hands out dicts."""
    if format not in OBJECTS:
        return answer
    return _read(OBJECTS[format], answer, load)


def as_event(format: str, event: dict[str, Any], load: Load) -> Any:
    """An event of a stream as the official client hands it out."""
    if format == "mistral":
        models = load("mistralai.client.models")
        return models.CompletionEvent(data=models.CompletionChunk.model_validate(event))
    return _read(EVENTS[format], event, load) if format in EVENTS else event


def _read(name: str, value: dict[str, Any], load: Load) -> Any:
    module, _, kind = name.rpartition(".")
    found = getattr(load(module), kind)
    if name.startswith(("openai", "anthropic")):
        # As those clients do it: nothing is refused, whatever the server sends.
        return load(f"{name.partition('.')[0]}._models").construct_type(type_=found, value=value)
    if name.startswith("cohere"):
        with warnings.catch_warnings():  # it uses what pydantic gives another name now
            warnings.simplefilter("ignore", DeprecationWarning)
            return load("cohere.core.unchecked_base_model").construct_type(type_=found, object_=value)
    return found.model_validate(value)
