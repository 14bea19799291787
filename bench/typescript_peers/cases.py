"""Schemas with values on both sides of them, and who says on which."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
from msgspec import Struct
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.contract.build import build_tool
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool

from bench.corpora.compile import CORPORA
from bench.peers.constructs import CONSTRUCTS

SUITE = "suites/json-schema-test-suite/draft2020-12.jsonl"
LARGEST = 2**53
FORMAT = "/optional/format/"


class Case(Struct, frozen=True):
    """One schema, self-contained and of draft 2020-12, and values with the verdict that is due."""

    name: str
    schema: Any
    values: tuple[tuple[Any, bool], ...]


class Refusal(Struct, frozen=True):
    """A schema that the contract refuses, by the code of its first error."""

    code: str


class Cases(Struct, frozen=True):
    """The cases of one source, and by code of the diagnostic how many schemas the contract refuses: nobody is
    asked about those."""

    source: str
    cases: tuple[Case, ...]
    refused: Mapping[str, int]


def suite(shared: Path) -> Cases:
    """The official suite, whose verdicts count: each schema as that of one property. Its optional formats are
    left out, as they are annotations for some of those who are asked."""
    found: list[Case] = []
    refused: Counter[str] = Counter()
    for record in map(json.loads, _lines(shared / SUITE)):
        if "format" in record["source"] or "/optional/content" in record["source"]:
            continue
        schema = record["parameters"]
        shared_types = {"_types/value.json": schema} if isinstance(schema, dict) else {}
        value = {"$ref": "_types/value.json"} if shared_types else schema
        normal = normal_form(
            {"type": "object", "required": ["value"], "properties": {"value": value}}, shared_types
        )
        if isinstance(normal, Refusal):
            refused[normal.code] += 1
            continue
        values = [({"value": call}, True) for call in record["calls"]]
        values += [({"value": case["arguments"]}, False) for case in record["bad_calls"]]
        found.append(Case(f"{record['source']}: {record['description']}", normal, _small(values)))
    return Cases("JSON-Schema-Test-Suite", tuple(found), refused)


def constructs() -> Cases:
    """The constructs of tool schemas of `make peers`, whose instances state their verdict."""
    found: list[Case] = []
    refused: Counter[str] = Counter()
    for each in CONSTRUCTS:
        draft = {"$schema": "http://json-schema.org/draft-07/schema#"} if each.draft == 7 else {}
        normal = normal_form({**draft, **each.schema})
        if isinstance(normal, Refusal):
            refused[normal.code] += 1
            continue
        values = [(value, True) for value in each.valid] + [(value, False) for value in each.invalid]
        found.append(Case(each.name, normal, _small(values)))
    return Cases("constructs of tool schemas", tuple(found), refused)


def real_tools(shared: Path, every: int, count: int) -> Cases:
    """Every so many-th tool of the corpora, with values at the edges of its schema; jsonschema-rs judges."""
    found: list[Case] = []
    refused: Counter[str] = Counter()
    for corpus in CORPORA:
        lines = _lines(shared / "corpora" / f"{corpus}.jsonl")
        for number in range(0, len(lines), every):
            normal = normal_form(json.loads(lines[number])["parameters"])
            if isinstance(normal, Refusal):
                refused[normal.code] += 1
                continue
            try:
                oracle = Oracle({"parameters": normal, "$defs": normal.get("$defs", {})}, "/parameters")
                made = list(instances(oracle, random.Random(number), count))
                judge = jsonschema_rs.Draft202012Validator(normal, validate_formats=True)
            except (OracleError, ValueError):
                continue  # nobody says which verdict is due
            values = [(value, bool(judge.is_valid(value))) for value in made]
            found.append(Case(f"{corpus}:{number}", normal, _small(values)))
    return Cases("real tools", tuple(found), refused)


def normal_form(parameters: Any, types: Mapping[str, Any] | None = None) -> Any:
    """The contract's schema of parameters, or a Refusal."""
    documents = {path: _document(schema, path) for path, schema in (types or {}).items()}
    spec = {"description": "A tool.", "permission": "read", "secrets": [], "parameters": parameters}
    tool, problems, _ = read_tool(_document(spec, "tool.json"), "tool.json", frozenset())
    if tool is None:
        return Refusal(problems[0].code)
    built = build_tool(tool, documents)
    wrong = [each.code for each in built.diagnostics if each.severity == "error"]
    return Refusal(wrong[0]) if wrong else built.normal.standalone("parameters")


def inlined(schema: Any, defs: Mapping[str, Any], above: tuple[str, ...] = ()) -> Any:
    """A schema without references, for who does not follow them; one that leads back to itself stays."""
    if isinstance(schema, list):
        return [inlined(each, defs, above) for each in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: inlined(each, defs, above) for key, each in schema.items() if key not in ("$ref", "$defs")}
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
    if "$ref" not in schema or name not in defs or name in above:
        return {**rest, "$ref": schema["$ref"]} if "$ref" in schema else rest
    target = inlined(defs[name], defs, (*above, name))
    if not rest or not isinstance(target, dict):
        return target
    return {**rest, "allOf": [*rest.get("allOf", ()), target]}


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").split("\n") if line]


def _document(content: Any, file: str) -> SourceDocument:
    found = parse_document(json.dumps(content).encode(), f"specs/{file}", "json")
    assert isinstance(found, SourceDocument), found
    return found


def _small(values: list[tuple[Any, bool]]) -> tuple[tuple[Any, bool], ...]:
    """Without values that `JSON.parse` reads as others."""
    return tuple(each for each in values if max(_sizes(each[0]), default=0) <= LARGEST)


def _sizes(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _sizes(item)
    elif isinstance(value, int | float):
        yield abs(value)
