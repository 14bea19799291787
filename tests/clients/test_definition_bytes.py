"""Official clients refuse the bytes of definitions, which are for HTTP bodies, with an error that helps."""

import asyncio
from typing import Any

import pytest
from toolcast.runtime import ToolRegistry

from generated.files.edit import EDIT
from tests.clients.conftest import Client

ASYNC, SYNC = "async", "sync"


@pytest.mark.parametrize("kind", [SYNC, ASYNC])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_bytes_of_definitions_never_go_out_as_numbers(provider: str, kind: str, client: Client) -> None:
    """What a person tries first. OpenAI's client would take it, and send a list of numbers."""
    registry = ToolRegistry()
    registry.register(EDIT, lambda params, context: "ok")  # noqa: ARG005
    tools: Any = registry.definitions(provider)
    library = client(provider)
    name = {"openai": "OpenAI", "anthropic": "Anthropic"}[provider]
    made = getattr(library, ("Async" if kind == ASYNC else "") + name)(
        api_key="k", base_url="http://127.0.0.1:9/", max_retries=0
    )
    endpoint = made.chat.completions if provider == "openai" else made.messages
    options: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}
    if provider == "anthropic":
        options["max_tokens"] = 5

    async def awaited() -> None:
        await endpoint.create(**options)

    with pytest.raises(TypeError, match=r"definition_objects\(\)|DefinitionBytes is not JSON serializable"):
        asyncio.run(awaited()) if kind == ASYNC else endpoint.create(**options)
