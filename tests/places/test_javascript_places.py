"""From the lines of JavaScript modules and their declarations to the keys of specs, and back."""

import json
from pathlib import Path

import pytest
from toolcast.cli.main import run
from toolcast.places.project_places import output_places, spec_place
from toolcast.project.frontend import FRONTEND
from toolcast.project.generate import build

from tests.project.fake import config_of, put

NAMES = ["a-b", "__proto__", "1", "*/", "x{", "[", '"', "\u2028", "constructor", "plain", "}", "a: {"]
PROPERTIES = {name: {"type": "string", "description": "}, {\n  a: {", "minLength": 1} for name in NAMES}
INNER = {
    "type": "object",
    "properties": {"deep": {"type": "array", "items": {"type": "object", "properties": PROPERTIES}}},
}
SPEC = {
    "description": "Does it. " * 20,
    "permission": "read",
    "secrets": [],
    "annotations": {"title": "A long title. " * 12, "open_world": False},
    "parameters": {
        "type": "object",
        "properties": {**PROPERTIES, "inner": INNER, "at": {"$ref": "_types/point.json"}},
        "$defs": {"Unused": {"type": "string"}},
    },
    "result": {
        "type": "object",
        "properties": {"count": {"type": "integer", "description": "How many. " * 20}},
    },
}
POINT = {"type": "object", "properties": {"x": {"type": "integer", "description": "From the left. " * 20}}}


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\ntargets = ["typescript"]\n')
    put(tmp_path / "specs/do.json", json.dumps(SPEC, indent=2))
    put(tmp_path / "specs/_types/point.json", json.dumps(POINT, indent=2))
    assert not build(config_of(tmp_path), FRONTEND, jobs=1).failed
    return tmp_path


def test_each_line_of_a_module_leads_to_a_key_of_its_name(base: Path) -> None:
    config = config_of(base)
    rows = (base / "generated/typescript/do.js").read_text("utf-8").split("\n")
    spec = (base / "specs/do.json").read_text("utf-8").split("\n")
    found = set()
    for number in range(1, len(rows)):
        link = spec_place(config, "typescript/do.js", number)
        if link.path[-2:-1] == ("properties",) and link.spec.file == "specs/do.json":
            found.add(name := str(link.path[-1]))
            assert spec[link.spec.line - 1].strip().startswith(json.dumps(name)), (number, link)
    assert {*NAMES, "inner", "deep", "count"} <= found


def test_lines_of_types_lead_to_properties(base: Path) -> None:
    config = config_of(base)
    rows = (base / "generated/typescript/do.d.ts").read_text("utf-8").split("\n")
    at = {row.strip(): number for number, row in enumerate(rows, 1)}
    assert spec_place(config, "typescript/do.d.ts", at["plain?: string;"]).path == (
        "parameters",
        "properties",
        "inner",
        "properties",
        "deep",
        "items",
        "properties",
        "plain",
    )
    assert spec_place(config, "typescript/do.d.ts", at["count?: number;"]).path == (
        "result",
        "properties",
        "count",
    )


def test_a_key_leads_to_its_lines(base: Path) -> None:
    spec = (base / "specs/do.json").read_text("utf-8").split("\n")
    line = next(number for number, row in enumerate(spec, 1) if '"count": {' in row)
    places = [str(link.output) for link in output_places(config_of(base), "do.json", line)]
    assert any(place.startswith("generated/typescript/do.js:") for place in places)
    assert any(place.startswith("generated/typescript/do.d.ts:") for place in places)
    point = (base / "specs/_types/point.json").read_text("utf-8").split("\n")
    line = next(number for number, row in enumerate(point, 1) if '"x": {' in row)
    places = [str(link.output) for link in output_places(config_of(base), "_types/point.json", line)]
    assert {"generated/typescript/_types/point.js", "generated/typescript/do.js"} <= {
        place.split(":")[0] for place in places
    }


def test_the_command_finds_lines_of_javascript(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = (base / "generated/typescript/do.js").read_text("utf-8").count("\n")
    assert run(["where", f"generated/typescript/do.js:{last}"]) == 0
    assert capsys.readouterr().out.startswith("specs/do.json:1:1")
    assert run(["where", f"generated/typescript/do.js:{last + 1}"]) == 1
    assert run(["where", "generated/typescript/index.js:2"]) == 1
