"""The how-to pages about running tools are executed, with the official clients where they ask a model."""

from pathlib import Path

import pytest

from tests.clients.conftest import Client

from .pages import DOCS, run_page
from .scripted_models import Turn, scripted_models

PAGES = (
    "secrets", "approvals", "retries-and-timeouts", "traces-and-logs", "limits-and-budgets",
    "injected-values", "validate-in-tests", "images",
)  # fmt: skip
HOW_TO = DOCS / "how-to"
REFUND: list[Turn] = [[("refund", {"order": "17"})], []]
PICNIC: list[Turn] = [
    [("tool_search", {"query": "add an event to the calendar"}), ("today", {})],
    [("add_event", {"title": "Picnic", "day": "2026-05-01"})],
    [],
]
ASKING = {"pause-and-resume": ("openai", REFUND), "tool-search": ("anthropic", PICNIC)}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    run_page(HOW_TO / f"{name}.md", tmp_path / "project")


@pytest.mark.parametrize("name", ASKING)
def test_the_page_asks_a_model(name: str, client: Client, tmp_path: Path) -> None:
    package, turns = ASKING[name]
    client(package)
    with scripted_models(*turns) as server:
        run_page(HOW_TO / f"{name}.md", tmp_path / "project", environment=server.environment)
        assert [len(asked) for asked in server.requests.values()] == [len(turns)]
