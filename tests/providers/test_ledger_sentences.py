"""Every entry of a ledger is one plain sentence: the place, the keyword, what is sent instead, and whether
decoding restores or checks it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.providers import SchemaError, normalize
from toolcast.providers.ledger import Ledger, LedgerEntry, names_in_words

from bench.fuzz.schemas import compose
from tests.providers.rules.survey import CORPORA, tools
from tests.providers.sampled import PROVIDERS

LONGEST = 250
"""Characters of a reason."""
VERBS = frozenset(
    (
        *("accepts", "also", "applies", "compares", "counts", "declares", "does", "has", "is", "leads"),
        *("leaves", "lists", "rules"),
    )
)
"""How a reason starts, whose subject is the keyword."""
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
EVERYDAY = re.compile(
    r"\b(say|says|said|unsaid|speaks|stands|asks|became|becomes|kinds|whatever|spilled|told|tells|takes|fits"
    r"|meant|alternatives|words|undoes|free of|for the sake)\b"
)
"""Words that are no terms of JSON Schema."""
MALFORMED: tuple[dict[str, Any], ...] = (
    {"minLength": "three", "required": True, "items": 5, "properties": [], "anyOf": [1]},
    {"type": "none", "pattern": "(", "$ref": "#/$defs/none", "$dynamicRef": "#a"},
    {"$ref": "#/properties/a"},
    {"enum": [1], "type": "string"},
    {"any_of": [{"type": "string"}], "type": "any", "nullable": True, "format": None},
    {"items": [{"type": "string"}], "additionalItems": False, "dependencies": {"a": ["b"]}},
    {"minimum": 1, "exclusiveMinimum": True, "exclusiveMaximum": True, "definitions": {"a": {}}},
    {"oneOf": [{"type": "none"}, {"type": "string"}], "not": {"pattern": "("}, "nullable": False},
)


def form_problems(entry: LedgerEntry) -> list[str]:
    plain = QUOTED.sub("", entry.reason)
    first, *_ = entry.reason.split(" ")
    place = entry.path or "the root"
    found = {
        "does not start with a known verb": first not in VERBS,
        "is too long": len(entry.reason) > LONGEST,
        "ends with a full stop": entry.reason.endswith("."),
        "has an everyday word": EVERYDAY.search(plain) is not None,
        "is no single line": "\n" in entry.reason,
        "is no sentence": entry.sentence != f"At {place}, `{entry.keyword}` {entry.reason}.",
        "has more than two clauses": plain.count(";") > 1,
    }
    return [f"{entry.sentence} {problem}" for problem, so in found.items() if so]


def ledgers(schemas: Iterator[dict[str, Any]], provider: str) -> Iterator[LedgerEntry]:
    for schema in schemas:
        for strict in (None, True):
            try:
                yield from normalize(schema, provider, strict=strict).ledger
            except SchemaError:
                continue


def holding(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": schema}, "required": ["value"]}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_entries_of_composed_schemas_have_the_form_of_a_sentence(provider: str) -> None:
    composed = (holding(compose(random.Random(f"1:{seed}"))) for seed in range(120))
    assert [problem for entry in ledgers(composed, provider) for problem in form_problems(entry)] == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_entries_of_malformed_schemas_have_the_form_of_a_sentence(provider: str) -> None:
    schemas = (holding(schema) for schema in MALFORMED)
    found = list(ledgers(schemas, provider))
    assert found
    assert [problem for entry in found for problem in form_problems(entry)] == []


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_entries_of_a_corpus_have_the_form_of_a_sentence(
    shared_dir: Path, corpus: str, provider: str
) -> None:
    schemas = (tool["parameters"] for tool in tools(shared_dir, corpus, 12))
    assert [problem for entry in ledgers(schemas, provider) for problem in form_problems(entry)] == []


DROPPED = "because the provider lacks the keyword; decoding still checks it"
GOLDEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "stated in the description": (
        "gemini",
        holding({"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        "At /properties/value, `uniqueItems` is stated in the description, " + DROPPED + ".",
    ),
    "an annotation": (
        "openai",
        holding({"type": "string", "default": "a"}),
        "At /properties/value, `default` is stated in the description, because the provider lacks the "
        "keyword.",
    ),
    "left out": (
        "gemini",
        {**holding(True), "additionalProperties": False},
        "At the root, `additionalProperties` is left out, " + DROPPED + ".",
    ),
    "another name": (
        "conservative",
        {"type": "object", "properties": {"a b": {"type": "string"}}, "required": ["a b"]},
        "At /properties, `a b` is sent as 'a_b', because the provider does not allow the name; decoding "
        "restores the name.",
    ),
    "null for absence": (
        "openai",
        {"type": "object", "properties": {"x": {"type": "string"}}},
        "At the root, `required` also lists `x`, which may be null in place of absent; decoding restores the "
        "absence.",
    ),
    "a closed object": (
        "openai",
        holding({"type": "string"}),
        "At the root, `additionalProperties` is set to false, as the provider requires; a call cannot "
        "contain undeclared properties.",
    ),
    "not strict": (
        "openai",
        holding({}),
        "At /properties/value, `type` rules out strict mode, which cannot express a value of any type.",
    ),
    "a reference": (
        "gemini",
        {**holding({"$ref": "#/$defs/a"}), "$defs": {"a": {"type": "string"}}},
        "At /properties/value, `$ref` is replaced by its target, because the provider cannot resolve "
        "references.",
    ),
    "an older draft": (
        "mcp",
        {**holding({"type": "string"}), "definitions": {"a": {}}},
        "At the root, `definitions` is read as `$defs`, its name since draft 2019-09.",
    ),
    "a malformed value": (
        "mcp",
        holding({"type": "string", "minLength": "three"}),
        "At /properties/value, `minLength` is left out, because its value 'three' is malformed.",
    ),
    "no strict mode": (
        "mcp",
        holding({"type": "string"}),
        "At the root, `strict` is not available, because the provider has no strict mode.",
    ),
}


@pytest.mark.parametrize(("provider", "schema", "sentence"), GOLDEN.values(), ids=GOLDEN)
def test_the_sentence_of(provider: str, schema: dict[str, Any], sentence: str) -> None:
    strict = True if "`strict`" in sentence else None
    assert sentence in [entry.sentence for entry in normalize(schema, provider, strict=strict).ledger]


def test_each_change_of_a_place_is_an_entry() -> None:
    ledger = Ledger()
    place = None, "a"
    changes = [
        ("rewritten", "kept elsewhere", "is sent in another form"),
        ("rewritten", "changed", "is sent without null"),
        ("rewritten", "lost", "is sent without numbers"),
        ("dropped", "lost", "is left out"),
    ]
    for action, severity, reason in (*changes, *changes):
        ledger.note(place, "enum", action, severity, reason)  # type: ignore[arg-type]
    assert [(one.action, one.severity, one.reason) for one in ledger.entries.values()] == changes


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "`a`"),
        (["a", "b"], "`a` and `b`"),
        (["a", "b", "c"], "`a`, `b` and `c`"),
        (["n" * 30, "m" * 30, "k" * 30, "l" * 30], f"`{'n' * 30}`, `{'m' * 30}` and 2 more"),
        (["n" * 100], f"`{'n' * 40}…`"),
    ],
)
def test_names_in_words(names: list[str], words: str) -> None:
    assert names_in_words(names) == words
