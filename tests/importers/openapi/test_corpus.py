"""Every operation of the shared documents is imported and compiles, or is refused with a true reason."""

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
import toolcast
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle
from toolcast.contract.build import build_tool
from toolcast.importers.declared_tools import Declarations, Declared
from toolcast.importers.openapi.document import OpenApiDocument, read_source
from toolcast.importers.openapi.read_openapi import declarations_of
from toolcast.importers.spec_text import declared_keys
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool

from .documents import specs

pytestmark = pytest.mark.corpora

REFUSED = {
    "3.0/response-http-behavior.json": ["openapi-security"] * 3,  # `api_key` is defined nowhere
    "3.1/webhooks.json": ["openapi-no-operations"],
}
"""Codes by document; all other operations are imported."""
CONTRADICTIONS = {"quirks_entirelyIncompatibleAllOf", "quirks_partiallyUsableIncompatibleAllOf"}
"""Tools without any valid arguments: their `allOf` excludes every type."""
FORBIDDEN = {"quirks_incompatibleNestedAllOf"}
"""Tools with a property that no value fits: specs forbid it, with a warning."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def examples(shared_dir: Path) -> list[Path]:
    root = shared_dir / "corpora/openapi-docs/examples"
    return sorted(path for path in root.rglob("*") if path.suffix in (".json", ".yaml"))


@lru_cache(maxsize=60)
def read(path: Path) -> OpenApiDocument:
    document = read_source(str(path))
    assert isinstance(document, OpenApiDocument), document
    return document


def operations_of(document: OpenApiDocument) -> int:
    """How many operations there are, counted by hand."""
    items = document.data.get("paths", {}).values()
    count = 0
    for item in items:
        while "$ref" in item:
            item = looked_up(document.data, item["$ref"])
        count += sum(key in METHODS for key in item)
    return count


def looked_up(data: Any, reference: str) -> Any:
    for token in reference.removeprefix("#/").split("/"):
        token = token.replace("~1", "/").replace("~0", "~")
        data = data[int(token)] if isinstance(data, list) else data[token]
    return data


def test_every_operation_of_the_small_documents_has_a_contract(shared_dir: Path) -> None:
    paths = examples(shared_dir)
    assert len(paths) == 55
    count = 0
    for path in paths:
        document = read(path)
        found = declarations_of(document)
        key = f"{path.parent.name}/{path.name}"
        codes = REFUSED.get(key, [])
        assert [problem.code for problem in found.diagnostics if problem.severity == "error"] == codes
        if "openapi-no-operations" not in codes:
            assert len(found.tools) + len(codes) == operations_of(document), key
        count += len(found.tools)
        # Documents of many like operations give a sample; the thorough run compiles them all.
        for tool in random.Random(key).sample(found.tools, min(len(found.tools), 3)):
            errors = [each.code for each in contract_problems(tool) if each.severity == "error"]
            refused = tool.spec_name in CONTRADICTIONS | FORBIDDEN
            assert errors == (["unsatisfiable"] if refused else []), (key, tool.name)
    assert count == 662


def contract_problems(tool: Declared) -> list[Any]:
    name = str(tool.spec_name)
    data = {**declared_keys(tool, name, 0), "permission": "network", "secrets": []}
    parsed = parse_document(json.dumps(data).encode(), f"{name}.json", "json")
    assert isinstance(parsed, SourceDocument), parsed
    spec, problems, _ = read_tool(parsed, f"{name}.json", frozenset())
    assert spec is not None, problems
    return list(build_tool(spec, {}).diagnostics)


def test_a_sample_compiles(shared_dir: Path) -> None:
    chosen: dict[str | None, Declared] = {}
    for path in examples(shared_dir)[::3]:
        tools = [tool for tool in declarations_of(read(path)).tools if tool.spec_name not in CONTRADICTIONS]
        for tool in random.Random(path.name).sample(tools, min(1, len(tools))):
            chosen[tool.spec_name] = tool
    assert len(chosen) > 12
    compiled = toolcast.compile(specs(Declarations(tools=tuple(chosen.values()))), providers=["openai"])
    assert not [each for each in compiled.diagnostics if each.severity == "error"]


@pytest.mark.thorough
def test_all_small_documents_compile(shared_dir: Path) -> None:
    for path in examples(shared_dir):
        compiled = toolcast.compile(
            specs(declarations_of(read(path))), providers=["openai", "anthropic", "mcp"]
        )
        wrong = {Path(each.file).stem for each in compiled.diagnostics if each.severity == "error"}
        assert wrong <= CONTRADICTIONS


@pytest.fixture(scope="module")
def github(shared_dir: Path) -> list[Declared]:
    document = read_source(str(shared_dir / "corpora/openapi-docs/github.json"))
    assert isinstance(document, OpenApiDocument)
    found = declarations_of(document)
    assert found.diagnostics == ()
    assert len(found.tools) == 1223
    return list(found.tools)


@pytest.mark.thorough
def test_all_of_github_is_read_and_a_sample_has_contracts(github: list[Declared]) -> None:
    names = [tool.spec_name for tool in github]
    assert len(set(names)) == 1223
    assert {"repos_get", "issues_create"} <= set(names)
    for tool in random.Random(15).sample(github, 60):
        assert not [each for each in contract_problems(tool) if each.severity == "error"], tool.name


@pytest.mark.thorough
def test_all_of_github_has_contracts_and_much_of_it_compiles(github: list[Declared]) -> None:
    for tool in github:
        assert not [each for each in contract_problems(tool) if each.severity == "error"], tool.name
    github = random.Random(16).sample(github, 150)
    compiled = toolcast.compile(specs(Declarations(tools=tuple(github))), providers=["openai", "mcp"])
    assert not [each for each in compiled.diagnostics if each.severity == "error"]


# --- schemas, judged by another validator on the document as it is written


def meant(value: Any, *, old: bool) -> Any:
    """The document with `nullable`, and the boolean bounds of 3.0, as a validator knows them."""
    if isinstance(value, list):
        return [meant(item, old=old) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: meant(item, old=old) for key, item in value.items()}
    if old:
        for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(found.get(flag), bool) and found.pop(flag) and bound in found:
                found[flag] = found.pop(bound)
    if found.get("nullable") is True:
        return {"anyOf": [found, {"type": "null"}]}
    return found


def pointers(document: OpenApiDocument) -> Iterator[tuple[str, str, str, str]]:
    """Path, method, and for each parameter and JSON body its name and the pointer of its schema."""
    for template, item in document.data["paths"].items():
        if not isinstance(item, dict) or "$ref" in item:
            continue
        for method, operation in item.items():
            if method not in METHODS:
                continue
            base = f"#/paths/{template.replace('~', '~0').replace('/', '~1')}"
            for owner, at in ((item, base), (operation, f"{base}/{method}")):
                for i, parameter in enumerate(owner.get("parameters", [])):
                    where = f"{at}/parameters/{i}"
                    while "$ref" in parameter:
                        where = parameter["$ref"]
                        parameter = looked_up(document.data, where)
                    if "schema" in parameter:
                        yield template, method, parameter["name"], f"{where}/schema"
            body = operation.get("requestBody", {})
            if "schema" in body.get("content", {}).get("application/json", {}):
                where = f"{base}/{method}/requestBody/content/application~1json/schema"
                yield template, method, "", where


def reaches(data: Any, reference: str, keywords: set[str]) -> bool:
    """Whether a schema, or what it refers to, has one of `keywords`."""
    done: set[str] = set()
    waiting: list[Any] = [{"$ref": reference}]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if keywords & each.keys():
                return True
            target = each.get("$ref")
            if isinstance(target, str) and target not in done:
                done.add(target)
                waiting.append(looked_up(data, target))
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return False


def judge(document: OpenApiDocument) -> Any:
    old = document.version == "3.0"
    draft = jsonschema_rs.Draft7 if old else jsonschema_rs.Draft202012
    registry = jsonschema_rs.Registry([("urn:document", meant(document.data, old=old))], draft=draft)
    kind = jsonschema_rs.Draft7Validator if old else jsonschema_rs.Draft202012Validator
    return lambda pointer: kind(
        {"$ref": f"urn:document#{quote(pointer[1:])}"}, registry=registry, validate_formats=False
    )


def compare(document: OpenApiDocument, tools: list[Declared], count: int, limit: int) -> int:
    """Compare both verdicts on generated values; the number of values."""
    by_place = {(tool.http["path"], tool.http["method"]): tool for tool in tools if tool.http}
    validator = judge(document)
    compared = 0
    chosen = list(pointers(document))
    random.Random(3).shuffle(chosen)
    for template, method, name, pointer in chosen[:limit]:
        tool = by_place.get((template, method))
        schema = None if tool is None else converted_schema(tool, name)
        if schema is None or reaches(
            document.data, pointer, {"readOnly", "discriminator", "jsonSchemaDialect"}
        ):
            continue
        try:
            original = validator(pointer)
        except jsonschema_rs.ValidationError:  # an ECMA-262 pattern that it cannot read
            continue
        own = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        for value in instances(Oracle(schema), random.Random(pointer), count):
            # A body that is spread over parameters is an object of them, whatever else its schema accepts.
            spread = not name and schema["additionalProperties"] is False
            if not spread or (isinstance(value, dict) and value.keys() <= schema["properties"].keys()):
                compared += 1
                assert own.is_valid(value) == original.is_valid(value), (pointer, value)
    return compared


def converted_schema(tool: Declared, name: str) -> dict[str, Any] | None:
    """What a parameter, or the body, became in a tool; None where it went elsewhere."""
    assert tool.http
    properties, places = tool.parameters["properties"], tool.http["in"]
    definitions = {"$defs": tool.parameters.get("$defs", {})}
    if name:
        return {**properties[name], **definitions} if name in properties else None
    inside = {
        key: place.get("name", key) if isinstance(place, dict) else key
        for key, place in places.items()
        if (place["in"] if isinstance(place, dict) else place) == "body"
    }
    if len(inside) == 1 and isinstance(place := places[next(iter(inside))], dict) and place.get("whole"):
        return {"additionalProperties": True, **properties[next(iter(inside))], **definitions}
    return {
        "type": "object",
        "properties": {wire: properties[key] for key, wire in inside.items()},
        "required": [wire for key, wire in inside.items() if key in tool.parameters.get("required", [])],
        "additionalProperties": False,
        **definitions,
    }


def test_schemas_accept_what_the_document_accepts(shared_dir: Path) -> None:
    compared = 0
    for path in examples(shared_dir):
        document = read(path)
        if document.data.get("paths") and "jsonSchemaDialect" not in document.data:
            compared += compare(document, list(declarations_of(document).tools), 24, 40)
    assert compared > 3_000


@pytest.mark.thorough
def test_schemas_of_github_accept_what_the_document_accepts(shared_dir: Path, github: list[Declared]) -> None:
    document = read_source(str(shared_dir / "corpora/openapi-docs/github.json"))
    assert isinstance(document, OpenApiDocument)
    assert compare(document, github, 40, 1_500) > 20_000
