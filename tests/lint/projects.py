"""Small projects written for one test, and the findings in them."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from toolcast.analysis.lint.all_checks import LintOutcome, Settings, lint
from toolcast.analysis.lint.finding import Finding
from toolcast.config import load_config

TODAY = date(2026, 11, 22)
GOOD = {
    "description": "Counts the words of a text and returns how many there are.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {"text": {"type": "string", "description": "Any text, in any language."}},
    },
    "annotations": {"title": "Count words", "destructive": False, "idempotent": True, "open_world": False},
}
"""A spec in which there is nothing to find."""


def spec(**changes: Any) -> dict[str, Any]:
    properties = changes.pop("properties", None)
    made: dict[str, Any] = {**GOOD, **changes}
    if properties is not None:
        made["parameters"] = {"type": "object", "additionalProperties": False, "properties": properties}
    return made


def write(folder: Path, specs: Mapping[str, Any], config: str = "") -> Path:
    (folder / "pyproject.toml").write_text(f"[tool.toolcast]\n{config}", encoding="utf-8")
    for path, data in specs.items():
        file = folder / "specs" / f"{path}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = data if isinstance(data, str) else yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
        file.write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, **settings: Any) -> LintOutcome:
    config, problems = load_config(folder)
    assert config is not None, problems
    return lint(config, Settings(**{"today": TODAY, **settings}), _quiet)


def _quiet(done: int, total: int) -> None: ...


def found(folder: Path, code: str, **settings: Any) -> list[Finding]:
    outcome = run(folder, **settings)
    assert outcome.refused == ()
    return [each for each in outcome.findings if each.code == code]
