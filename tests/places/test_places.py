"""From every generated field to the key in its spec, and back."""

import ast
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from toolcast.cli.main import run
from toolcast.config import Config, load_config
from toolcast.places.find import to_outputs, to_spec
from toolcast.places.links import tool_links, type_links
from toolcast.places.place import Link, Outline
from toolcast.places.project_places import PlaceError, output_places, spec_place
from toolcast.project.frontend import FRONTEND
from toolcast.project.generate import build
from toolcast.project.profiles import profiles_of
from toolcast.project.worker import Task, compile_task, load_task, load_types, project_context
from toolcast.spec.read_file import SourceDocument, read_document
from toolcast.spec.tool_spec import ToolSpec

from bench.corpora.compile import compile_corpus
from tests.project.fake import config_of, put

ROOT = Path(__file__).parents[2]


def links_of(config: Config) -> Iterator[tuple[str, list[Link], dict[str, bytes]]]:
    """Of each spec that compiles: its path, its links, and its files."""
    profiles, _ = profiles_of(config)
    context, found = project_context(config, profiles, FRONTEND)
    types = load_types(context)
    for path in found.tools:
        compiled = compile_task(context, types, Task(path, "tool"))
        tool, _ = load_task(context, Task(path, "tool"))
        if compiled.entry is not None and isinstance(tool, ToolSpec):
            yield (
                path,
                tool_links(tool, types, compiled.files, context.options, "generated"),
                dict(compiled.files),
            )
    for path in found.types:
        compiled = compile_task(context, types, Task(path, "type"))
        yield path, type_links(path, types, compiled.files, "generated"), dict(compiled.files)


def key_at(root: Path, link: Link) -> str:
    """The key that stands in the spec where a link leads."""
    line = (root / link.spec.file).read_text(encoding="utf-8").split("\n")[link.spec.line - 1]
    text = line[link.spec.column - 1 :]
    if text.startswith('"'):
        key, _ = json.JSONDecoder().raw_decode(text)
        return str(key)
    return re.match(r"'?([^:']*)", text)[1]  # type: ignore[index]


def renames(wire_forms: bytes) -> dict[str, str]:
    """By the name that a provider is sent: the name of the property in the contract."""
    found: dict[str, str] = {}
    json.loads(wire_forms, object_hook=lambda node: found.update(node.get("names", {})) or node)
    return found


def fields_of(text: str) -> Iterator[tuple[int, str]]:
    """Line and wire name of each field of a module, but for those of undeclared properties."""
    for node in ast.parse(text).body:
        for each, after in pairwise([*node.body, None]) if isinstance(node, ast.ClassDef) else ():
            if not isinstance(each, ast.AnnAssign) or "ClassVar" in ast.unparse(each.annotation):
                continue
            if isinstance(after, ast.Expr) and "Properties beyond the named ones." in ast.unparse(after):
                continue
            stated = each.value.keywords if isinstance(each.value, ast.Call) else ()
            names = [ast.literal_eval(one.value) for one in stated if one.arg == "name"]
            yield each.lineno, names[0] if names else ast.unparse(each.target)


def hold(config: Config, path: str, links: list[Link], files: dict[str, bytes]) -> int:
    """Hold every field of a spec's module to the key in the spec; how many there are."""
    count = 0
    module = next(output for output in files if output.endswith(".py") and not output.startswith("models/"))
    shown = f"generated/{module}"
    own = [link for link in links if link.output.file == shown]
    document = read_document(config.specs / path, f"specs/{path}")
    assert isinstance(document, SourceDocument)
    outline = Outline(document)
    for line, wire in fields_of(files[module].decode()):
        found = to_spec(own, None, line)
        assert found is not None
        assert key_at(config.base, found) == wire, (path, line, found.spec, found.path)
        assert find(document.data, found.path) is not None
        back = to_outputs(links, outline, found.spec.line, found.spec.column)
        assert (shown, line) in {(link.output.file, link.output.line) for link in back}, (path, line)
        count += 1
    return count


def find(data: object, path: tuple[str | int, ...]) -> object:
    for step in path:
        data = data[step]  # type: ignore[index]
    return data


Linked = list[tuple[str, list[Link], dict[str, bytes]]]


@pytest.fixture(scope="module")
def reference() -> tuple[Config, Linked]:
    config, _ = load_config(ROOT)
    assert config is not None
    return config, list(links_of(config))


def test_every_field_of_the_reference_set_leads_to_its_key_and_back(reference: tuple[Config, Linked]) -> None:
    config, linked = reference
    counts = {path: hold(config, path, links, files) for path, links, files in linked}
    assert len(counts) > 20
    assert sum(counts.values()) > 100


def test_fields_of_another_model_family_lead_to_their_keys(reference: tuple[Config, Linked]) -> None:
    config, linked = reference
    held = total = 0
    for path, links, files in linked:
        for output in (each for each in files if each.startswith("models/")):
            own = [link for link in links if link.output.file == f"generated/{output}"]
            for node in ast.parse(files[output]).body:
                for field in node.body if isinstance(node, ast.ClassDef) else ():
                    if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                        continue
                    found = to_spec(own, None, field.lineno)
                    total += 1
                    if found is not None and found.name == f"{node.name}.{field.target.id}":
                        alias = re.search(r"alias='([^']*)'", ast.unparse(field))
                        assert key_at(config.base, found) == (alias[1] if alias else field.target.id), (
                            path,
                            found,
                        )
                        held += 1
    assert held > 60
    assert held / total > 0.8


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "every"), [("github-mcp-server", 20), pytest.param("bfcl", 20, marks=pytest.mark.thorough)]
)
def test_every_field_of_real_tools_leads_to_its_key_and_back(
    shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: str, every: int
) -> None:
    project = compile_corpus(shared_dir / "corpora" / f"{corpus}.jsonl", tmp_path / "p", every=every).project
    monkeypatch.chdir(project)
    config = config_of(project)
    assert sum(hold(config, path, links, files) for path, links, files in links_of(config)) > 10


def test_every_property_of_every_providers_json_leads_to_its_key_and_back(
    reference: tuple[Config, Linked],
) -> None:
    config, linked = reference
    held = 0
    for path, links, files in linked:
        for output, content in files.items():
            if not output.startswith(("schemas/", "contracts/")):
                continue
            document = read_document(config.output / output, f"generated/{output}")
            assert isinstance(document, SourceDocument)
            own = [link for link in links if link.output.file == f"generated/{output}"]
            renamed = renames(files.get(output.replace("schemas/", "wire_forms/"), b"{}"))
            outline = Outline(document)
            assert content == (config.output / output).read_bytes()
            for link in own:
                names = link.name.split("/")
                pairs = names[-1] in ("key", "value")  # of a map that is sent as an array
                if not pairs and names[-2:-1] == ["properties"] and link.path[-2:-1] == ("properties",):
                    assert key_at(ROOT, link) == renamed.get(names[-1], names[-1]), (path, link.output)
                    found = to_spec(own, outline, link.output.line)
                    assert found is not None
                    assert found.spec == link.spec
                    held += 1
    assert held > 500


SPEC = """\
name: go
description: Goes there.
permission: read
secrets: []
parameters:
  type: object
  properties: {to: {$ref: ../_types/p.yaml}, "way-1": {type: string, minLength: 1}, "odd name": {enum: [a]}}
  additionalProperties: {type: integer}
result:
  type: object
  properties:
    at: {$ref: ../_types/p.yaml#/$defs/point}
"""
PLACE = """\
$defs:
  point:
    type: object
    properties:
      x: {type: number}
type: object
properties:
  start: {$ref: "#/$defs/point"}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    put(tmp_path / "specs/geo/go.yaml", SPEC)
    put(tmp_path / "specs/_types/p.yaml", PLACE)
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["openai", "gemini", "mcp"]\n')
    monkeypatch.chdir(tmp_path)
    config = config_of(tmp_path)
    assert not build(config, FRONTEND).failed
    return config


def line_of(config: Config, output: str, text: str) -> int:
    lines = (config.output / output).read_text().split("\n")
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


@pytest.mark.parametrize(
    ("output", "text", "place"),
    [
        ("geo/go.py", "class GoParams(", "specs/geo/go.yaml:5:1"),
        ("geo/go.py", "    to: ", "specs/geo/go.yaml:7:16"),
        ("geo/go.py", "    way_1: ", "specs/geo/go.yaml:7:46"),
        ("geo/go.py", "    odd_name: ", "specs/geo/go.yaml:7:85"),
        ("geo/go.py", "    additional_properties: ", "specs/geo/go.yaml:8:3"),
        ("geo/go.py", "class GoResult(", "specs/geo/go.yaml:9:1"),
        ("geo/go.py", "    permission=", "specs/geo/go.yaml:3:1"),
        ("geo/go.py", "    description=", "specs/geo/go.yaml:2:1"),
        ("_types/p.py", "class P(", "specs/_types/p.yaml:1:1"),
        ("_types/p.py", "    x: ", "specs/_types/p.yaml:5:7"),
        ("_types/p.py", "    start: ", "specs/_types/p.yaml:8:3"),
        ("schemas/mcp/go.json", '"minLength"', "specs/geo/go.yaml:7:70"),
        ("schemas/mcp/go.json", '"name"', "specs/geo/go.yaml:1:1"),
        ("schemas/gemini/go.json", '"description": "Goes there."', "specs/geo/go.yaml:2:1"),
        ("contracts/_types/p.json", '"x"', "specs/_types/p.yaml:5:7"),
    ],
)
def test_a_generated_line_leads_to_the_spec(project: Config, output: str, text: str, place: str) -> None:
    found = spec_place(project, output, line_of(project, output, text))
    assert str(found.spec) == place


@pytest.mark.parametrize(
    ("text", "line"), [('"allowed_callers"', 5), ('"eager_input_streaming"', 6), ('"input_examples"', 7)]
)
def test_a_member_of_a_tool_object_leads_to_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int
) -> None:
    keys = "callers: [model, code]\nstream_arguments: true\nexamples: [{}]\n"
    put(tmp_path / "specs/go.yaml", f"name: go\ndescription: Goes.\npermission: read\nsecrets: []\n{keys}")
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["anthropic"]\nexamples = ["anthropic"]\n')
    monkeypatch.chdir(tmp_path)
    config = config_of(tmp_path)
    assert not build(config, FRONTEND).failed
    output = "schemas/anthropic/go.json"
    assert spec_place(config, output, line_of(config, output, text)).spec.line == line


def test_a_line_of_a_spec_leads_to_all_outputs(project: Config) -> None:
    rows = {(link.output.file, link.name) for link in output_places(project, "geo/go.yaml", 7, 50)}
    assert ("generated/geo/go.py", "GoParams.way_1") in rows
    assert ("generated/contracts/go.json", "/parameters/properties/way-1") in rows
    assert ("generated/schemas/mcp/go.json", "/inputSchema/properties/way-1") in rows
    last = {(file.split("/")[2], name.rpartition("/")[2]) for file, name in rows if "/schemas/" in file}
    assert last == {("mcp", "way-1"), ("openai", "way-1"), ("gemini", "way_1")}  # Gemini refuses the hyphen
    every = {link.name for link in output_places(project, "geo/go.yaml", 7)}
    assert {"GoParams.to", "GoParams.way_1", "GoParams.odd_name"} <= every
    whole = {link.output.file for link in output_places(project, "geo/go.yaml", 0)}
    assert {"generated/geo/go.py", "generated/contracts/go.json", "generated/schemas/gemini/go.json"} <= whole


def test_a_line_of_a_shared_type_leads_to_its_users_too(project: Config) -> None:
    rows = {(link.output.file, link.name) for link in output_places(project, "_types/p.yaml", 5)}
    assert any(file == "generated/_types/p.py" and name.endswith(".x") for file, name in rows)
    files = {file for file, _ in rows}
    assert {"generated/contracts/_types/p.json", "generated/schemas/mcp/go.json"} <= files


def test_in_comments_and_examples_the_next_outer_element_counts(project: Config) -> None:
    spec = project.specs / "geo/go.yaml"
    put(spec, SPEC.replace("result:", "examples:\n  - {to: {start: {x: 1}}}\n# a remark\nresult:"))
    build(project, FRONTEND)
    for line in (10, 11):
        rows = output_places(project, "geo/go.yaml", line)
        # No provider is sent the examples, and the ledger says so.
        assert {(link.output.file, link.spec.line) for link in rows} == {("generated/ledger/go.json", 9)}


def test_what_leads_nowhere_is_refused(project: Config) -> None:
    def code(output: str, line: int) -> str:
        with pytest.raises(PlaceError) as caught:
            spec_place(project, output, line)
        (problem,) = caught.value.diagnostics
        assert problem.hint
        return problem.code

    assert code("geo/none.py", 1) == "cannot-read"
    assert code("registry.py", 1) == "no-single-spec"
    assert code("manifest.txt", 1) == "no-single-spec"
    assert code("geo/go.py", 10_000) == "no-such-line"
    assert code("contracts/go.json", 10_000) == "no-such-line"
    put(project.output / "own.py", "x = 1")
    assert code("own.py", 1) == "no-single-spec"
    with pytest.raises(PlaceError, match="is no spec"):
        output_places(project, "geo/none.yaml", 1)
    module = project.output / "geo/go.py"
    module.write_text("\n" + module.read_text())
    assert code("geo/go.py", 5) == "out-of-date"
    put(project.specs / "geo/go.yaml", "permission: read\nsecrets: []\n")
    assert code("geo/go.py", 5) == "missing-key"
    (project.specs / "geo/go.yaml").unlink()
    assert code("geo/go.py", 5) == "no-spec"


def test_the_command(project: Config, capsys: pytest.CaptureFixture[str]) -> None:
    line = line_of(project, "geo/go.py", "    way_1: ")
    assert run(["where", f"generated/geo/go.py:{line}"]) == 0
    assert capsys.readouterr().out == "specs/geo/go.yaml:7:46  /parameters/properties/way-1\n"
    assert run(["where", "./specs/geo/go.yaml:7:46", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["found"]
    assert {"file": "generated/geo/go.py", "line": line, "column": 5, "name": "GoParams.way_1"} in found
    assert run(["where", "generated/geo/go.py"]) == 0
    assert capsys.readouterr().out.startswith("specs/geo/go.yaml:1:1")
    for place in ("/etc/passwd:3", "generated/../../x.py:3", "generated", "none", "generated:3"):
        assert run(["where", place]) == 1
        assert "error[" in capsys.readouterr().err
