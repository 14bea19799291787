"""Texts that would be markup, script or a trick if a report let them."""

from pathlib import Path
from typing import Any

from tests.lint.projects import spec, write

TEXTS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>\u2028\u2029",
    "\u202etxt.exe\u2066",
    "\u200b\U000e0041",
    "javascript:alert(1)",
    "[a](javascript:alert(1)) ![b](https://example.org/x.png)",
    "| cell | `code` |\n\n# Heading\n<details open>",
    "`` ` ``` ```` <b>",
    "&lt;script&gt; &amp;",
    "{{ 7 * 7 }} {% raw %}",
    "https://example.org www.example.org @someone #1",
)


def write_hostile_project(folder: Path) -> Path:
    """Every text of each spec is one of the hostile texts."""
    specs: dict[str, Any] = {}
    for number, text in enumerate(TEXTS):
        properties = {
            f"p{number}": {
                "type": "string", "description": text, "title": text, "default": text, "pattern": "^[^a]|a",
            },
            "kind": {"type": "string", "description": text, "enum": [text, "other"]},
            text: {"type": "string", "examples": [text]},
        }  # fmt: skip
        specs[f"g{number}/tool_{number}"] = spec(
            description=f"Tool {number} {text}", summary=f"Tool {number}: {text}".replace("\n", " "),
            properties=properties, annotations={"title": text}, examples=[{"kind": text}],
        )  # fmt: skip
    return write(folder, specs, 'providers = ["openai", "gemini", "mcp", "typescript", "python"]\n')
