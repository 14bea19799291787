"""The first examples of the README, with the official clients, sync and async, against a loopback server."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolRegistry

from generated.files.edit import EDIT
from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.clients.conftest import Client
from tests.examples.test_examples import serving

README = Path(__file__).resolve().parents[2] / "README.md"
ARGUMENTS = {"file_path": "/a", "old_string": "x", "new_string": "y"}
ASYNC, SYNC = "async", "sync"


def examples() -> tuple[str, str]:
    """The example for OpenAI's client, without an event loop, and that for Anthropic's, with one."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (first,) = (block for block in blocks if "OpenAI" in block)
    (second,) = (block for block in blocks if "AsyncAnthropic" in block)
    return first, second


def changed(code: str, *changes: tuple[str, str]) -> str:
    """The code with each change made; every one of them must apply."""
    for before, after in changes:
        assert before in code
        code = code.replace(before, after)
    return code


def variant(provider: str, kind: str) -> str:
    """The README's code for one client: as it stands there, or with the other kind of the same client."""
    first, second = examples()
    start = first.index("client = ")
    setup = first[:start].replace("from openai import OpenAI\n", "")
    if provider == "anthropic" and kind == ASYNC:
        return setup + second
    if provider == "anthropic":
        return setup + changed(
            second,
            ("AsyncAnthropic", "Anthropic"),
            ("await dispatcher.run(", "dispatcher.run_sync("),
            ("await ", ""),
            ("async def", "def"),
            ("asyncio.run(main())", "main()"),
        )
    if kind == SYNC:
        return first
    body = changed(
        first[start:],
        ("OpenAI", "AsyncOpenAI"),
        ("client.chat", "await client.chat"),
        ("dispatcher.run_sync(", "await dispatcher.run("),
    )
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    head = f"import asyncio\nfrom openai import AsyncOpenAI\n{setup}"
    return f"{head}\nasync def main():\n{lines}\n\nasyncio.run(main())\n"


@pytest.mark.parametrize("kind", [SYNC, ASYNC])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_first_example_runs(
    provider: str, kind: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client(provider)
    call = Asked(id_for(provider, 0), "edit", json.dumps({**ARGUMENTS, "replace_all": None}))
    first, second = (json.dumps(ANSWERS[provider](calls)).encode() for calls in ([call], []))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "k")
    code = compile(variant(provider, kind), str(README), "exec")
    with serving(first, second, "application/json") as (url, requests):
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", url)
        exec(code, {"__name__": "__main__"})
    assert len(requests) == 2
    for request in requests:
        assert request["tools"] == [json.loads(EDIT.definition(provider))]
    sent = json.dumps(requests[1]["messages"])
    assert "edited /a" in sent
    assert id_for(provider, 0) in sent


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
