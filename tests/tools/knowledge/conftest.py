"""A folder of documents, and what opens it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toolcast_tools.knowledge import Knowledge

from tests.tools.knowledge.calls import Open

HANDBOOK = {
    "refunds.md": """---
title: Refunds
author: Ada Lovelace <ada@example.com>
created: 2024-03-01
updated: 2025-02-03T10:00:00+01:00
kind: policy
tags: [money, support]
---
# Refunds

A refund is approved by the head of support.

## Limits

Above 500 euros the finance team decides. See https://example.com/limits.

### Exceptions

None are known.
""",
    "leave/parental.md": "# Parental leave\n\nParental leave takes up to 14 months.\n\n"
    "## How to apply\n\nWrite to HR.\n",
    "notes.txt": "Line one about coffee.\n\nLine two about tea.\n",
    "page.html": "<html lang='de'><title>Seite</title><body><h1>Kaffee</h1>"
    "<p>Die Maschine steht im Keller.</p></body></html>",
}
INCIDENTS = {
    "db.md": "---\nkind: postmortem\nauthor: {name: Grace, email: grace@example.com}\narchived: true\n---\n"
    "# Database outage\n\nThe database was down. Refund jobs stopped.\n",
    "web.md": "---\nkind: postmortem\nauthor: Grace\n---\n# Web outage\n\nThe web server was down.\n",
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    found = {"handbook": tmp_path / "handbook", "incidents": tmp_path / "incidents"}
    for folder, files in zip(found.values(), (HANDBOOK, INCIDENTS), strict=True):
        write(folder, files)
    return found


@pytest.fixture
def open_knowledge(folders: dict[str, Path]) -> Iterator[Open]:
    opened: list[Knowledge] = []

    def open_(**options: object) -> Knowledge:
        knowledge = Knowledge(folders, **{"watch": False, **options})  # type: ignore[arg-type]
        opened.append(knowledge)
        return knowledge

    yield open_
    for knowledge in opened:
        knowledge.close()


@pytest.fixture
def knowledge(open_knowledge: Open) -> Knowledge:
    return open_knowledge()
