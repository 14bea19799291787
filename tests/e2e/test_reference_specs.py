"""The reference toolset is exact: its schemas are valid, its examples are accepted, its promises are kept."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.spec.load import load_library

from tests.e2e.reference import DRAFT, ROOT, nodes, read, tool_files, type_files, validator

EXPECTED = {
    "agents": {"delegate"},
    "data": {"data_analysis"},
    "files": {"edit", "file_read", "file_write", "glob", "grep", "multi_edit"},
    "knowledge": {"get_document_info", "knowledge_search"},
    "memory": {"memory_recall", "memory_store"},
    "schedule": {"cron_add", "cron_list"},
    "shell": {"bash", "bash_process"},
    "web": {"http_request", "web_fetch", "web_search"},
}
KEYS = {
    *("name", "summary", "description", "permission", "secrets", "parameters", "result"),
    *("examples", "annotations", "runtime_enums", "providers", "lint", "described_by"),
}

each_tool = pytest.mark.parametrize("path", tool_files(), ids=lambda path: path.stem)


def test_every_group_holds_the_tools_it_should() -> None:
    found: dict[str, set[str]] = {}
    for path in tool_files():
        found.setdefault(path.parent.name, set()).add(path.stem)
    assert found == EXPECTED


@each_tool
def test_spec_states_everything_a_tool_needs(path: Path) -> None:
    spec = read(path)
    assert set(spec) <= KEYS
    assert spec["name"] == path.stem
    assert spec["permission"] in {"read", "write", "execute", "network"}
    assert set(spec["secrets"]) <= set(spec["parameters"]["properties"])
    assert set(spec.get("runtime_enums", {})) <= set(spec["parameters"]["properties"])
    assert len(spec["summary"]) <= 80 < len(spec["description"]) <= 1024
    assert set(spec["annotations"]) == {"title", "destructive", "idempotent", "open_world"}


@pytest.mark.parametrize("path", [*tool_files(), *type_files()], ids=lambda path: path.stem)
def test_schemas_are_valid_2020_12(path: Path) -> None:
    document = read(path)
    schemas = [document] if path in type_files() else [document["parameters"], document.get("result", {})]
    for schema in schemas:
        jsonschema_rs.meta.validate({"$schema": DRAFT, **schema})


@each_tool
def test_examples_are_accepted(path: Path) -> None:
    spec = read(path)
    assert 2 <= len(spec["examples"]) <= 3
    checker = validator(path, spec["parameters"])
    for example in spec["examples"]:
        assert [error.message for error in checker.iter_errors(example)] == []


@each_tool
def test_parameters_are_closed_and_refuse_what_is_missing(path: Path) -> None:
    """An example with an unknown parameter, or without a required one, is refused."""
    parameters = read(path)["parameters"]
    checker = validator(path, parameters)
    example: dict[str, Any] = read(path)["examples"][0]
    assert not checker.is_valid({**example, "no_such_parameter": 1})
    for name in parameters.get("required", []):
        assert not checker.is_valid({key: value for key, value in example.items() if key != name})


@pytest.mark.parametrize("path", [*tool_files(), *type_files()], ids=lambda path: path.stem)
def test_defaults_are_accepted_by_their_own_schema(path: Path) -> None:
    definitions = read(path).get("result", {}).get("$defs", {})
    for _, node in nodes(read(path)):
        if isinstance(node, dict) and "default" in node and ("type" in node or "enum" in node):
            assert validator(path, {"$defs": definitions, **node}).is_valid(node["default"]), node


def test_references_stay_inside_and_reach_a_file_in_use() -> None:
    used: set[Path] = set()
    for path in [*tool_files(), *type_files()]:
        for _, node in nodes(read(path)):
            if (
                isinstance(node, dict)
                and isinstance(node.get("$ref"), str)
                and not node["$ref"].startswith("#")
            ):
                target = (path.parent / node["$ref"]).resolve()
                assert target.is_relative_to(ROOT)
                assert target.is_file()
                used.add(target)
    assert used == set(type_files())


def _has(path: tuple[str | int, ...], node: Any) -> set[str]:
    """Names of the constructs that this schema node shows."""
    if not isinstance(node, dict):
        return set()
    types = node.get("type")
    found = {
        key for key in ("prefixItems", "pattern", "default", "uniqueItems", "propertyNames") if key in node
    }
    if isinstance(types, list) and "null" in types:
        found.add("nullable")
    if types == "integer" and "enum" in node:
        found.add("integer enum")
    if isinstance(node.get("default"), list | dict):
        found.add("mutable default")
    if types == "object" and isinstance(node.get("additionalProperties"), dict):
        found.add("map")
    if types == "array" and isinstance(node.get("items"), dict) and node["items"].get("type") == "object":
        found.add("array of objects")
    branches = node.get("oneOf", node.get("anyOf"))
    if isinstance(branches, list) and all("properties" in branch for branch in branches):
        tags = [
            {
                key
                for key, value in branch["properties"].items()
                if "const" in value and key in branch["required"]
            }
            for branch in branches
        ]
        if set.intersection(*tags):
            found.add("tagged union in array" if path[-1:] == ("items",) else "tagged union")
    return found


def test_together_they_use_every_construct() -> None:
    found: set[str] = set()
    for path in tool_files():
        found |= {name for place, node in nodes(read(path)["parameters"]) for name in _has(place, node)}
    assert found >= {
        *("prefixItems", "pattern", "default", "uniqueItems", "propertyNames", "nullable", "integer enum"),
        *("mutable default", "map", "array of objects", "tagged union", "tagged union in array"),
    }
    recursive = read(ROOT / "_types" / "filter.yaml")
    assert any(isinstance(node, dict) and node.get("$ref") == "filter.yaml" for _, node in nodes(recursive))


def test_loads_without_diagnostics() -> None:
    providers = frozenset({"openai", "openai-responses", "anthropic", "gemini", "mcp"})
    library = load_library(ROOT, shown_root="specs", known_providers=providers)
    assert library.diagnostics == ()
    assert sorted(tool.name for tool in library.tools) == sorted(path.stem for path in tool_files())
