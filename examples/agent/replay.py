"""Recordings: questions and streamed answers as JSON lines, to play without a model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing
from inspect import isawaitable
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct
from toolcast.agents.text_calls import TextAnswer

from .models import PROVIDERS, AgentError, Model


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line: a question of the user, or the chunks of an answer and the provider that they are of."""

    question: str = ""
    provider: str = ""
    answer: list[Any] | None = None

    def append_to(self, file: IO[bytes]) -> None:
        """Write the line. The chunks of clients are models of pydantic, or plain data."""

        def plain(chunk: Any) -> Any:
            return chunk.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)

        file.write(msgspec.json.encode(self, enc_hook=plain) + b"\n")
        file.flush()


def read_recording(path: Path) -> Sequence[Line]:
    """The lines of a recording. Raises AgentError for a file that is none."""
    try:
        lines = [msgspec.json.decode(line, type=Line) for line in path.read_bytes().splitlines()]
    except (OSError, msgspec.MsgspecError, UnicodeError) as problem:
        raise AgentError(f"{path} is no recording: {problem}") from problem
    providers = {line.provider for line in lines if line.answer is not None}
    if len(providers) != 1 or not providers <= PROVIDERS.keys():
        raise AgentError(f"{path} must have answers, all of one provider that is known: {sorted(providers)}")
    return lines


def replay(lines: Sequence[Line], provider: str) -> Model:
    """A model that gives the recorded answers, one after another, whatever it is asked."""
    answers = iter([line.answer for line in lines if line.answer is not None])

    async def ask(_: list[Any], __: bytes) -> AsyncGenerator[Any]:
        answer = next(answers, None)
        if answer is None:
            raise AgentError("the recording has no further answer")
        for chunk in answer:
            yield msgspec.convert(chunk, TextAnswer) if provider == "text" else chunk

    return ask


def record(model: Model, provider: str, file: IO[bytes]) -> Model:
    """The same model; each answer is written to the file when it is whole."""

    async def ask(messages: list[Any], definitions: bytes) -> AsyncGenerator[Any]:
        made = model(messages, definitions)
        stream = await made if isawaitable(made) else made
        chunks: list[Any] = []
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(stream if hasattr(stream, "__aexit__") else aclosing(stream))
            async for chunk in stream:
                chunks.append(chunk)
                yield chunk
        Line(provider=provider, answer=chunks).append_to(file)

    return ask
