"""Questions for a client: a form, a page to visit, a conversation for its model; and what it answers."""

import uuid
from collections.abc import Mapping
from typing import Any

from ...hidden_characters import without_hidden
from ...runtime.elicitation import ElicitationRequest, Elicited
from ...runtime.errors import RefusalError
from ...runtime.result import Content
from ...runtime.sampling import Message, Sampled, SamplingRequest
from ..sdk import load

_SHOWN = 300
"""Characters of a client's words that a refusal repeats."""


def can_ask(capabilities: Any) -> bool:
    """Whether a client asks its user. What a form or a page needs is looked at when one is sent."""
    return capabilities is not None and capabilities.elicitation is not None


def can_sample(capabilities: Any) -> bool:
    """Whether a client asks its model."""
    return capabilities is not None and capabilities.sampling is not None


def elicitation(request: ElicitationRequest, capabilities: Any) -> Any:
    """The SDK's request. Raises RefusalError where the client does not have what it needs."""
    types, has = load("mcp.types"), capabilities.elicitation
    if request.url:
        if has.url is None:
            raise RefusalError(
                "The client cannot ask its user to visit a page. Tell the user so; another client is needed."
            )
        params = types.ElicitRequestURLParams(
            message=request.message, url=request.url, elicitation_id=uuid.uuid4().hex
        )
    elif has.form is None and has.url is not None:  # a client that names neither takes forms
        raise RefusalError("The client takes no forms. Tell the user so; another client is needed.")
    else:
        params = types.ElicitRequestFormParams(message=request.message, requested_schema=dict(request.schema))
    return types.ElicitRequest(params=params)


def elicited(answer: Any) -> Elicited[Mapping[str, Any]]:
    """What the user answered. Raises RefusalError for an answer to another question."""
    if not isinstance(answer, load("mcp.types").ElicitResult):
        raise _unreadable()
    return Elicited(answer.action, answer.content or {})


def sampling(request: SamplingRequest) -> Any:
    """The SDK's request. Raises ValueError for content that a sampling message cannot have."""
    types = load("mcp.types")
    hints = [types.ModelHint(name=name) for name in request.models]
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[_message(message) for message in request.messages],
            max_tokens=request.max_tokens,
            system_prompt=request.system or None,
            temperature=request.temperature,
            stop_sequences=list(request.stop) or None,
            model_preferences=types.ModelPreferences(hints=hints) if hints else None,
        )
    )


def sampled(answer: Any) -> Sampled:
    """What the model answered. Raises RefusalError for what is none."""
    if not isinstance(answer, load("mcp.types").CreateMessageResult):
        raise _unreadable()
    piece, reason = answer.content, answer.stop_reason or ""
    if piece.type == "text":
        return Sampled(piece.text, answer.model, reason)
    if piece.type not in ("image", "audio"):
        raise _unreadable()
    try:
        content = Content.from_base64(piece.type, piece.data, piece.mime_type)
    except ValueError as problem:
        raise RefusalError(f"The client's model answered with a broken {piece.type}: {problem}") from None
    return Sampled("", answer.model, reason, content)


def unanswered(problem: Exception) -> RefusalError:
    """A question that the client refused, or answered with what the protocol does not have."""
    words = getattr(problem, "message", "")
    if not isinstance(problem, load("mcp.shared.exceptions").MCPError) or not isinstance(words, str):
        return _unreadable()
    shown = without_hidden(words)[:_SHOWN]
    return RefusalError(f"The client did not answer the question of this tool: {shown}")


def _unreadable() -> RefusalError:
    return RefusalError("The client's answer to the question of this tool is not one. Tell the user.")


def _message(message: Message) -> Any:
    types, piece = load("mcp.types"), message.content
    if isinstance(piece, str):
        content = types.TextContent(type="text", text=piece)
    elif piece.kind == "text":
        content = types.TextContent(type="text", text=piece.text)
    elif piece.kind == "image":
        content = types.ImageContent(type="image", data=piece.base64, mime_type=piece.media_type)
    elif piece.kind == "audio":
        content = types.AudioContent(type="audio", data=piece.base64, mime_type=piece.media_type)
    else:
        raise ValueError(f"a model is sent texts, images and audio, not a piece of kind {piece.kind!r}")
    return types.SamplingMessage(role=message.role, content=content)
