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
from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options
from toolcast.providers import available

from tests.clients.emitted import Emitted, SourceTool, reference, sample, specs
from tests.grammars.cases import ENFORCED, LONGEST, Case, cases, has_flag, raised, strict_ones, whole
from tests.grammars.engine import Engine, Grammar, RefusedError
from tests.sampled import sampled

EVERY = 24
WALKS = 5
UNENDING = 0.05
"""Share of walks that may come to no end."""
SAMPLE = ("anthropic-strict", "llama-cpp", "openai")
"""With a flag and tool by tool, without a flag, with a flag for all."""
PROVIDERS = sampled(ENFORCED, SAMPLE)


@lru_cache(maxsize=1)
def real(shared: Path) -> tuple[SourceTool, ...]:
    """A share of the corpora, each as the compiler reads it."""
    return tuple(raised(sample(shared, EVERY)))


def refused(engine: Engine, tools: list[Emitted]) -> list[str]:
    found = []
    for each in tools:
        try:
            engine.compile(each.schema)
        except RefusedError as problem:
            found.append(f"{each.tool}: {problem}")
    return found


def compiled(engine: Engine, case: Case) -> Grammar | None:
    """The grammar of a tool; None where the engine refuses what another engine is meant for."""
    try:
        return engine.compile(case.each.schema)
    except RefusedError:
        if has_flag(case.each.provider):
            raise
        return None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_strict_schema_of_the_reference_toolset_compiles(provider: str, engine: Engine) -> None:
    tools = strict_ones(reference(), provider)
    assert tools
    found = refused(engine, tools)
    assert found == [] or (not has_flag(provider) and len(found) < len(tools) / 2)


@pytest.mark.corpora
@pytest.mark.parametrize("provider", sampled(ENFORCED, ["openai"]))
def test_every_strict_schema_of_real_tools_compiles(provider: str, engine: Engine, shared_dir: Path) -> None:
    tools = strict_ones(sample(shared_dir, 2), provider)
    assert len(tools) > 300
    found = refused(engine, tools)
    assert found == [] or (not has_flag(provider) and len(found) < len(tools) / 50)


def locked_out(engine: Engine, tools: list[Emitted]) -> tuple[int, list[str]]:
    """L2: how many valid values were tried, and those which the grammar does not let a model write."""
    tried, found = 0, []
    for case in cases(tools):
        grammar = compiled(engine, case)
        for value in case.valid():
            sent = whole(case.dialect.encoded(value))
            text = json.dumps(sent, ensure_ascii=False)
            failure = case.dialect.refusal(case.contract, value, sent)
            if failure:
                found.append(f"{case.each.tool}: {failure.actual}")
            elif grammar and case.dialect.oracle.accepts(sent) and len(text) <= LONGEST:
                tried += 1
                problem = grammar.refuses(text)
                found += [f"{case.each.tool}: {text[:300]}: {problem}"] if problem else []
    return tried, found


@pytest.mark.parametrize("provider", PROVIDERS)
def test_encoded_values_of_the_reference_toolset_are_accepted(provider: str, engine: Engine) -> None:
    tried, found = locked_out(engine, strict_ones(reference(), provider))
    assert tried > 20
    assert found == []


@pytest.mark.corpora
@pytest.mark.parametrize("provider", sampled(ENFORCED, ["anthropic-strict"]))
def test_encoded_values_of_real_tools_are_accepted(provider: str, engine: Engine, shared_dir: Path) -> None:
    tried, found = locked_out(engine, strict_ones(real(shared_dir), provider))
    assert tried > 250
    assert found == []


def walked(engine: Engine, case: Case) -> Iterator[Any]:
    """Values of which the engine wrote the text itself; None for a text without an end."""
    grammar = compiled(engine, case)
    for _ in range(WALKS if grammar else 0):
        text = grammar.walk(case.random) if grammar else None
        yield None if text is None else json.loads(text)


@pytest.mark.corpora
@pytest.mark.parametrize("provider", sampled(ENFORCED, ["llama-cpp"]))
def test_what_the_grammar_accepts_means_something(provider: str, engine: Engine, shared_dir: Path) -> None:
    """L3 for real tools: undone, the contract accepts it, or breaks what the ledger tells."""
    count, endless, found = 0, 0, []
    for case in cases(strict_ones(real(shared_dir), provider)):
        for sent in walked(engine, case):
            count += 1
            if sent is None:
                endless += 1
            elif case.contract.verdict(case.dialect.decode_wire(sent)) is False:
                problems = case.dialect.unexplained(case.contract, sent)
                found += [f"{case.each.tool}: {json.dumps(sent)[:300]}: {each.message}" for each in problems]
    assert count > 100
    assert endless <= UNENDING * count
    assert found == []


@pytest.mark.parametrize(
    "providers",
    [pytest.param(SAMPLE, id="sample"), pytest.param(tuple(ENFORCED), id="all", marks=pytest.mark.thorough)],
)
def test_what_the_grammar_accepts_decodes(engine: Engine, providers: tuple[str, ...]) -> None:
    """L3 for the reference toolset, through generated bindings."""
    strict = {
        (each.tool, provider): each for provider in providers for each in strict_ones(reference(), provider)
    }
    tools, types = specs(available())
    found = []
    for spec in tools:
        with subject(spec, types, Options(providers=providers)) as made:
            for case in (Case(strict[spec.name, id]) for id in providers if (spec.name, id) in strict):
                for sent in walked(engine, case):
                    failure = sent and case.dialect.check_decoding(made.binding, case.contract, sent)
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
