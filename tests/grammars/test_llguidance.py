"""Every strict schema compiles in llguidance, which enforces such schemas; what it lets through decodes.

Asked of all outputs with the strict flag, and of all those that a provider enforces without one.
"""

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from toolwright.build.compile import Options
from toolwright.contract.build import build_tool
from toolwright.providers import available, load_profile, normalize
from toolwright.spec import SourceDocument, parse_document, read_tool
from toolwright.verify.dialect import Dialect
from toolwright.verify.hold import asserted_formats
from toolwright.verify.instances import instances
from toolwright.verify.oracle import Oracle, OracleError
from toolwright.verify.subject import subject

from tests.clients.emitted import Emitted, Told, emitted, reference, sample, specs
from tests.grammars.engine import Engine, RefusedError

EVERY = 12
VALUES = 24
WALKS = 6
UNENDING = 0.05
"""Share of walks that may come to no end."""


def enforced(provider: str) -> bool:
    profile = load_profile(provider)
    return profile.always_strict or profile.strict is not None


ENFORCED = [provider for provider in available() if enforced(provider)]


def strict_ones(tools: tuple[Told, ...], provider: str) -> list[Emitted]:
    every = load_profile(provider).always_strict
    return [each for each in emitted(tools, provider) if every or each.strict]


@lru_cache(maxsize=1)
def real(shared: Path) -> tuple[Told, ...]:
    """A share of the corpora, each as the compiler reads it; what it refuses is not asked for."""
    return tuple(raised(sample(shared, EVERY)))


def raised(tools: tuple[Told, ...]) -> Iterator[Told]:
    """Contracts in normal form: some are published in older drafts, which the oracle would misread."""
    for told in tools:
        content = {"description": "A tool.", "permission": "read", "secrets": [], "parameters": told.contract}
        document = parse_document(json.dumps(content).encode(), "tool.json", "json")
        spec = (
            read_tool(document, "tool.json", frozenset())[0] if isinstance(document, SourceDocument) else None
        )
        built = build_tool(spec, {}) if spec is not None else None
        if built is not None and built.contract is not None:
            yield Told(info=told.info, contract=built.normal.standalone("parameters"), calls=told.calls)


def refused(engine: Engine, tools: list[Emitted]) -> list[str]:
    found = []
    for each in tools:
        try:
            engine.compile(each.schema)
        except RefusedError as problem:
            found.append(f"{each.tool}: {problem}")
    return found


@pytest.mark.parametrize("provider", ENFORCED)
def test_every_strict_schema_of_the_reference_toolset_compiles(provider: str, engine: Engine) -> None:
    tools = strict_ones(reference(), provider)
    assert tools
    assert refused(engine, tools) == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", ENFORCED)
def test_every_strict_schema_of_real_tools_compiles(provider: str, engine: Engine, shared_dir: Path) -> None:
    tools = strict_ones(sample(shared_dir, 2), provider)
    assert len(tools) > 300
    assert refused(engine, tools) == []


class Case:
    """One tool for one provider, with its judges."""

    def __init__(self, each: Emitted) -> None:
        profile = load_profile(each.provider)
        formats = asserted_formats()
        ledger = normalize(each.contract, profile, strict=each.strict).ledger
        self.each = each
        self.contract = Oracle(each.contract, "", formats)
        self.dialect = Dialect(each.provider, each.schema, ledger, formats, each.ways)
        self.random = random.Random(f"{each.provider}:{each.tool}")

    def valid(self) -> Iterator[Any]:
        made = (*self.each.calls, *instances(self.contract, self.random, VALUES))
        return (value for value in made if self.contract.accepts(value))


def cases(tools: list[Emitted]) -> Iterator[Case]:
    for each in tools:
        try:
            yield Case(each)
        except OracleError:
            continue  # two of a thousand published schemas, in what no dialect changes


def whole(value: Any) -> Any:
    """Whole floats as integers: 1.0 is one of JSON Schema's integers, but no grammar writes it so."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def locked_out(engine: Engine, tools: list[Emitted]) -> tuple[int, list[str]]:
    """L2: how many valid values were tried, and those which the grammar does not let a model write."""
    tried, found = 0, []
    for case in cases(tools):
        grammar = engine.compile(case.each.schema)
        for value in case.valid():
            sent = whole(case.dialect.encoded(value))
            if not case.dialect.oracle.accepts(sent):
                continue  # the laws over provider schemas are held elsewhere, with what the ledger says
            tried += 1
            text = json.dumps(sent, ensure_ascii=False)
            problem = grammar.refuses(text)
            if problem:
                found.append(f"{case.each.tool}: {text[:300]}: {problem}")
    return tried, found


@pytest.mark.parametrize("provider", ENFORCED)
def test_encoded_values_of_the_reference_toolset_are_accepted(provider: str, engine: Engine) -> None:
    tried, found = locked_out(engine, strict_ones(reference(), provider))
    assert tried > 20
    assert found == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", ENFORCED)
def test_encoded_values_of_real_tools_are_accepted(provider: str, engine: Engine, shared_dir: Path) -> None:
    tried, found = locked_out(engine, strict_ones(real(shared_dir), provider))
    assert tried > 500
    assert found == []


def walked(engine: Engine, case: Case) -> Iterator[Any]:
    """Values of which the engine wrote the text itself; None for a text without an end."""
    grammar = engine.compile(case.each.schema)
    for _ in range(WALKS):
        text = grammar.walk(case.random)
        yield None if text is None else json.loads(text)


@pytest.mark.corpora
@pytest.mark.parametrize("provider", ENFORCED)
def test_what_the_grammar_accepts_means_something(provider: str, engine: Engine, shared_dir: Path) -> None:
    """L3 for real tools: undone, the contract accepts it, or breaks what the ledger tells."""
    count, endless, found = 0, 0, []
    for case in cases(strict_ones(real(shared_dir), provider)):
        for sent in walked(engine, case):
            count += 1
            if sent is None:
                endless += 1
            elif case.contract.verdict(case.dialect.undone(sent)) is False:
                problems = case.dialect.unexplained(case.contract, sent)
                found += [f"{case.each.tool}: {json.dumps(sent)[:300]}: {each.message}" for each in problems]
    assert count > 200
    assert endless <= UNENDING * count
    assert found == []


@pytest.mark.parametrize("provider", ENFORCED)
def test_what_the_grammar_accepts_decodes(provider: str, engine: Engine) -> None:
    """L3 for the reference toolset, through the generated binding."""
    strict = {each.tool: each for each in strict_ones(reference(), provider)}
    tools, types = specs((provider,))
    found = []
    for spec in tools:
        if spec.name not in strict:
            continue
        case = Case(strict[spec.name])
        with subject(spec, types, Options(providers=(provider,))) as compiled:
            for sent in walked(engine, case):
                failure = sent and case.dialect.way_back(compiled.binding, case.contract, sent)
                found += [failure] if failure else []
    assert found == []


def test_the_engine_can_refuse(engine: Engine) -> None:
    """Without this the tests above could pass for an engine that takes anything."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 2}}, "required": ["a"]}
    closed = {**schema, "additionalProperties": False}
    grammar = engine.compile(closed)
    assert grammar.refuses('{"a": "bc"}') is None
    for text in ('{"a": "bcd"}', '{"a": 1}', '{"b": "c"}', '{"a": "b"', "{}"):
        assert grammar.refuses(text) is not None
    listed = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    with pytest.raises(RefusedError):
        engine.compile({**closed, "properties": {"a": listed}})
    assert {bool(engine.compile(closed).walk(random.Random(seed))) for seed in range(5)} == {True}
