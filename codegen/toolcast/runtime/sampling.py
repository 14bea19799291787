"""Answers of a model that a handler asks for: that of whoever made the call."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from .errors import RefusalError
from .result import Content

_Role: TypeAlias = Literal["user", "assistant"]


class Message(Struct, frozen=True):
    """One message of a conversation.

    Attributes:
        role: "user" or "assistant".
        content: a text, or a piece: an image, audio, a resource.
    """

    role: _Role
    content: str | Content


class SamplingRequest(Struct, frozen=True, kw_only=True):
    """A conversation that a model is to continue.

    Attributes:
        messages: the conversation.
        max_tokens: most tokens of the answer.
        system: the system prompt; "" for none.
        temperature: randomness of the answer; None for the model's own.
        stop: texts at which the answer ends.
        models: names of models, or parts of them, the preferred first; whoever is asked decides.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    system: str = ""
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class Sampled(Struct, frozen=True):
    """A model's answer: a stranger's text, whose instructions are not the program's.

    Attributes:
        text: the text; "" if the answer is an image or audio.
        model: name of the model.
        stop_reason: why it ended: `endTurn`, `stopSequence`, `maxTokens`, another word, or "".
        content: the image or audio; None if the answer is text.
    """

    text: str
    model: str = ""
    stop_reason: str = ""
    content: Content | None = None


Sampler: TypeAlias = Callable[[SamplingRequest], Sampled | Awaitable[Sampled]]
"""Whoever asks the model. A plain one must not block."""


async def sample(sampler: Sampler | None, tool: str, request: SamplingRequest) -> Sampled:
    """Ask the model of whoever made the call, by `sampler`; `tool` is for messages. Raises RefusalError where
    there is no model to ask, ValueError for a request without a message or a token, and TypeError for an
    answer that is not `Sampled`.
    """
    if not request.messages or request.max_tokens < 1:
        raise ValueError("sample() needs a message, and max_tokens of at least 1")
    if sampler is None:
        raise RefusalError(
            f"Tool {tool!r} needs an answer of a model, and whoever made the call offers none. Do its work "
            "yourself, or tell the user."
        )
    outcome = sampler(request)
    answer = await outcome if isinstance(outcome, Awaitable) else outcome
    if not isinstance(answer, Sampled):
        raise TypeError(f"a sampler must return Sampled, not {type(answer).__name__}")
    return answer


def request(**fields: Any) -> SamplingRequest:
    """Make a request, whose messages may be a text of the user. Raises TypeError."""
    if isinstance(fields["messages"], str):
        fields["messages"] = [Message("user", fields["messages"])]
    try:
        return msgspec.convert(fields, SamplingRequest)
    except msgspec.ValidationError as problem:
        raise TypeError(f"sample(): {problem}") from None
