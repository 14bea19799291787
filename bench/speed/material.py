"""Tools to compile: real ones where the shared corpora are, made up ones where not."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.importers.spec_text import dump

from ..corpora.compile import CORPORA, PROVIDERS
from ..corpora.oracle import is_schema, wrong_defaults


class Tool(Struct, frozen=True):
    """One tool; `name` is an identifier."""

    name: str
    description: str
    parameters: dict[str, Any]


def tools(corpora: Path, count: int) -> tuple[list[Tool], str]:
    """`count` tools with distinct names, the same each time, and where they are from."""
    found = list(_real(corpora))
    origin = f"{len(found)} real tools of the shared corpora"
    if not found:
        found, origin = [_made_up(number) for number in range(50)], f"{50} made up tools"
    random.Random(0).shuffle(found)
    chosen = [
        Tool(f"tool_{number:04}", found[number % len(found)][0], found[number % len(found)][1])
        for number in range(count)
    ]
    return chosen, origin


def write_project(listed: list[Tool], folder: Path, providers: Sequence[str] = PROVIDERS) -> None:
    """A project for toolcast: one YAML spec per tool, in groups of fifty."""
    folder.mkdir(parents=True)
    named = ", ".join(f'"{name}"' for name in providers)
    (folder / "pyproject.toml").write_text(
        f"[tool.toolcast]\nproviders = [{named}]\nmodels = []\n", encoding="utf-8"
    )
    for number, tool in enumerate(listed):
        path = spec_path(folder, number, tool)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(spec_text(tool), encoding="utf-8")


def spec_path(folder: Path, number: int, tool: Tool) -> Path:
    """Where the spec of the `number`-th tool stands."""
    return folder / "specs" / f"group_{number // 50:02}" / f"{tool.name}.yaml"


def spec_text(tool: Tool) -> str:
    """The spec of `tool`."""
    head = {"name": tool.name, "description": tool.description, "permission": "execute", "secrets": []}
    return dump({**head, "parameters": tool.parameters})


def write_schemas(listed: list[Tool], folder: Path) -> None:
    """The same parameters as a folder of JSON Schemas."""
    folder.mkdir(parents=True)
    for tool in listed:
        (folder / f"{tool.name}.json").write_text(json.dumps(tool.parameters), encoding="utf-8")


def changed(tool: Tool, turn: int) -> Tool:
    """`tool` with another parameter, named after `turn`: its Struct and all its schemas change."""
    properties = {
        **tool.parameters.get("properties", {}),
        f"extra_{turn}": {"type": "string", "minLength": 1, "description": f"Added in turn {turn}."},
    }
    return Tool(tool.name, tool.description, {**tool.parameters, "properties": properties})


def _real(corpora: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every tool that is not at fault itself: one refused spec would keep `generate` from resting."""
    for corpus in CORPORA:
        file = corpora / f"{corpus}.jsonl"
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
            record = json.loads(line)
            parameters, description = record["parameters"], (record.get("description") or "").strip()
            if description and is_schema(parameters) and not wrong_defaults(parameters):
                yield description, parameters


def _made_up(number: int) -> tuple[str, dict[str, Any]]:
    """What the real ones look like on average, in as many ways as there are numbers."""
    kinds: list[dict[str, Any]] = [
        {"type": "string", "description": "Where to look, as an absolute path.", "minLength": 1},
        {"type": "integer", "minimum": 0, "maximum": 100, "default": 10, "description": "How many at most."},
        {"type": "string", "enum": ["asc", "desc"], "description": "In which order."},
        {"type": "array", "items": {"type": "string"}, "maxItems": 20},
        {"type": ["string", "null"], "description": "Where the last answer ended."},
        {"type": "object", "properties": {"key": {"type": "string"}, "value": {}}, "required": ["key"]},
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    ]
    names = [
        f"{word}_{number % 7}" for word in ("path", "limit", "order", "tags", "cursor", "extra", "map", "id")
    ]
    chosen = {name: kinds[(number + i) % len(kinds)] for i, name in enumerate(names[: 2 + number % 7])}
    required = [name for i, name in enumerate(chosen) if i % 2 == 0]
    return f"Does thing number {number} and answers with what it found.", {
        "type": "object",
        "properties": chosen,
        "required": required,
        "additionalProperties": False,
    }
