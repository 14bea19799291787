"""The tutorials, executed as a reader does."""

import json
from pathlib import Path
from typing import Any

from tests.clients.conftest import Client
from tests.docs.pages import DOCS, run_page
from tests.docs.scripted_models import scripted_models

ASKED = ("search_notes", {"text": "milk", "limit": None})


def function(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool object without OpenAI's envelope."""
    return tool.get("function", tool)


def test_two_models_call_the_first_tool(client: Client, tmp_path: Path) -> None:
    client("openai")
    client("anthropic")
    with scripted_models([ASKED], [], text="Two notes mention milk: it is to be bought.") as models:
        run_page(DOCS / "tutorial/first-tool.md", tmp_path / "home", environment=models.environment)
    assert sorted(models.requests) == ["anthropic", "openai"]
    for first, second in models.requests.values():
        sent = json.dumps(second["messages"])
        assert "Milk the cow at six" in sent
        assert "Buy milk" in sent
        assert len(first["messages"]) == 1
        assert [tool["name"] for tool in map(function, first["tools"])] == ["search_notes"]
