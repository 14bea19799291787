"""What a report holds: what a build writes, where each loss happened, and what the runtime shows of it."""

import json
from pathlib import Path
from typing import Any

import msgspec
from toolcast.agents import Disclosure
from toolcast.agents.disclosure import stub_text
from toolcast.analysis.lint.linted_tool import load_project
from toolcast.analysis.lint.tokens import together, tool_costs
from toolcast.analysis.report.report_model import Loss, Report
from toolcast.config import load_config
from toolcast.jsonschema.pointers import resolve
from toolcast.runtime import ToolRegistry
from toolcast.runtime.failure_results import schema_text
from toolcast_tools.generated.registry import BINDINGS

from tests.lint.projects import GOOD, spec, write
from tests.lint.projects import run as linted
from tests.project.steps.helper import toolcast
from tests.report.reports import ROOT, detail, provider, report_of

PROVIDERS = 'providers = ["openai", "gemini", "mcp", "typescript"]\n'


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_has_what_a_build_writes(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD, "g/other": spec(description="Adds two numbers.")}, PROVIDERS)
    report = report_of(tmp_path)
    assert sorted(_files(tmp_path)) == ["pyproject.toml", "specs/count.yaml", "specs/g/other.yaml"]
    toolcast(tmp_path, "generate")
    output = tmp_path / "generated"
    for each in report.details:
        assert each.contract == json.loads((output / "contracts" / f"{each.name}.json").read_text())
        assert each.struct_text == (tmp_path / each.struct_file).read_text()
        assert each.spec_text == (tmp_path / each.spec_file).read_text()
        for one in each.providers:
            if one.id != "typescript":
                written = output / "schemas" / one.id / f"{each.name}.json"
                assert one.definition == json.loads(written.read_text())
    ledgers = {path.stem: json.loads(path.read_text()) for path in (output / "ledger").glob("*.json")}
    for row in report.tools:
        entries = ledgers.get(row.name, ())
        for info, cell in zip(report.providers, row.cells, strict=True):
            assert cell.lost + cell.kept == sum(info.id in each["providers"] for each in entries)


def test_equal_projects_give_equal_reports_before_and_after_a_build(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD, "g/other": spec(description="Adds two numbers.")}, PROVIDERS)
    before = report_of(tmp_path)
    toolcast(tmp_path, "generate")
    assert msgspec.json.encode(report_of(tmp_path)) == msgspec.json.encode(before)


def test_an_edit_shows_without_a_build_and_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD}, PROVIDERS)
    toolcast(tmp_path, "generate")
    write(tmp_path, {"count": spec(properties={"letters": {"type": "integer"}})}, PROVIDERS)
    before = _files(tmp_path)
    report = report_of(tmp_path)
    assert "letters: int" in detail(report, "count").struct_text
    assert "letters" in provider(report, "count", "openai").definition["function"]["parameters"]["properties"]
    assert _files(tmp_path) == before


def test_each_loss_leads_to_places_that_exist(own: Report) -> None:
    files = (ROOT / "specs").rglob("*.yaml")
    lines = {str(path.relative_to(ROOT)): path.read_text().splitlines() for path in files}
    seen = 0
    for each in own.details:
        struct = each.struct_text.splitlines()
        for one in each.providers:
            for loss in one.losses:
                seen += 1
                assert loss.file in lines
                assert 1 <= loss.line <= len(lines[loss.file])
                if loss.of != "spec":
                    resolve(each.contract, loss.pointer)
                    assert loss.struct_line is None or 1 <= loss.struct_line <= len(struct)
                if isinstance(one.definition, str):
                    assert loss.shown_at is None
                else:
                    assert loss.shown_at is not None
                    resolve(one.definition, loss.shown_at)
                assert loss.sentence.endswith(".")
                assert f"`{loss.keyword}`" in loss.sentence
    assert seen > 1000


SPEC = """\
name: find
description: Finds the words that fit, and returns them in the order of the text.
permission: read
secrets: []
parameters:
  type: object
  required: [word]
  additionalProperties: false
  properties:
    word:
      type: string
      description: The word.
      pattern: "^[a-z]+$"
    places:
      type: array
      description: Where to look.
      items:
        type: object
        additionalProperties: false
        properties:
          line:
            type: integer
            multipleOf: 5
            description: The line.
"""


def _loss(report: Report, id: str, keyword: str) -> Loss:
    (found,) = [each for each in provider(report, "find", id).losses if each.keyword == keyword]
    return found


def test_a_loss_is_pinned_to_its_line_its_place_and_its_field(tmp_path: Path) -> None:
    write(tmp_path, {"find": SPEC}, 'providers = ["gemini"]\n')
    report = report_of(tmp_path)
    loss = _loss(report, "gemini", "multipleOf")
    assert SPEC.splitlines()[loss.line - 1].strip() == "multipleOf: 5"
    assert (loss.file, loss.column) == ("specs/find.yaml", 13)
    assert loss.pointer == "/parameters/properties/places/items/properties/line"
    definition = provider(report, "find", "gemini").definition
    assert loss.shown_at == "/parameters/properties/places/items/properties/line"
    assert "multiple of 5" in resolve(definition, loss.shown_at)["description"]
    assert loss.struct_line is not None
    line = detail(report, "find").struct_text.splitlines()[loss.struct_line - 1]
    assert line.strip().startswith("line: ")


def test_a_loss_of_an_inlined_type_leads_to_the_file_of_the_type(tmp_path: Path) -> None:
    shared = "type: object\nproperties:\n  zip:\n    type: integer\n    multipleOf: 5\n"
    place = {"$ref": "_types/place.yaml", "description": "A place."}
    write(tmp_path, {"find": spec(properties={"place": place}), "_types/place": shared}, PROVIDERS)
    report = report_of(tmp_path)
    (loss,) = [each for each in provider(report, "find", "gemini").losses if each.keyword == "multipleOf"]
    assert (loss.file, loss.line) == ("specs/_types/place.yaml", 5)
    shown = provider(report, "find", "gemini").definition
    assert loss.shown_at is not None
    assert resolve(shown, loss.shown_at)["type"].lower() == "integer"


def test_a_key_that_is_not_sent_leads_to_its_line_in_the_spec(tmp_path: Path) -> None:
    write(tmp_path, {"count": spec(examples=[{"text": "a b"}])}, 'providers = ["gemini"]\n')
    report = report_of(tmp_path)
    (loss,) = [each for each in provider(report, "count", "gemini").losses if each.keyword == "examples"]
    text = detail(report, "count").spec_text.splitlines()
    assert text[loss.line - 1].startswith("examples:")
    assert (loss.of, loss.shown_at, loss.struct_line) == ("spec", "", None)


def test_levels_are_what_the_runtime_shows(own: Report) -> None:
    for name, binding in BINDINGS.items():
        for each in detail(own, name).providers:
            if isinstance(each.definition, str):
                continue
            assert each.definition == json.loads(binding.definition(each.id, strict=True))
            assert each.brief == json.loads(binding.definition(each.id, "brief", strict=True))


def test_the_level_summary_is_what_disclosure_sends(own: Report) -> None:
    registry = ToolRegistry()
    for name, binding in BINDINGS.items():
        registry.register(binding, lambda _params, _context: None)
        assert name in registry
    for id in ("openai", "anthropic", "gemini", "bedrock"):
        sent = Disclosure(registry, id, level="summary", native=False).definitions().decode()
        shown = json.loads(sent.replace(f" {stub_text('')}", ""))
        expected = {name: provider(own, name, id).summary for name in BINDINGS}
        assert [each for each in expected.values() if each not in shown] == []


def test_the_schema_is_the_text_that_the_runtime_quotes(own: Report) -> None:
    for name, binding in BINDINGS.items():
        assert detail(own, name).check.schema.encode() == schema_text(binding, None)


def test_what_the_program_fills_in_is_not_offered(tmp_path: Path) -> None:
    properties: dict[str, Any] = {
        "text": {"type": "string", "description": "Any text."},
        "user": {"type": "string", "description": "Who asks."},
    }
    write(tmp_path, {"count": spec(properties=properties, inject={"user": "context.user"})}, PROVIDERS)
    check = detail(report_of(tmp_path), "count").check
    assert list(json.loads(check.schema)["properties"]) == ["text"]
    assert check.injected == ("user",)
    assert check.options["injected"] == ["user"]


def test_specs_with_errors_are_reported_beside_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD, "wrong": spec(permission="fly"), "torn": "a: ["}, PROVIDERS)
    report = report_of(tmp_path)
    assert [row.name for row in report.tools] == ["count"]
    assert {each.file for each in report.diagnostics} == {"specs/wrong.yaml", "specs/torn.yaml"}


def test_without_specs_there_is_a_diagnostic(tmp_path: Path) -> None:
    write(tmp_path, {}, PROVIDERS)
    report = report_of(tmp_path)
    assert report.tools == ()
    assert [each.code for each in report.diagnostics] == ["no-specs"]


def test_limits_are_counted_over_the_tools_that_are_shown(tmp_path: Path) -> None:
    specs = {f"count_{number}": spec(description=f"Counts words, way {number}.") for number in range(3)}
    write(tmp_path, specs, 'providers = ["openai"]\n')
    for tools, used in (((), 3), (("count_1",), 1)):
        report = report_of(tmp_path, tools=tools)
        (shown,) = report.sets
        assert {each.rule: each.used for each in shown.limits}["tools"] == used == shown.tools
        assert len(report.tools) == used


def test_an_exceeded_limit_is_a_finding_of_the_tools_that_are_shown(tmp_path: Path) -> None:
    properties = {f"p{number}": {"type": "string"} for number in range(99)}
    tools = {f"count_{name}": spec(properties=properties) for name in "abc"}
    write(tmp_path, tools, 'providers = ["cohere"]\n')
    everything = report_of(tmp_path)
    of_lint = [each for each in linted(tmp_path).findings if not each.tool]
    assert [(each.code, each.message) for each in everything.findings] == [
        (each.code, each.message) for each in of_lint
    ]
    for names, properties_used in (
        ((), 297),
        (("count_a", "count_b", "count_c"), 297),
        (("count_a", "count_b"), 198),
    ):
        report = report_of(tmp_path, tools=names)
        (limit,) = (each for each in report.sets[0].limits if each.rule == "all-properties")
        assert limit.used == properties_used
        assert ("all-properties" in {each.code for each in report.findings}) == limit.exceeded


def test_an_unknown_tool_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD}, PROVIDERS)
    report = report_of(tmp_path, tools=("cuont",))
    assert [each.code for each in report.diagnostics] == ["unknown-tool"]
    assert report.tools == ()


def test_a_report_encodes_to_json_and_back(own: Report) -> None:
    encoded = msgspec.json.encode(own)
    assert msgspec.json.encode(msgspec.json.decode(encoded, type=Report)) == encoded


def test_tokens_are_those_of_lint(own: Report) -> None:
    config, problems = load_config(ROOT)
    assert config is not None, problems
    project = load_project(config, (), lambda _done, _total: None)
    for number, profile in enumerate(project.profiles):
        costs = tool_costs(project.subjects, profile)
        cells = {row.name: row.cells[number] for row in own.tools}
        assert {each.tool: (each.full, each.brief) for each in costs} == {
            name: (cell.tokens, cell.brief) for name, cell in cells.items()
        }
        assert own.sets[number].tokens == together([each.full for each in costs])
