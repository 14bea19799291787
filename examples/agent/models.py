"""Models: for each provider's client one small function, which asks it for a streamed answer."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable
from typing import Any

from msgspec import Struct
from toolcast.agents import in_thread
from toolcast.agents.text_calls import TextAnswer

Model = Callable[[list[Any], bytes], Any]
"""(messages, definitions) → the stream of the answer, or an awaitable of it, as `run_tools` takes them."""


class AgentError(Exception):
    """What the user can set right; the text states how."""


class Endpoint(Struct, frozen=True, kw_only=True):
    """Which model is asked, where (None for the client's own address), and with which system prompt.

    `members` gives what a request takes beside its tools and concerns all of them, once there are tools: a
    strict mode of Gemini's and Cohere's. No other API here has such members.
    """

    model: str
    base_url: str | None
    system: str
    members: Callable[[], dict[str, Any]]

    @property
    def first(self) -> Any:
        """The system prompt as a message."""
        return {"role": "system", "content": self.system}


def openai(at: Endpoint) -> Model:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=at.base_url)
    return lambda messages, definitions: client.chat.completions.create(
        model=at.model,
        messages=[at.first, *messages],
        tools=json.loads(definitions),
        stream=True,
        stream_options={"include_usage": True},
    )


def openai_responses(at: Endpoint) -> Model:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=at.base_url)
    return lambda items, definitions: client.responses.create(
        model=at.model, instructions=at.system, input=items, tools=json.loads(definitions), stream=True
    )


def anthropic(at: Endpoint) -> Model:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(base_url=at.base_url)
    return lambda messages, definitions: client.messages.create(
        model=at.model,
        max_tokens=16_384,
        system=at.system,
        messages=messages,
        tools=json.loads(definitions),
        stream=True,
    )


def gemini(at: Endpoint) -> Model:
    from google import genai

    client = genai.Client(http_options={"base_url": at.base_url} if at.base_url else None)

    def ask(contents: list[Any], definitions: bytes) -> Any:
        tools = [{"function_declarations": json.loads(definitions)}]
        config: Any = {"system_instruction": at.system, "tools": tools, **at.members()}
        return client.aio.models.generate_content_stream(model=at.model, contents=contents, config=config)

    return ask


def bedrock(at: Endpoint) -> Model:
    """Its client blocks."""
    import boto3

    client = boto3.client("bedrock-runtime", endpoint_url=at.base_url)

    async def ask(messages: list[Any], definitions: bytes) -> Any:
        answer = await asyncio.to_thread(
            client.converse_stream,
            modelId=at.model,
            system=[{"text": at.system}],
            messages=messages,
            toolConfig={"tools": json.loads(definitions)},
        )
        return in_thread(answer["stream"])

    return ask


def mistral(at: Endpoint) -> Model:
    from mistralai.client import Mistral

    client = Mistral(api_key=os.environ["MISTRAL_API_KEY"], server_url=at.base_url)
    return lambda messages, definitions: client.chat.stream_async(
        model=at.model, messages=[at.first, *messages], tools=json.loads(definitions)
    )


def cohere(at: Endpoint) -> Model:
    from cohere import AsyncClientV2

    client = AsyncClientV2(base_url=at.base_url)
    return lambda messages, definitions: client.chat_stream(
        model=at.model, messages=[at.first, *messages], tools=json.loads(definitions), **at.members()
    )


def ollama(at: Endpoint) -> Model:
    from ollama import AsyncClient

    client = AsyncClient(host=at.base_url)
    return lambda messages, definitions: client.chat(
        model=at.model, messages=[at.first, *messages], tools=json.loads(definitions), stream=True
    )


def text(at: Endpoint) -> Model:
    """A model without tool calling, behind an API like OpenAI's; its system prompt says how to call."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=at.base_url)

    async def ask(messages: list[Any], instructions: bytes) -> AsyncGenerator[TextAnswer]:
        system: Any = {"role": "system", "content": f"{at.system}\n\n{instructions.decode()}"}
        async with await client.chat.completions.create(
            model=at.model, messages=[system, *messages], stream=True
        ) as stream:
            async for chunk in stream:
                for choice in chunk.choices[:1]:
                    yield TextAnswer(choice.delta.content or "", choice.finish_reason or "")

    return ask


class Provider(Struct, frozen=True):
    """A provider: its function, its client's package, a model, and the variables of which one has its key."""

    connect: Callable[[Endpoint], Model]
    package: str
    model: str
    keys: tuple[str, ...] = ()


_GEMINI = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI")
PROVIDERS = {
    "openai": Provider(openai, "openai", "gpt-5.4-mini", ("OPENAI_API_KEY",)),
    "openai-responses": Provider(openai_responses, "openai", "gpt-5.4-mini", ("OPENAI_API_KEY",)),
    "anthropic": Provider(anthropic, "anthropic", "claude-sonnet-5-5", ("ANTHROPIC_API_KEY",)),
    "gemini": Provider(gemini, "google-genai", "gemini-3-flash", _GEMINI),
    # Its client looks for credentials in many places.
    "bedrock": Provider(bedrock, "boto3", "anthropic.claude-sonnet-5-5-v1:0"),
    "mistral": Provider(mistral, "mistralai", "mistral-large-latest", ("MISTRAL_API_KEY",)),
    "cohere": Provider(cohere, "cohere", "command-a-03-2025", ("CO_API_KEY",)),
    "ollama": Provider(ollama, "ollama", "qwen3:8b"),
    "text": Provider(text, "openai", "some-base-model", ("OPENAI_API_KEY",)),
}


def connect(name: str, at: Endpoint) -> Model:
    """The model of a provider. Raises AgentError where a client, a key or a setting is missing."""
    provider = PROVIDERS[name]
    if provider.keys and not any(os.environ.get(key) for key in provider.keys):
        wanted = " or ".join(provider.keys)
        raise AgentError(f"Provider {name!r} needs {wanted}; any text does where the server asks for none.")
    try:
        return provider.connect(at)
    except ImportError as missing:
        raise AgentError(f"Provider {name!r} needs its client: pip install {provider.package}") from missing
    except Exception as problem:  # each client has exceptions of its own
        raise AgentError(f"The client of {name!r} refuses its settings: {in_words(problem)}") from problem


def in_words(problem: BaseException) -> str:
    """An exception, and what caused it: the message of a client often hides the cause."""
    causes: list[str] = []
    found: BaseException | None = problem
    while found is not None and len(causes) < 4:
        causes.append(f"{type(found).__name__} {str(found).partition(chr(10))[0][:300]}".strip(" ."))
        found = found.__cause__ or found.__context__
    return ", because of ".join(dict.fromkeys(causes))


def message(provider: str, role: str, words: str) -> dict[str, Any]:
    """A message of the "user" or the "assistant", as the provider has it."""
    if provider == "gemini":
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": words}]}
    return {"role": role, "content": [{"text": words}] if provider == "bedrock" else words}
