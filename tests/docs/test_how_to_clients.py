"""The how-to pages of the providers' clients: the official clients ask a server on loopback."""

import json
from pathlib import Path

import pytest

from tests.clients.conftest import Client
from tests.docs.model_server import RESULT, ModelServer
from tests.docs.pages import DOCS, blocks, run_page
from tests.sampled import sampled

PAGES = {
    "anthropic": "anthropic",
    "bedrock": "boto3",
    "cohere": "cohere",
    "gemini": "google.genai",
    "mistral": "mistralai.client",
    "ollama": "ollama",
    "openai": "openai",
    "openai-responses": "openai",
}


@pytest.mark.parametrize("page", sampled(sorted(PAGES), ("anthropic", "openai")))
def test_the_model_calls_the_tool_and_answers(
    page: str, client: Client, project: Path, model_server: ModelServer
) -> None:
    client(PAGES[page])
    path = DOCS / f"how-to/{page}.md"
    run_page(path, project, environment=model_server.environment)
    programs = sum(block.language == "python" for block in blocks(path))
    assert [format for format, _ in model_server.requests] == [page] * 2 * programs
    texts = [json.dumps(body) for _, body in model_server.requests]
    assert all("forecast" in text for text in texts)
    assert [RESULT in text for text in texts] == [False, True] * programs


def test_every_page_of_a_client_is_run() -> None:
    """A page whose programs name a provider's format is in the list above."""
    named = {
        path.stem
        for path in (DOCS / "how-to").glob("*.md")
        if f'format="{path.stem}"' in path.read_text("utf-8")
    }
    assert named == PAGES.keys()
