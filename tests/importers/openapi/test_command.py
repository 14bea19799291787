"""`toolcast import openapi` writes one spec per operation, of those that are selected."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from click.testing import CliRunner, Result
from toolcast.cli.main import import_group
from toolcast.project.core.compiled import Options

from tests.python.compiled import package

PATHS = {
    "/pets": {
        "get": {"operationId": "listPets", "tags": ["pets"], "summary": "List pets"},
        "post": {"operationId": "addPet", "tags": ["pets", "write"]},
    },
    "/shops/{id}": {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "get": {"operationId": "getShop", "tags": ["shops"], "deprecated": True},
        "delete": {"tags": ["shops"]},
    },
}


def run(tmp_path: Path, *arguments: str, paths: Any = PATHS) -> Result:
    source = tmp_path / "api.json"
    source.write_text(json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths}), encoding="utf-8")
    return CliRunner().invoke(
        import_group, ["openapi", str(source), "--into", str(tmp_path / "specs"), *arguments]
    )


def written(tmp_path: Path) -> list[str]:
    return sorted(path.stem for path in (tmp_path / "specs").rglob("*.yaml") if path.parent.name != "_types")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["addPet", "delete_shops_id", "getShop", "listPets"]),
        (("--tag", "pets"), ["addPet", "listPets"]),
        (("--tag", "write", "--tag", "shops"), ["addPet", "delete_shops_id", "getShop"]),
        (("--tag", "pets", "--method", "GET"), ["listPets"]),
        (("--path", "/shops/*"), ["delete_shops_id", "getShop"]),
        (("--operation", "*Pet*"), ["addPet", "listPets"]),
        (("--no-deprecated",), ["addPet", "delete_shops_id", "listPets"]),
    ],
)
def test_what_is_selected_is_written(tmp_path: Path, options: tuple[str, ...], names: list[str]) -> None:
    result = run(tmp_path, *options)
    assert result.exit_code == 0, result.output
    assert written(tmp_path) == names


def test_deprecated_operations_are_deprecated_tools(tmp_path: Path) -> None:
    """What a person adds to it stays when the document is imported again."""
    done = run(tmp_path, "--permission", "read", "--secrets", "none")
    assert done.exit_code == 0, done.output
    file = tmp_path / "specs/getShop.yaml"
    data = {
        path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (tmp_path / "specs").glob("*.yaml")
    }
    assert {name: each.get("deprecated") for name, each in data.items()} == {
        "addPet": None, "delete_shops_id": None, "getShop": {}, "listPets": None,
    }  # fmt: skip
    text = file.read_text("utf-8").replace("deprecated: {}", "deprecated: {use: listPets}")
    file.write_text(text, "utf-8")
    assert run(tmp_path).exit_code == 0
    assert file.read_text("utf-8") == text
    never: dict[str, Any] = {**PATHS["/shops/{id}"]["get"], "deprecated": False}
    paths = {**PATHS, "/shops/{id}": {**PATHS["/shops/{id}"], "get": never}}
    again = run(tmp_path, paths=paths)
    assert "deprecated" in again.output
    assert yaml.safe_load(file.read_text("utf-8"))["deprecated"] == {"use": "listPets"}


def test_a_selection_that_fits_nothing_is_an_error(tmp_path: Path) -> None:
    result = run(tmp_path, "--tag", "cars")
    assert result.exit_code == 1
    assert "no operation fits the selection" in result.output


def test_permissions_as_the_methods_claim_them(tmp_path: Path) -> None:
    assert run(tmp_path, "--trust-hints", "--secrets", "none").exit_code == 0
    found = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["permission"]
        for path in (tmp_path / "specs").glob("*.yaml")
    }
    assert found == {
        "listPets": "network",
        "getShop": "network",
        "addPet": "write",
        "delete_shops_id": "write",
    }


def test_refused_operations_are_told_with_their_place_and_the_rest_is_written(tmp_path: Path) -> None:
    bad = {"/bad": {"get": {"parameters": [{"$ref": "https://example.com/p.json"}]}}}
    result = run(tmp_path, paths={**PATHS, **bad})
    assert result.exit_code == 1
    assert (
        "error[openapi-external-reference]: GET /bad: the reference `https://example.com/p.json` leads out"
        in result.output
    )
    assert len(written(tmp_path)) == 4


def test_large_results_stay_out_of_definitions_and_costs_are_told(tmp_path: Path) -> None:
    members = {f"member_{number}": {"type": "string", "enum": [f"value {number}"]} for number in range(300)}
    schema = {"type": "object", "properties": members}
    response = {"description": "", "content": {"application/json": {"schema": schema}}}
    small = {**response, "content": {"application/json": {"schema": {"type": "integer"}}}}
    paths = {
        "/large": {"get": {"operationId": "large", "responses": {"200": response}}},
        "/small": {"get": {"operationId": "small", "responses": {"200": small}}},
    }
    options = ("--permission", "network", "--secrets", "none")
    done = run(tmp_path, *options, paths=paths)
    assert "1 tool: results are not described, since definitions would have more than 2,000" in done.output
    found = {path.stem: path.read_text("utf-8") for path in (tmp_path / "specs").glob("*.yaml")}
    assert {name: yaml.safe_load(text).get("describe_result") for name, text in found.items()} == {
        "large": False, "small": None,
    }  # fmt: skip
    files = {f"{name}.yaml": text for name, text in found.items()}
    with package(files, options=Options(providers=("mcp",))) as bindings:
        assert "outputSchema" in json.loads(bindings["small"].definition("mcp"))
        assert "outputSchema" not in json.loads(bindings["large"].definition("mcp"))
        typed = msgspec.convert({"member_1": "x"}, bindings["large"].result)
        assert typed.member_1 == "x"
    (costs,) = (line for line in done.output.splitlines() if line.startswith("tokens, estimated "))
    dearest = costs.split(": ")[1].split(", ")[0]
    counted = int(dearest.split()[0].replace(",", ""))
    assert 0 < counted < 500
    again = run(tmp_path, "--budget", "99999", "--force", *options, paths=paths)
    assert "are not described" not in again.output
    assert "describe_result" not in (tmp_path / "specs/large.yaml").read_text("utf-8")
    dearer = next(line for line in again.output.splitlines() if line.startswith("tokens, estimated "))
    assert int(dearer.split(": ")[1].split()[0].replace(",", "")) > counted + 2_000


def test_undecided_specs_are_counted_too(tmp_path: Path) -> None:
    assert "\ntokens, estimated " in f"\n{run(tmp_path).output}"


def test_a_notice_of_deprecation_and_the_description_fit_together(tmp_path: Path) -> None:
    """OpenAI refuses descriptions of more than 1,024 characters."""
    get = {"operationId": "old", "deprecated": True, "description": "x" * 1_017}
    done = run(tmp_path, "--permission", "network", "--secrets", "none", paths={"/old": {"get": get}})
    assert done.exit_code == 0, done.output
    text = (tmp_path / "specs/old.yaml").read_text("utf-8")
    assert "description beyond 1011 characters" in text
    with package({"old.yaml": text}, options=Options(providers=("openai",))) as bindings:
        sent = json.loads(bindings["old"].definition("openai"))["function"]["description"]
    assert sent.startswith("Deprecated.\n\nxxx")
    assert len(sent) <= 1_024
