"""The how-to pages of frameworks, servers and other ways to call tools."""

import json
from pathlib import Path

from tests.clients.conftest import Client
from tests.docs.model_server import RESULT, ModelServer
from tests.docs.pages import DOCS, run_page

HOW_TO = DOCS / "how-to"


def test_a_model_without_tool_calling(client: Client, project: Path, model_server: ModelServer) -> None:
    client("openai")
    run_page(HOW_TO / "models-without-tool-calling.md", project, environment=model_server.environment)
    bodies = [body for _, body in model_server.requests]
    assert len(bodies) == 4  # the program runs twice
    assert all("tools" not in body and "forecast" in body["messages"][0]["content"] for body in bodies)
    assert [RESULT in json.dumps(body) for body in bodies] == [False, True, False, True]
